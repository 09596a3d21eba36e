"""Settings of reading published data."""

TEXT_BLOCK = 1 << 25  # bytes of text parsed at a time: memory stays bounded, and a block is long enough to parse fast
PARQUET_BATCH = 1 << 16  # rows of a prepared table read at a time, for the same reasons
