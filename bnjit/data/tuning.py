"""Settings of how rows are read, each with the reason for its value."""

# Reading in chunks.
CHUNK_ROWS = 1 << 20  # rows of a chunk at most: adding its tables to the totals then costs little next to counting
BATCH_ROWS = 1 << 16  # rows that are decoded at a time; values of a column still fit in the cache of a core
CHUNKS_AHEAD = 2  # chunks that are read while one is counted: one is full while the next is filled
POLL_SECONDS = 0.1  # after which a waiting reader looks whether anybody still needs its chunks
CHUNK_SHARE = 16  # a chunk takes at most this part of max_memory: there are CHUNKS_AHEAD + 1, and the statistics
DECODED_BYTES = 1 << 21  # of a column of a Parquet file while it is decoded: a page of a megabyte, twice
READ_BYTES = 1 << 17  # of a column that are read from a file at a time; without that, all of it in a group of rows
CODES_PART = 4  # part of max_memory for codes of discrete columns: decoding them takes half as long as numbers do
LEAST_MEMORY = 10**6  # bytes that max_memory must allow; with less, chunks would have a few rows only
TEXT_BYTES = 16  # about what a value of a text column takes in memory

# Tables read whole.
RELEASED_BYTES = 1 << 23  # of a column, after which Arrow is asked to give back what raw values took: it takes 1 ms

# Text files.
HEAD_BYTES = 1 << 16  # from which delimiter and encoding are told: hundreds of rows, and no time

# Levels.
IDENTIFIER_ROWS = 1 << 20  # rows after which a discrete column that never repeats a level is given up

# Splits.
SPLIT_ROWS = 1 << 19  # rows whose random numbers are made at a time, to count training and test rows: 4 MB

# Dask.
MERGED_AT_ONCE = 8  # results of partitions that one task merges: few enough for its memory, and few levels of merges
SCHEDULER_SECONDS = 10.0  # within which a scheduler must answer

# Columns that number the rows.
NUMBERING_ROWS = 20  # with fewer rows, integers that are all different say nothing
SOME_ROWS = 100  # that are looked at first: most columns of integers have values out of order among them
IDENTIFIERS_KEPT = 1 << 16  # values of a column that is called an identifier, 0.5 MB: if some come twice, these do
YEARS = (1000, 2999)  # numbers that go up from here to there may be years
