"""Settings of drawings: distances in points at FONT_SIZE, and how much work goes into an order with few crossings.

All were chosen by looking at drawings, those of dense networks such as MEHRA among them.
"""

# Text and boxes.
FONT_SIZE = 9.0  # points; nodes are placed for this size, and drawings scaled to others
LABEL_PADDING = 0.35  # between a label and its box, as a share of the font size
PORT_GAP = 7.0  # between the ends of arcs on one side of a box
CORNER = 6.0  # of a box, free of arcs
MOST_PORTS = 30  # arcs for which a box grows; more of them end closer together
MEASURING_DPI = 288.0  # at which labels are measured: four times finer than a point
LINE_SPACING = 1.05  # of the lines of a label, in line heights
LABEL_LETTERS, LABEL_LINES = 22, 3  # of a line, and lines of a label, where names as they are would be too wide

# Pages. Notebooks are about 900 pixels wide; a drawing is as wide at most, and longer where that does not do.
PAGE_WIDTH = 9.0  # inches
SMALLEST_FONT = 7.0  # points: a drawing that is too wide for the page gets smaller down to this, then its rows fold
MOST_NODES, MOST_ARCS = 150, 400  # with more, a drawing is a compact picture

# Places.
NODE_GAP = 16.0  # between two boxes of a row
BEND_GAP = 9.0  # between a box or an arc and an arc that passes the row
BEND_WIDTH = 3.0  # room of an arc that passes a row
LEAST_ROW_GAP, MOST_ROW_GAP, ROW_GAP_SLOPE = 30.0, 100.0, 0.18  # between rows; more where arcs go far along them
MOST_FOLDED_GAP = 64.0  # between folded rows, of which there are many
ISOLATED_GAP = 14.0  # between rows of nodes without arcs
LEAST_ISOLATED_WIDTH = 360.0  # of such rows, where the rest of the drawing is narrower
MARGIN = 8.0  # around the drawing
LINE_HEIGHT = 1.7  # of the legend and the caption, in font sizes
MATRIX_SIDE = 470.0  # of the matrix of a large graph
MATRIX_NAMES_WIDTH = 21.0  # room for names beside it, in font sizes
MATRIX_NAME_LETTERS = 20  # of such a name; longer ones are shortened
STRIPE = 7.0  # beside the matrix, in the colours of the nodes

# Arcs.
CURVED_SHARE = 0.5  # of the distance between rows, over which a curve leaves the vertical
HEAD_LENGTH = 5.0  # straight end of an arc, for its head
FOLDED_BEND_GAP = 6.0  # BEND_GAP where rows are folded; less in rows that many arcs pass
FOLDED_SHARE = 0.8  # of a folded row's width that nodes and passing arcs may take
FOLDED_REACH = 2  # rows above the last one in which a node without parents may stand
STRAIGHTNESS = 6.0  # how much more an arc that passes rows pulls to be straight than one between neighbouring rows

# Work. Iterations stop earlier when nothing changes.
ROW_ROUNDS = 10  # in which nodes are pulled towards the rows of their neighbours
RELAXING_ROUNDS = 12  # in which nodes move along their rows towards their neighbours
FOLDED_ROUNDS = 40  # in which the vertices of folded rows move towards their neighbours
SWEEPS = 24  # down and up over the rows, from each starting order
PATIENCE = 6  # sweeps without a better order before a start is given up
STARTS = 8  # starting orders
MOST_ARC_VISITS = 60_000  # arcs between neighbouring rows, over all sweeps of all starts
MOST_ARCS_TO_EXCHANGE = 6_000  # with more arcs than this, neighbours in a row are not exchanged
