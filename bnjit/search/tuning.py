"""Settings of the searches that were found by measuring."""

MEMO_BYTES = 1 << 29  # scores that are remembered before all are forgotten,
BYTES_PER_SCORE = 120  # each of which takes so many, and an eighth of a byte for each column
# Scores of toggled sets are kept without listing them where there are so many columns, this share of which is toggled,
# and up to so many sets of a node.
MANY_COLUMNS, SHARE_TOGGLED, MOST_KEPT_SETS = 64, 0.25, 32
CHECKPOINT_SECONDS = 10.0  # between two times that a checkpoint is written, or
CHECKPOINT_SHARE = 50  # times what writing it took
CHECKED_SCORES = 4  # of a user's own score, from either end of a checkpoint, that are estimated again
LONGEST_TABU = 1 << 20  # graphs that a tabu list remembers at the most
TREE_BYTES = 1 << 28  # of grow-shrink trees, before they are grown anew, beside three sets of nodes for each tree node
BYTES_PER_TREE_NODE = 400  # what else each takes, most of it in dictionaries
# Nodes that a restart of order search moves, as a share and at the least: with half of that it may find no way out.
SHARE_MOVED, LEAST_MOVED = 0.4, 4
MOST_MOVED = 60  # that a restart of thorough search moves, which has the pool to find its way out
ROUNDING = 1e-9  # of scores: what bounds leave, so that rounding changes nothing
EXCHANGED_DISCRETE = 3  # discrete parents that are exchanged for all there are,
EXCHANGED_SETS = 500  # if these sets are not more than that

FEW_NODES = 150  # whose arcs are found faster than kept in order

SETS_AT_ONCE = 1 << 15  # parent sets that are scored in one batch,
EXACT_SETS_AT_ONCE = 1 << 12  # or, by exact search, whose counts then fit in memory that is used again: a fifth faster
# Higher nodes that divide the table of an exact search into blocks, the fewest of the others, and blocks that are
# filled before Ctrl-C is heard; blocks of fewer sets take longer to begin than to fill.
BLOCK_NODES, FEWEST_LOW_NODES, BLOCKS_AT_ONCE = 8, 10, 16
SPREAD_AT_ONCE = 4  # nodes whose table is filled from their parent sets before that
EXACT_SHARE = 0.8  # of the free memory that its tables may take
LEAST_LEFT = 1e-5  # share of a column's variance that regressions must leave, for scores from cross products

# Thorough search: graphs that its tabu search remembers; how often it climbs from perturbed orders with parents from
# the pool, so many at a time; sets of each node that a pool keeps.
TABU = 10
POOL_ROUNDS, CLIMBS_AT_ONCE, POOL_SETS = 12, 8, 2000
# Sets of each node whose neighbours are scored, and what these may be in all; all pairs of parents are scored up to so
# many values that are counted, of which those of mixed tables take so many times as long. To be remembered, a score
# takes as long as counting so many values: two microseconds with 500 rows, with 4,000, and from moments.
EXPANDED_SETS, EXPANDED_SCORES, PAIR_VALUES, MIXED_WORK, LEAST_WORK = 10, 1 << 19, 2e10, 20, 4000
# Sets of each node that grow side by side, by size, where there are too many pairs; measured on link, a pedigree, where
# 16 columns may say the same of a node. They are grown up to so many values that are counted.
FAMILY_WIDTHS, FAMILY_VALUES = (16, 4, 2, 1), 2e12
# Columns that are searched exactly, and values that are counted for that.
EXACT_COLUMNS, EXACT_GAUSSIAN_COLUMNS, EXACT_VALUES = 12, 16, 2e9
