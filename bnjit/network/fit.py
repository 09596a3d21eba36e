"""Fit the parameters of a network, from the same Cells as the scores."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.moments import Moments
from bnjit.kernels.parameters import regressions_from_moments, regressions_from_rows
from bnjit.kernels.rules import GUARD, NEEDS_ROWS, TOLERANCE
from bnjit.kernels.triangles import regressions_from_triangles
from bnjit.network.network import Network
from bnjit.network.nodes import DiscreteNode, GaussianNode
from bnjit.stats import Cells, Request, Store, Want, fetch, roll_up
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
        configurations and levels, so that all levels are alike where nothing was observed; a continuous node's, in
        every configuration, are like the average of all rows.
    """
    table = store.table
    fetch([Want(store, [_request(store, node, parents[node]) for node in range(len(table.names))])])
    nodes = [
        (_fit_discrete if table.discrete[node] else _fit_gaussian)(store, node, parents[node], prior_rows)
        for node in range(len(table.names))
    ]
    return Network(table.names, table.labels, nodes)


def _request(store: Store, node: int, parents: tuple[int, ...]) -> Request:
    """Return what a node is fitted from."""
    if store.table.discrete[node]:
        return Request(tuple(sorted((*parents, node))))
    discrete = tuple(v for v in parents if store.table.discrete[v])
    return Request(discrete, tuple(sorted({*parents, node} - set(discrete))))


def _fit_discrete(store: Store, node: int, parents: tuple[int, ...], prior_rows: float) -> DiscreteNode:
    table = store.table
    r = table.levels[node]
    (cells,) = store.get([_request(store, node, parents)])
    at = cells.variables.index(node)
    stride = table.configurations(cells.variables[at + 1 :])
    high, low = np.divmod(cells.keys, stride * r)
    level, low = np.divmod(low, stride)
    keys, cell = np.unique(high * stride + low, return_inverse=True)
    counts = np.zeros((len(keys), r))
    counts[cell, level] = cells.counts
    q = table.configurations(parents)
    smoothed = counts + prior_rows / (r * q)
    margin = np.ones(r) if prior_rows else counts.sum(axis=0)
    return DiscreteNode(parents, keys, smoothed / smoothed.sum(axis=1, keepdims=True), margin / margin.sum())


def _fit_gaussian(store: Store, node: int, parents: tuple[int, ...], prior_rows: float) -> GaussianNode:
    table = store.table
    discrete = tuple(v for v in parents if table.discrete[v])
    continuous = tuple(v for v in parents if not table.discrete[v])
    g = len(continuous)
    (cells,) = store.get([_request(store, node, parents)])
    cells = cells.narrow(tuple(sorted((*continuous, node))))
    pooled = roll_up(cells, ()) if discrete else cells
    if prior_rows:
        cells = _smoothed(cells, pooled, prior_rows)
    degrees = np.maximum(cells.counts + prior_rows - g - 1, 0.0)
    coefficients, rss = _regressions(store, node, continuous, cells, smoothed=prior_rows > 0)
    sd = np.sqrt(rss / np.where(degrees > 0, degrees, np.inf))
    fitted = sd >= TOLERANCE
    fallback = _fallback(store, node, continuous, pooled)
    return GaussianNode(discrete, continuous, cells.keys[fitted], coefficients[fitted], sd[fitted], fallback)


def _fallback(store: Store, node: int, continuous: tuple[int, ...], pooled: Cells) -> Floats:
    """Regression of all rows and its deviation; mean and deviation where the rows are too few for it."""
    n = int(pooled.counts[0])
    used = continuous if n > len(continuous) + 1 else ()
    average, rss = _regressions(store, node, used, pooled.narrow(tuple(sorted((*used, node)))), smoothed=False)
    fallback = np.zeros(len(continuous) + 2)
    fallback[: len(used) + 1] = average[0]
    fallback[-1] = np.sqrt(rss[0] / max(n - len(used) - 1, 1))
    return fallback


def _regressions(
    store: Store, node: int, continuous: tuple[int, ...], cells: Cells, smoothed: bool
) -> tuple[Floats, Floats]:
    """Coefficients and residual sums of squares of all cells; from rows by QR where moments cannot vouch for them."""
    m, g = len(cells.keys), len(continuous)
    coefficients, rss, flags = np.empty((m, g + 1)), np.empty(m), np.empty(m, np.int32)
    in_cells = bool(cells.variables)
    parents = np.array([cells.columns.index(v) for v in continuous], np.int32)
    regressions_from_moments(cells.moments, cells.columns.index(node), parents, in_cells, coefficients, rss, flags)
    doubtful = np.flatnonzero((flags == NEEDS_ROWS) & (smoothed | (cells.counts > g + 1)))
    if smoothed:
        for cell in doubtful.tolist():
            # Up to two parents, moments are sure of those that they drop.
            sure = [v for v, b in zip(continuous, coefficients[cell, 1:], strict=True) if g > 2 or b]
            coefficients[cell], rss[cell] = _without_doubtful(cells, cell, node, continuous, sure)
    elif len(doubtful):
        again, again_rss = np.empty((len(doubtful), g + 1)), np.empty(len(doubtful))
        if store.at_hand(cells.variables, doubtful):
            table, members, some = store.rows(cells.variables, doubtful)
            rows = sort_rows(table, members, (*continuous, node), some)
            which = np.array([*continuous, node], np.int32)
            regressions_from_rows(rows.columns, which, rows.starts, in_cells, again, again_rss)
        else:
            found = store.triangles(cells.variables, doubtful, tuple(sorted((*continuous, node))))
            places = np.array([found.columns.index(v) for v in (*continuous, node)], np.int32)
            regressions_from_triangles(found.triangles, places, in_cells, again, again_rss)
        coefficients[doubtful], rss[doubtful] = again, again_rss
    return coefficients, rss


def _without_doubtful(
    cells: Cells, cell: int, node: int, continuous: tuple[int, ...], candidates: list[int]
) -> tuple[Floats, float]:
    """Regression of a cell on those candidates that rounding does not hide: imaginary rows cannot be read again.

    What is left of a column counts as nothing where `fit_moments` would ask for rows.
    """
    c = len(cells.columns)
    cross = np.zeros((c, c))
    lower = np.tril_indices(c)
    cross[lower] = cross.T[lower] = cells.crosses[cell]
    mean, y = cells.means[cell] + cells.moments.mean_corrections[cell], cells.columns.index(node)

    def regress(v: int, given: list[int]) -> tuple[Floats, float]:
        slopes: Floats = np.linalg.solve(cross[np.ix_(given, given)], cross[given, v]).astype(np.float64)
        left = float(cross[v, v] - slopes @ cross[given, v])
        return slopes, left if left > GUARD * TOLERANCE * cross[v, v] else 0.0

    kept: list[int] = []
    for v in map(cells.columns.index, candidates):
        if regress(v, kept)[1] > 4.0 * TOLERANCE**2 * cells.counts[cell] * mean[v] ** 2:
            kept.append(v)
    slopes, rss = regress(y, kept)
    coefficients = np.zeros(len(continuous) + 1)
    coefficients[[1 + continuous.index(cells.columns[v]) for v in kept]] = slopes
    coefficients[0] = mean[y] - slopes @ mean[kept]
    return coefficients, rss


def _smoothed(cells: Cells, pooled: Cells, rows: float) -> Cells:
    """Add to every cell `rows` imaginary rows with the average moments; counts stay those of the data."""
    n = cells.counts[:, None]
    away = (pooled.means - cells.means) + (pooled.moments.mean_corrections - cells.moments.mean_corrections)
    i, j = np.tril_indices(len(cells.columns))
    crosses = (
        cells.crosses + pooled.crosses * (rows / pooled.counts[0]) + (n * rows / (n + rows)) * away[:, i] * away[:, j]
    )
    return cells._replace(
        moments=Moments(cells.counts, cells.means + away * rows / (n + rows), cells.moments.mean_corrections, crosses)
    )
