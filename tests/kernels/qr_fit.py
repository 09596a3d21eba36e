"""A regression of rows by QR, put together from the kernels of rows.py, to compare others with."""

import numpy as np

from bnjit.kernels import rows
from bnjit.kernels.columns import view
from bnjit.kernels.tuning import REFLECTED_ROWS, RUN_ROWS
from tests.kernels.versions import version


def fit_qr(columns, which, first, last, in_cells, kernels="compiled"):
    """Residual sum of squares, centre and slopes of the last column of `which` on the others."""
    c = len(which)
    room = np.empty((c + 1, RUN_ROWS))
    centre, slopes = np.array([view(columns, j, first, 1, room[i])[0] for i, j in enumerate(which)]), np.empty(c)
    R, B = np.zeros((c + 1, c + 1)), np.empty((c, REFLECTED_ROWS))
    add = version(rows.add_rows_qr, kernels)
    add(columns, which, np.empty(0, np.int32), first, last, centre, R, B, np.empty(c + 1))
    version(rows.solve_triangle, kernels)(R, last - first, in_cells, centre, slopes)
    return version(rows.residuals_rows, kernels)(columns, which, first, last, centre, slopes, room), centre, slopes
