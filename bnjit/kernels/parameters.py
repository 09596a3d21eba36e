"""Parameters of continuous nodes: one regression per cell.

Axis legend: m cells; g continuous parents; c columns.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.moments import Moments
from bnjit.kernels.regression import fit_moments


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


@jit
def regressions_from_moments(
    first: int, last: int, moments: Moments, y: int, parents: Ints32, in_cells: bool, coefficients: Floats, rss: Floats,
    flags: Ints32,
) -> None:  # fmt: skip
    """Regress column y on parents in cells first ... last - 1. O(g^3) each.

    parents : int32[g], positions among the columns; coefficients : float64[m, g + 1], intercept first;
    rss : float64[m]; flags : int32[m], FINE or NEEDS_ROWS (out)
    """
    for cell in range(first, last):
        _fit_cell(moments, cell, y, parents, in_cells, coefficients, rss, flags)
