"""What a page to explore shows of the nodes of a network: distributions, from rows that it draws, and parameters."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.explore import Bars, Histogram, NodeDetails, ParameterTable
from bnjit.explore.tuning import MOST_LEVELS, MOST_ROWS
from bnjit.network.nodes import DiscreteNode
from bnjit.network.parameters import parameter_table
from bnjit.network.sampling import draw_rows
from bnjit.network.tuning import DRAWN_BINS, DRAWN_ROWS, DRAWN_TAIL

if TYPE_CHECKING:
    from bnjit.network.network import Network

SOURCE = f"in {DRAWN_ROWS:,} rows drawn from the network"


def describe_nodes(network: "Network") -> list[NodeDetails]:
    """Details of every node, in their order.

    Examples
    --------
    >>> from bnjit.datasets import small_mixed
    >>> details = describe_nodes(small_mixed())
    >>> details[0].distribution.levels, details[0].parameters.total
    (['b', 'a'], 1)
    """
    details = []
    for j, column in enumerate(draw_rows(network, DRAWN_ROWS, seed=1).columns):
        made = _histogram(column.values) if column.labels is None else _bars(column.labels, column.values)
        details.append(NodeDetails(made, _parameters(network, j), SOURCE))
    return details


def _bars(labels: tuple[Any, ...], codes: Any) -> Bars:
    """The most probable levels."""
    shares = np.bincount(codes, minlength=len(labels)) / len(codes)
    best = np.argsort(-shares, kind="stable")[:MOST_LEVELS]
    return Bars([labels[k] for k in best], shares[best].tolist(), len(labels) - len(best))


def _histogram(values: Any) -> Histogram | None:
    """Bins between the tails; a node that is constant has one."""
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    low, high = np.quantile(values, [DRAWN_TAIL, 1 - DRAWN_TAIL])
    bins = DRAWN_BINS if high - low > 1e-9 * max(abs(low), abs(high)) else 1
    counts, edges = np.histogram(values, bins, (low, high) if bins > 1 else None)
    if bins == 1:
        edges = np.array([low, low])
    return Histogram(edges.tolist(), (counts / len(values)).tolist(), float(values.mean()), float(values.std()))


def _parameters(network: "Network", j: int) -> ParameterTable:
    """The first configurations and levels of a node."""
    node = network.nodes[j]
    discrete = isinstance(node, DiscreteNode)
    conditions = node.parents if isinstance(node, DiscreteNode) else node.discrete
    table = parameter_table(network, j, MOST_ROWS)
    width = len(conditions) + MOST_LEVELS if discrete else table.shape[1]
    columns = list(table.columns[:width])
    rows = list(zip(*(table.iloc[:, k].tolist() for k in range(len(columns))), strict=True))
    unseen = math.prod(network.levels[p] for p in conditions) - len(node.keys)
    return ParameterTable(columns, len(conditions), rows, len(node.keys), unseen, table.shape[1] - len(columns))
