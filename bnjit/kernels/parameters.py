"""Parameters of continuous nodes: one regression per cell.

Axis legend: m cells; g continuous parents; c columns.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit, jit_parallel, prange
from bnjit.kernels.columns import Columns
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import fit_moments
from bnjit.kernels.rows import fit_qr
from bnjit.kernels.tuning import RUN_ROWS


@jit
def _fit_cell(
    moments: Moments, cell: int, y: int, parents: Ints32, in_cells: bool, coefficients: Floats, rss: Floats,
    flags: Ints32,
) -> None:  # fmt: skip
    """Regression of one cell; see regressions_from_moments."""
    g = parents.shape[0]
    slopes = np.zeros(g + 1)  # as they remain where moments are not accurate enough
    mean, correction = moments.means[cell], moments.mean_corrections[cell]
    rss[cell], flags[cell] = fit_moments(
        moments.counts[cell], mean, moments.crosses[cell], y, parents, g, in_cells, np.empty((g + 1, g + 1)), slopes
    )
    intercept, small = mean[y], correction[y]
    for i in range(g):
        coefficients[cell, i + 1] = slopes[i]
        intercept -= slopes[i] * mean[parents[i]]
        small -= slopes[i] * correction[parents[i]]
    coefficients[cell, 0] = intercept + small


@jit_parallel
def regressions_from_moments(
    moments: Moments, y: int, parents: Ints32, in_cells: bool, coefficients: Floats, rss: Floats, flags: Ints32
) -> None:
    """Regress column y on parents in every cell, threads over cells. O(m g^3).

    parents : int32[g], positions among the columns; coefficients : float64[m, g + 1], intercept first;
    rss : float64[m]; flags : int32[m], FINE or NEEDS_ROWS (out)
    """
    for cell in prange(rss.shape[0]):
        _fit_cell(moments, cell, y, parents, in_cells, coefficients, rss, flags)


@jit
def _fit_rows(
    columns: Columns, which: Ints32, starts: Ints64, cell: int, in_cells: bool, coefficients: Floats, rss: Floats
) -> None:
    """Regression of one cell by QR; see regressions_from_rows."""
    c = which.shape[0]
    centre, slopes = np.empty(c), np.empty(c)
    rss[cell] = fit_qr(
        columns, which, starts[cell], starts[cell + 1], in_cells, centre, slopes,
        np.empty((c + 1, RUN_ROWS)),
    )  # fmt: skip
    coefficients[cell, 0] = centre[c - 1] + slopes[c - 1]
    for i in range(c - 1):
        coefficients[cell, i + 1] = slopes[i]
        coefficients[cell, 0] -= slopes[i] * centre[i]


@jit_parallel
def regressions_from_rows(
    columns: Columns, which: Ints32, starts: Ints64, in_cells: bool, coefficients: Floats, rss: Floats
) -> None:
    """Regress the last of the columns `which` on the others in every cell by QR, threads over cells. O(n (1 + g)^2).

    Columns are sorted by cell; starts : int64[m + 1]
    """
    for cell in prange(rss.shape[0]):
        _fit_rows(columns, which, starts, cell, in_cells, coefficients, rss)
