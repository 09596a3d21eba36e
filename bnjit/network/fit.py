"""Fit the parameters of a network, from the same Cells as the scores."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.data.schema import Schema
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import TOLERANCE
from bnjit.network.network import Network
from bnjit.network.nodes import DiscreteNode, GaussianNode
from bnjit.stats import Cells, Store, cells_for, roll_up
from bnjit.stats.graph_statistics import family_request, node_regressions
from bnjit.stats.regressions import CellFits, Regression, fit_regressions, fit_smoothed
from bnjit.stats.store import in_own_units, scale_of


def fit_network(
    stores: Store | Sequence[Store], parents: Sequence[tuple[int, ...]], prior_rows: float = 0.0
) -> Network:
    """Network with the parameters that the data say.

    Parameters
    ----------
    stores : Store, or one for each column
        The statistics, or those of the rows that each column is fitted to.
    parents : sequence of tuples
        Parents of each column, ascending.
    prior_rows : float
        Imaginary rows for Bayesian smoothing, 0 for maximum likelihood. A discrete node's are spread evenly over its
        configurations and levels, so that all levels are alike where nothing was observed; a continuous node's, in
        every configuration, are like the average of all rows.
    """
    if isinstance(stores, Store):
        stores = [in_own_units(stores)] * len(parents)
    schema, scale = stores[0].schema, scale_of(stores[0])
    requests = [family_request(schema, node, parents[node]) for node in range(len(schema.names))]
    found = cells_for(list(zip(stores, requests, strict=True)))
    tables = [cells.narrow(one.columns) for cells, one in zip(found, requests, strict=True)]
    continuous = [node for node in range(len(schema.names)) if not schema.discrete[node]]
    pairs = {node: node_regressions(schema, node, parents[node], tables[node]) for node in continuous}
    fallbacks = _fit_each(stores, {node: pairs[node][1] for node in continuous})
    if prior_rows:
        own = [_smoothed(pairs[node][0], prior_rows) for node in continuous]
        fits = [fit_smoothed(regression) for regression in own]
    else:
        own = [pairs[node][0] for node in continuous]
        fits = _fit_each(stores, {node: pairs[node][0] for node in continuous})
    nodes: dict[int, DiscreteNode | GaussianNode] = {}
    for node, regression, fit, fallback in zip(continuous, own, fits, fallbacks, strict=True):
        nodes[node] = _gaussian_node(regression, fit, pairs[node][1], fallback, prior_rows, scale)
    for node in np.flatnonzero(schema.discrete).tolist():
        nodes[node] = _fit_discrete(schema, node, parents[node], tables[node], prior_rows)
    return Network(schema.names, schema.labels, [nodes[node] for node in range(len(schema.names))])


def _fit_each(stores: Sequence[Store], regressions: dict[int, Regression]) -> list[CellFits]:
    """Fit the regressions of nodes, those with the same rows together; in the order of the nodes."""
    by_store: dict[Store, list[int]] = {}
    for node in regressions:
        by_store.setdefault(stores[node], []).append(node)
    fits: dict[int, CellFits] = {}
    for store, nodes in by_store.items():
        fits.update(zip(nodes, fit_regressions(store, [regressions[node] for node in nodes]), strict=True))
    return [fits[node] for node in regressions]


def _fit_discrete(schema: Schema, node: int, parents: tuple[int, ...], cells: Cells, prior_rows: float) -> DiscreteNode:
    r = schema.levels[node]
    at = cells.variables.index(node)
    stride = schema.configurations(cells.variables[at + 1 :])
    high, low = np.divmod(cells.keys, stride * r)
    level, low = np.divmod(low, stride)
    keys, cell = np.unique(high * stride + low, return_inverse=True)
    counts = np.zeros((len(keys), r))
    counts[cell, level] = cells.counts
    q = schema.configurations(parents)
    smoothed = counts + prior_rows / (r * q)
    margin = np.ones(r) if prior_rows else counts.sum(axis=0)
    return DiscreteNode(parents, keys, smoothed / smoothed.sum(axis=1, keepdims=True), margin / margin.sum())


def _gaussian_node(
    own: Regression, fit: CellFits, pooled: Regression, fallback: CellFits, prior_rows: float, scale: Floats
) -> GaussianNode:
    """Parameters of a continuous node; a configuration with too few rows, or where it is constant, has none.

    scale : what columns were multiplied by; parameters are those of the columns as they are
    """
    cells, g = own.cells, len(own.parents)
    degrees = np.maximum(cells.counts + prior_rows - g - 1, 0.0)
    sd = np.sqrt(fit.rss / np.where(degrees > 0, degrees, np.inf))
    fitted = sd >= TOLERANCE
    n, used = pooled.cells.counts[0].item(), len(pooled.parents)
    average = np.zeros(g + 2)
    average[: used + 1] = fallback.coefficients[0]
    average[-1] = np.sqrt(fallback.rss[0] / max(n - used - 1, 1))
    units = np.array([1.0, *scale[list(own.parents)], 1.0]) / scale[own.node]  # of intercept, slopes and deviation
    coefficients, sd = fit.coefficients * units[:-1], sd * units[-1]
    average *= units
    return GaussianNode(cells.variables, own.parents, cells.keys[fitted], coefficients[fitted], sd[fitted], average)


def _smoothed(own: Regression, rows: float) -> Regression:
    """Add to every cell `rows` imaginary rows with the average moments; counts stay those of the data."""
    cells, whole = own.cells, own.cells if not own.cells.variables else roll_up(own.cells, ())
    n = cells.counts[:, None]
    away = (whole.means - cells.means) + (whole.moments.mean_corrections - cells.moments.mean_corrections)
    i, j = np.tril_indices(len(cells.columns))
    crosses = (
        cells.crosses + whole.crosses * (rows / whole.counts[0]) + (n * rows / (n + rows)) * away[:, i] * away[:, j]
    )
    moments = Moments(cells.counts, cells.means + away * rows / (n + rows), cells.moments.mean_corrections, crosses)
    return own._replace(cells=cells._replace(moments=moments))
