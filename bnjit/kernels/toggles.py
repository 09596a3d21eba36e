"""Scores of Gaussian nodes whose parent sets differ by one parent from given ones: many nodes in one batch.

Axis legend: r requests, each a node with its parents; b parents toggled, each in one of the requests; N nodes.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.regression import fit_moments
from bnjit.kernels.rules import NEEDS_ROWS, gaussian_loglik


class CellMoments(NamedTuple):
    """Moments of one cell that holds all rows.

    n : rows; mean : float64[N]; cross : float64[N (N + 1) / 2], centred cross-products, lower triangle
    """

    n: int
    mean: Floats
    cross: Floats


class Toggles(NamedTuple):
    """A batch: nodes : int32[r]; parents : int32[r, w], ascending; sizes : int64[r]; rows, which : int32[b]."""

    nodes: Ints32
    parents: Ints32
    sizes: Ints64
    rows: Ints32
    which: Ints32


@jit
def _toggle(parents: Ints32, size: int, x: int, out: Ints32) -> int:
    """Write a set without x if it is there, else with it, ascending, and return its size."""
    p = 0
    waiting = True
    for i in range(size):
        if waiting and parents[i] >= x:
            waiting = False
            if parents[i] == x:
                continue
            out[p] = x
            p += 1
        out[p] = parents[i]
        p += 1
    if waiting:
        out[p] = x
        p += 1
    return p


@jit
def _score(cell: CellMoments, toggles: Toggles, at: int, k: float, per_parent: float) -> float:
    """Penalised log-likelihood of one parent set; NaN where moments are not accurate enough. O(g^3)."""
    row = toggles.rows[at]
    parents = np.empty(toggles.sizes[row] + 1, np.int32)
    g = _toggle(toggles.parents[row], toggles.sizes[row], toggles.which[at], parents)
    if cell.n <= g + 1:
        return -np.inf
    rss, status = fit_moments(
        cell.n, cell.mean, cell.cross, toggles.nodes[row], parents, g, False, np.empty((g + 1, g + 1)),
        np.empty(g + 1),
    )  # fmt: skip
    if status == NEEDS_ROWS:
        return np.nan
    return gaussian_loglik(cell.n, cell.n - g - 1, rss) - (k * (g + 2) + per_parent * g)


@jit
def score_toggles(cell: CellMoments, toggles: Toggles, k: float, per_parent: float, out: Floats) -> None:
    """Score b parent sets. out : float64[b], NaN where a score needs rows. O(b g^3).

    One thread: a batch takes less time than waking others does.
    """
    for at in range(toggles.rows.shape[0]):
        out[at] = _score(cell, toggles, at, k, per_parent)
