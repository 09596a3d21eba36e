"""Settings of the statistics that were found by measuring; times are of one core of a Zen 4 at 2.6 GHz.

None of them changes a result beyond rounding. Memory is in bytes.
"""

# --- What a store keeps ---
LEAST_MEMORY = 1 << 25  # for Cells, at the least; or
MEMORY_SHARE = 0.4  # of what the table takes: at a million rows of MEHRA all tables of a search but a few
LEAST_GAPS_MEMORY, GAPS_MEMORY_SHARE = 1 << 24, 0.15  # the same for tables with gaps, or whose gaps were filled
# What a table costs grows with its columns and its cells, beyond these, which finding the cells of rows is worth.
COLUMNS_OF_A_PASS, CELLS_OF_A_PASS = 8, 1 << 13
COUNTS_SHARE = 0.15  # of that, for counts alone
TRIANGLES_PART, CHUNKED_TRIANGLES_PART = 4, 2  # of that for triangles: of few cells, or of all where rows take passes
# Rows that triangles are made of at a time are copied: bytes, or this part of the table. Of 50,000,000 rows of MEHRA in
# as many cells as they like, a part costs 0.2 s to find its rows.
TRIANGLE_ROWS, TRIANGLE_ROWS_SHARE = 1 << 28, 1 / 16
MEMBERSHIP_SHARE = 0.25  # of that, for the cells that rows belong to
SMALL_BYTES = 1 << 28  # of tables that are made without asking how much memory is free
SAVED_MEMORY = 1 << 30  # for tables rolled up from saved statistics
# Times the memory of one store, since k tables are kept of each set: of folds, and of what is outside them, which is
# asked for where moments are not enough. Folds in 4 times: a tenth slower.
FOLDS_MEMORY, OUTSIDE_MEMORY = 7, 1
LARGEST_OF_FOLDS = 4  # times that, for the tables that are used at a time
# Parts of max_memory where rows come in chunks: for Cells, as much for counts, and for rows brought to memory.
CHUNKED_CELLS_PART, CHUNKED_ROWS_PART = 6, 16
CHUNKED_FILLED_PART = 8  # and for one table of a chunk; for several that are filled at a time, TABLES_BYTES at most
BYTES_PER_COUNTED = 24  # of a configuration: its total, its key and its number
LEAST_ROOM_PART = 3  # of max_memory is there for all of that, also where reading would take the rest
RESIDUAL_MEMORY_PART = 3  # a store of residuals has this part of the memory of the store that it stems from,
CHUNKED_RESIDUAL_PART = 2  # or this one where rows come in chunks

# --- What a planner makes ---
LARGER_TABLE = 1 << 12  # cells that a table may have beyond what was asked, to be rolled up later,
LARGER_TABLE_CHUNKED = 1 << 13  # more where rows come in chunks, because a pass costs more than rows in memory,
ROWS_PER_LARGER_CELL = 64  # and rows that there must be for each
WIDEN_CELLS = 1 << 10  # cells up to which a table is given all columns when it is asked for more of them a second time
QUICK_COUNT = 1 << 23  # counting so many codes is faster than looking for a table to roll up
ROLL_UP_FACTOR = 4  # rolling up pays while the larger table has this many times fewer cells than there are rows
# Bytes of counts, and of triangles, that are read before they are asked for: part of the memory for Cells; fewer where
# every partition sends as many.
AHEAD_PART, SENT_AHEAD = 4, 1 << 20
# Sets that are counted before they are asked for, declared configurations of each, and of all.
SETS_AHEAD, AHEAD_CONFIGURATIONS, CELLS_AHEAD = 128, 1 << 19, 1 << 23
UNKNOWN_CELLS = 1 << 20  # cells that a table is taken to have, at most, before it is counted
TABLES_AT_A_TIME = 8  # that are filled together, so that threads end together,
FILLED_SHARE = 0.15  # while their ranges take no more than this share of what the rows take, or RANGE_BYTES;
TABLES_BYTES = 1 << 26  # and of a chunk's rows, so many bytes of tables, before they are added to the totals
# Parts of a chunk's rows that are filled at a time, for one table that is too large to be filled from all of them; and
# rows of each, at the least.
PARTS_AT_A_TIME, LEAST_PART_ROWS = 2, 1 << 9
TRIANGLE_COLUMNS = 40  # continuous columns up to which a triangle has them all, so that other nodes find theirs there

# --- How moments are collected ---
DENSE_CONFIGURATIONS = 1 << 16  # a table of all declared configurations is used up to this, or four times the rows
ROWS_PER_RANGE = 1 << 14  # rows that a thread takes at least
RANGES_PER_BATCH = 4  # ranges of rows of all tables of a batch, at least; with 8 a search on MEHRA took a tenth longer
MOST_RANGES = 64
# Passes over few rows that one call makes: up to so many values, and so many calls for each thread at least. Order
# search on pigs asks for a million passes over 20,000 rows.
VALUES_TOGETHER, CALLS_PER_THREAD = 1 << 21, 4
LEAST_RANGES, RANGE_BYTES = 2, 1 << 24  # of one set of variables: tables, or bytes of them if that is more
ORDERED_PER_CELL = 24  # rows for each cell that are put in order at a time, within what a processor's cache holds:
ORDERED_ROWS, FEWEST_PER_CELL = (1 << 15, 1 << 16), 8  # in all, at the least and at the most; and for each cell
# Bytes, or the share of what the rows take, in which a thread puts them in order, as many cells at a time as there is
# room for. A million rows, 16 columns, 12,000 / 30,000 / 60,000 cells, ms: 47 / 60 / 71 in one go, 47 / 77 / 117 so.
ORDERED_BYTES, ORDERED_SHARE = 1 << 23, 0.125
ROWS_PER_JOINED_CELL = 48  # that a range must have, so that joining ranges costs less than filling them
JOINED_APART = 8  # ranges of cells that threads join
UNIT_ROWS = 63  # that say in which units a column is computed
UNIT_FIRST_ROWS, UNIT_BLOCK = 256, 64  # they are drawn from these, and from one row of each later block
JOINED_AT_LEAST = 16  # values that take as long as what a cell takes beside them

# --- How rows are counted ---
LEAST_SHARED, MOST_SHARED = 1 << 9, 1 << 14  # cells of a table that several sets share, which stays in a cache,
ROWS_PER_SHARED_CELL = 32  # and rows for each of them, so that summing it costs less than another pass
ROWS_WORTH_THREADS = 1 << 20  # rows to read, over all passes
CELLS_WORTH_THREADS = 1 << 17  # declared configurations of which the observed ones are kept
# Cells of a table up to which bits are counted in place of rows: of 20,000 rows a cell takes 20 ns with AVX-512, a set
# some 8,000 ns by rows. Levels that columns with bitmaps have at the most, memory of these or a share of what the table
# takes, and words that are worth threads.
MOST_BIT_CELLS, BITMAP_LEVELS, BITS_WORTH_THREADS = 320, 32, 1 << 20
BITMAP_BYTES, BITMAP_SHARE = 1 << 26, 0.5
TOTALS_PER_ROW = 8  # declared configurations for each row of a chunk whose totals are kept, 8 bytes each
COLLAPSE_AFTER = 64  # sets whose counting costs about as much as collapsing equal rows
COLLAPSE_ROWS_PER_RANGE = 1 << 17  # equal rows in different ranges stay apart
CHOSEN_RANGES = 8  # ranges of rows in which those of some cells are looked for
ROWS_PER_KNOWN_CELL = 4  # rows of a chunk for each cell of all rows, so that a chunk's table may have them all

# --- How cells are scored ---
# Cells from which on they are fitted eight at a time: 744 cells, one / two / four parents, ns for each of 12 sets: 29 /
# 45 / 87 one at a time, 17 / 20 / 31 so. Few are not worth a kernel more to load.
EIGHT_AT_A_TIME = 32

# --- Where moments are not enough ---
FEW_CELLS = 256  # regressions that one thread does by itself
MANY_ROWS = 3  # times all rows: a node for which triangles of so many were made is worth a column of residuals
DEEPEST_RESIDUALS = 3  # residuals of residuals of residuals
MOST_SPLIT_CELLS = 4  # cells so few that threads share the rows of each,
SPLIT_CELL, ROWS_PER_SPLIT = 1 << 17, 1 << 16  # if there are so many, in parts of so many
RESIDUAL_RANGES = 16  # ranges of rows; each row is on its own

# --- Bootstrap ---
BOOTSTRAP_ROWS, BOOTSTRAP_BYTES = 8192, 1 << 26  # rows at a time, and the most that their products take

# --- Relations of columns ---
NEAR_SHARE = 1e-6  # of a column's variance: if other columns leave less of it, they determine it,
EXACT_SHARE = 1e-12  # and exactly, up to rounding, if they leave less than this
LEAST_COEFFICIENT = 1e-4  # of a standardised column: less is rounding
ROWS_TO_RELATE, ROWS_PER_RELATED = 5, 2  # fewer rows, or rows for each column, make relations by themselves
FEW_RELATED = 64  # columns for which our own decomposition is as fast as LAPACK's
ROWS_LOOKED_AT = 64  # to tell discrete columns apart
MOST_LEVELS = 0.5  # of the rows: with more levels, rows of a level are alike by themselves

# Rows that observe some columns of a table with gaps.
OBSERVED_SHARE = 1 / 64  # of the memory for tables of such rows: those that they are made of are kept as well
LARGE_TABLE_PART = 4  # of the memory for Cells: out of core, larger tables are made of rows without gaps in a family
# Sets of columns whose statistics are kept: so many, or more where they take no more than a part of the memory, of so
# many bytes each without tables. 45 columns with gaps make 990 pairs, and then come triples: with 1024, three moves
# took 333 passes in place of 41.
MOST_OBSERVED_STORES, OBSERVED_STORES_PART, OBSERVED_STORE_BYTES = 1 << 10, 8, 18_000

# EM for a normal distribution: most steps; the largest change, in deviations, of the last; ranges of patterns.
EM_STEPS, EM_TOLERANCE, EM_PATTERNS_APART = 1000, 1e-7, 16
