"""Fit the parameters of a network, from the same Cells as the scores."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.moments import Moments
from bnjit.kernels.parameters import regressions_from_moments, regressions_from_rows
from bnjit.kernels.regression import NEEDS_ROWS, TOLERANCE
from bnjit.network.network import Network
from bnjit.network.nodes import DiscreteNode, GaussianNode
from bnjit.stats import Cells, Request, Store, roll_up
from bnjit.stats.sorting import sort_rows


def fit_network(store: Store, parents: Sequence[tuple[int, ...]], prior_rows: float = 0.0) -> Network:
    """Network with the parameters that the data say.

    Parameters
    ----------
    store : Store
        The statistics.
    parents : sequence of tuples
        Parents of each column, ascending.
    prior_rows : float
        Imaginary rows for Bayesian smoothing, 0 for maximum likelihood. A discrete node's are spread evenly over its
        configurations and levels; a continuous node's, in every configuration, are like the average of all rows.
    """
    table = store.table
    nodes = [
        (_fit_discrete if table.discrete[node] else _fit_gaussian)(store, node, parents[node], prior_rows)
        for node in range(len(table.names))
    ]
    return Network(table.names, tuple(column.labels for column in table.columns), nodes)


def _fit_discrete(store: Store, node: int, parents: tuple[int, ...], prior_rows: float) -> DiscreteNode:
    table = store.table
    r = table.levels[node]
    (cells,) = store.get([Request(tuple(sorted((*parents, node))))])
    at = cells.variables.index(node)
    stride = table.configurations(cells.variables[at + 1 :])
    high, low = np.divmod(cells.keys, stride * r)
    level, low = np.divmod(low, stride)
    keys, cell = np.unique(high * stride + low, return_inverse=True)
    counts = np.zeros((len(keys), r))
    counts[cell, level] = cells.counts
    q = table.configurations(parents)
    smoothed = counts + prior_rows / (r * q)
    margin = counts.sum(axis=0) + prior_rows / r
    return DiscreteNode(parents, keys, smoothed / smoothed.sum(axis=1, keepdims=True), margin / margin.sum())


def _fit_gaussian(store: Store, node: int, parents: tuple[int, ...], prior_rows: float) -> GaussianNode:
    table = store.table
    discrete = tuple(v for v in parents if table.discrete[v])
    continuous = tuple(v for v in parents if not table.discrete[v])
    g = len(continuous)
    (cells,) = store.get([Request(discrete, tuple(sorted((*continuous, node))))])
    cells = cells.narrow(tuple(sorted((*continuous, node))))
    pooled = roll_up(cells, ()) if discrete else cells
    if prior_rows:
        cells = _smoothed(cells, pooled, prior_rows)
    degrees = np.maximum(cells.counts + prior_rows - g - 1, 0.0)
    coefficients, rss = _regressions(store, node, continuous, cells, smoothed=prior_rows > 0)
    sd = np.sqrt(rss / np.where(degrees > 0, degrees, np.inf))
    fitted = sd >= TOLERANCE
    average, average_rss = _regressions(store, node, continuous, pooled, smoothed=False)
    spare = max(int(pooled.counts[0]) - g - 1, 1)
    fallback = np.append(average[0], np.sqrt(average_rss[0] / spare))
    return GaussianNode(discrete, continuous, cells.keys[fitted], coefficients[fitted], sd[fitted], fallback)


def _regressions(
    store: Store, node: int, continuous: tuple[int, ...], cells: Cells, smoothed: bool
) -> tuple[Floats, Floats]:
    """Coefficients and residual sums of squares of all cells; from rows by QR where moments cannot vouch for them."""
    m, g = len(cells.keys), len(continuous)
    coefficients, rss, flags = np.empty((m, g + 1)), np.empty(m), np.empty(m, np.int32)
    in_cells = bool(cells.variables)
    parents = np.array([cells.columns.index(v) for v in continuous], np.int32)
    regressions_from_moments(cells.moments, cells.columns.index(node), parents, in_cells, coefficients, rss, flags)
    doubtful = np.flatnonzero((flags == NEEDS_ROWS) & (cells.counts > g + 1))
    if len(doubtful) and not smoothed:
        again, again_rss = np.empty((len(doubtful), g + 1)), np.empty(len(doubtful))
        rows = sort_rows(store.table, store.members(cells.variables), (*continuous, node), doubtful)
        which = np.array([*continuous, node], np.int32)
        regressions_from_rows(rows.columns, which, rows.starts, in_cells, again, again_rss)
        coefficients[doubtful], rss[doubtful] = again, again_rss
    return coefficients, rss


def _smoothed(cells: Cells, pooled: Cells, rows: float) -> Cells:
    """Add to every cell `rows` imaginary rows with the average moments; counts stay those of the data."""
    n = cells.counts[:, None]
    away = (pooled.means - cells.means) + (pooled.moments.lows - cells.moments.lows)
    i, j = np.tril_indices(len(cells.columns))
    crosses = (
        cells.crosses + pooled.crosses * (rows / pooled.counts[0]) + (n * rows / (n + rows)) * away[:, i] * away[:, j]
    )
    return cells._replace(
        moments=Moments(cells.counts, cells.means + away * rows / (n + rows), cells.moments.lows, crosses)
    )
