"""Settings of networks: rows handled at a time, sizes that files may have, and what counts as rounding."""

SAMPLE_ROWS = 1 << 18  # drawn at a time: sample_to writes 50 million rows of MEHRA within 440 MB of memory
THREADED_DRAWS = 1 << 16  # rows of a discrete node for which further threads are worth waking
PREDICTION_ROWS = 1 << 19  # tried at a time, in which every row to predict stands once for each particle
ROUNDING = 1e-12  # what rounding may change of a sum, in relation to its terms

# Gaps. Where the missing discrete values of a row that depend on each other have more configurations than this, Gibbs
# sweeps draw them one after another; up to it, weighing all of them is exact and costs as much: mehra_like with 20 %
# gaps in half of its columns takes 8.7, 8.7, 8.8, 8.9 microseconds a row with 1, 16, 64, 128.
DRAWN_CONFIGURATIONS = 128
PREDICTED_CONFIGURATIONS = 1 << 10  # the same for predictions and expected values, which are worth more
LIKELIHOOD_CONFIGURATIONS = 1 << 16  # and for likelihoods, which sweeps do not give
SWEEPS = 3  # of Gibbs sampling, from a start that has seen most of the evidence
GAP_PARTS = 64  # that the rows with gaps are divided into, for threads

# Up to so many declared configurations of discrete parents a table says where each has its parameters; beyond that
# they are looked up by bisection.
MOST_DENSE_CONFIGURATIONS = 1 << 22

# Bounds on what a file or another library may ask for, so that a small hostile file cannot take all memory.
MOST_DEFAULT_ENTRIES = 1 << 24  # that the "default" rows of a BIF file stand for
MOST_BIF_ENTRIES = 1 << 24  # of a node that is written as BIF, which lists every configuration
MOST_PGMPY_ENTRIES = 1 << 26  # of a node's table in pgmpy, which holds every configuration
MOST_R_BYTES = 1 << 30  # of an R file, decompressed
MOST_PACKED_BYTES = 1 << 28  # of a text that gzip has packed: 50 times the largest of the repository

# Queries. What is not feasible exactly is an error; a GB of tables, and work of a minute or so, are.
MOST_TABLE_ENTRIES = 1 << 27
MOST_TABLE_WORK = 2e11
MOST_INTEGRALS = 1 << 20  # configurations of discrete nodes for which continuous ones are integrated out
COMPILED_ENTRIES = 1 << 14  # products of two tables' sizes beyond which a kernel is faster than np.einsum
SMALLEST_SCALE = 1e-150  # of a table whose factors have 1 as their largest entries; below it logarithms are needed
QUERY_ROWS = 256  # rows with gaps in the same places that are put into the same tables

# Distributions on pages to explore. Shares are within 0.01 of their values, for 300 nodes in a tenth of a second.
DRAWN_ROWS = 10_000
DRAWN_BINS, DRAWN_TAIL = 40, 0.001  # of a histogram, and the share of the rows beyond each of its ends
