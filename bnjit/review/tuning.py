"""Settings of reports."""

TEST = 0.25  # share of the rows to predict
MOST_TEST_ROWS = 10_000  # that are predicted: shares are then within 0.01 of what more rows would give
MOST_MOVES, MOST_ARCS, MOST_NODES = 300, 500, 500  # rows of the tables
MOST_PAIRS = 2_000  # of a discrete and a continuous column, which are scored again in less than a second
CERTAIN = 0.999  # accuracy or R2 beyond which a node follows from the others
NOTHING = 0.005  # gain over the baseline below which the others say nothing of a node
NAMED = 8  # nodes that a sentence names
