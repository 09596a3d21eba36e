"""Sizes that decide how fast the kernels are, each once.

Each is a compromise between calls and caches: long enough that starting a loop costs little, short enough that what
the loop reads again stays in the first-level cache. The times beside them are milliseconds for 1,000,000 rows and one
thread of an AMD EPYC with 32 kB of that cache and AVX-512, the value in use in the middle. Those marked "digits" also
decide in which order sums are taken: another value changes the last digits of results, so that a faster one is no
reason by itself to change it.
"""

# Digits. Rows that are centred and multiplied at a time. 16 columns with 128, 512, 2048: 46, 38, 39.
RUN_ROWS = 512

# Digits. Rows that the closed forms read at a time. Three columns of one cell with 256, 1024, 4096: 0.79, 0.57, 0.53.
CLOSED_ROWS = 1024

# Digits. Rows that one reflection annihilates. 3 columns with 64, 256, 1024: 5.0, 3.1, 3.4; 10 columns: 29, 21, 17.
REFLECTED_ROWS = 256

# Rows of one turn of a loop as the compiler unrolls it; REFLECTED_ROWS is a multiple.
UNROLLED_ROWS = 32

# Rows whose keys, cells or random numbers are found at a time. Counts of three variables with 512, 4096, 16384: 0.45,
# 0.41, 0.41. It is also what a thread draws at a time, and what a search for distinct rows reads between its checks.
KEYED_ROWS = 4096

# Rows of eight columns that are read before the next eight, since processors prefetch few streams at a time.
# 16 columns in 1,000 cells with 64, 512, 4096: 36, 33, 32.
STRIP_ROWS = 512

# Digits. Cells of a partial sum, so that rounding grows slowly with the number of cells.
PARTIAL_CELLS = 64

# Rows that the QR estimator sorts by cell at a time, at least and for each cell: fewer rows of a cell at a time make
# short reflections. Six columns in 1,000 cells with 64, 128, 256 for each cell: 16, 14, 15. Where sorting takes more
# bytes than this, and than four for each row, rows are read where they are.
SORTED_ROWS, SORTED_ROWS_PER_CELL = 1 << 16, 128
SORTED_BYTES = 1 << 26

# Parent configurations are numbered by a table of all declared ones up to this many and four for each observed cell;
# beyond that, filling the table takes longer than hashing the observed ones.
DENSE_CONFIGURATIONS = 1024

# Cells of a table of counts whose offsets in a smaller table are computed once and used for all others: 2 kB.
OFFSET_CELLS = 256

# Levels up to which a draw counts the shares below a random number, with vector registers, instead of bisecting. With
# 10, 60, 300 levels: 3, 9, 93 by counting and 60, 130, 190 by bisection.
COUNTED_LEVELS = 256

# Words of bitmaps that are read at a time, so that one of them and those of a base stay in the two nearest caches.
BLOCK_WORDS, BASE_WORDS = 2048, 1 << 14
