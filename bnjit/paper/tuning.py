"""Settings of the measurements and their drawings."""

WARM_ROWS = 3_000  # rows of a data set on which every estimator is compiled before anything is timed
KEPT_BYTES = 200_000_000  # of samples that stay in memory for further runs
REPEATS = 5  # times that a local distribution is estimated: a single one is too short to time
MOST_ROWS_COUNTED = 1_000_000  # of the search whose local distributions are counted; more rows would only take longer

# A first guess of the seconds for each million rows of MEHRA: what the progress bar assumes until there are
# measurements. It only has to be of the right size.
SECONDS_PER_MILLION_ROWS = {"QR": 27.0, "1P": 21.0, "2P": 19.0, "PRED": 18.0, "STATS": 6.0, "STATS PRED": 9.0}

MOST_SAMPLES = 24  # of a size, where more of them make intervals narrow
MOST_RUNS = 10  # on a sample: tiny tables make times that no number of runs makes certain
HALF_WIDTH = 0.05  # of an interval that needs no more runs
BAR_WIDTH = 0.14  # six bars and a gap make a group
