"""A network and evidence come in; what they say of other nodes goes out: posteriors, and effects of acting.

Tables of discrete nodes are multiplied and summed in an order that keeps them small; continuous nodes are integrated
out before, for each configuration of the discrete nodes that matter to them.
"""
