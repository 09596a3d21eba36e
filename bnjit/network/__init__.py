"""A DAG and Cells come in; a network with parameters goes out: fit, sample, predict, files.

May import search and what comes before it, graph, kernels and errors.
"""

from bnjit.network.fit import fit_network
from bnjit.network.network import Network
from bnjit.network.nodes import DiscreteNode, GaussianNode

__all__ = ["DiscreteNode", "GaussianNode", "Network", "fit_network"]
