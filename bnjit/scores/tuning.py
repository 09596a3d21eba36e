"""Settings of the scores that were found by measuring, on MEHRA (24 columns) and ALARM (37) up to a million rows."""

FEW_COLUMNS = 40  # continuous columns up to which a table of them all may serve several nodes
MOST_SHARED_PARENTS = 2  # discrete parents up to which other nodes are likely to have the same ones
SHARING_NODES = 4  # nodes of a batch for which one table of all columns costs less than one of a few columns for each
CACHED_TABLE = 1 << 23  # bytes: what stays in a processor's cache
FEW_SETS, FEW_FITS = 3, 256  # parent sets, and regressions, that one thread does by itself
VALUES_PER_FIT = 2048  # values that could be read in the time of one regression, by which parts are given to threads
CELLS_WORTH_THREADS = 1 << 13  # cells of discrete scores
FOLD_RANGES, GROUPS_PER_FOLD_RANGE = 8, 64  # ranges of configurations that threads score in all folds
READ_TOGETHER = 0.5  # of the memory for Cells is for tables that one pass makes of rows with gaps: they may get columns
