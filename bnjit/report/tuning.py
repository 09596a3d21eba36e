"""Settings of the report, each with the reason for its value."""

# What is kept while rows are read: memory is bounded, whatever the table is.
BATCH_ROWS = 1 << 16  # rows that are looked at together
BATCH_VALUES = 1 << 22  # and values, in tables with many columns
MOST_LEVELS = 1 << 20  # different values of a column that are told apart; as many rows as an identifier is given up at
MOST_PATTERNS = 10_000  # patterns of missing columns that are counted; rows with others are counted together
MOST_HASHED_ROWS = 1 << 22  # rows among which duplicates are looked for: 32 MB of hashes
MOST_RELATED = 1_000  # continuous columns among which linear relations are looked for: 8 MB of cross-products
LABELS_KEPT = 64  # levels of a column that may be shown

# Rules.
FEW_VALUES = 10  # whole numbers with at most so many different values may be codes of levels
ROWS_PER_LEVEL = 5  # texts with fewer rows for each level, on average, have very many levels
MANY_LEVELS = 10  # but not if they are so few
NEARLY_ALL = 0.9  # share of numbers in a text column that makes the other texts look like slips
ENOUGH_COMPLETE = 0.9  # share of complete rows that is aimed at by leaving out columns
MOST_LEFT_OUT = 5  # columns that are proposed for that

# What is shown.
SHOWN_COLUMNS = 20  # of a text
SHOWN_PROBLEMS = 12
SHOWN_LABELS = 5
