"""Sizes that decide how fast the kernels are, each once.

Each is a compromise between calls and caches: long enough that starting a loop costs nothing, short enough that what
the loop reads again stays in the first-level cache of 32 kB. Those marked "digits" also decide in which order sums are
taken: another value changes the last digits of results.
"""

RUN_ROWS = 512  # digits; rows that are centred and multiplied at a time: three columns of them are 12 kB
CLOSED_ROWS = 1024  # digits; rows that the closed forms read at a time: three columns of them are 24 kB
REFLECTED_ROWS = 256  # digits; rows that one reflection annihilates: ten columns of them are 20 kB
UNROLLED_ROWS = 32  # rows of one turn of a loop as the compiler unrolls it; REFLECTED_ROWS is a multiple
KEYED_ROWS = 4096  # rows whose keys, random numbers or cells are found at a time: int64 keys of them are 32 kB
STRIP_ROWS = 512  # rows of eight columns that are read before the next eight: processors prefetch few streams at a time
PARTIAL_CELLS = 64  # digits; cells of a partial sum, so that rounding grows slowly with the number of cells

# Rows that the QR estimator sorts by cell at a time, at least and for each cell: fewer rows of a cell at a time make
# short reflections. With more bytes than this for them, rows are read where they are.
SORTED_ROWS, SORTED_ROWS_PER_CELL = 1 << 16, 64
SORTED_BYTES = 1 << 26

# Parent configurations are numbered by a table of all declared ones up to this many and four for each observed cell;
# beyond, filling the table takes longer than hashing the observed ones.
DENSE_CONFIGURATIONS = 1024
OFFSET_CELLS = 256  # cells of a table of counts whose offsets in a smaller table are computed once: 2 kB
