"""Settings of pages to explore, chosen by looking at networks of 10, 60 and 300 nodes."""

WIDEST = 9_000.0  # points at FONT_SIZE: a drawing that is wider has its rows folded
NAME_LETTERS, NAME_LINES = 24, 3  # of a line, and lines of a name, in a box
MOST_ROWS, MOST_LEVELS = 24, 12  # of a table of parameters, and levels of a node beside it
LONGEST_TEXT = 300  # letters of a name or level
FRAME_HEIGHT = 640  # pixels, in a notebook
MOST_HEIGHT, USUAL_WIDTH = 1_000, 1_100  # pixels of a frame that is as high as its names need
NAMES_SCALE, BARS = 0.84, 110  # at which names are read in their boxes, and pixels above and below the drawing
