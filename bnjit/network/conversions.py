"""Distributions of other packages' models as nodes of a network; errors name the node and say what is wrong."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import ArgumentError, GraphError
from bnjit.network.nodes import DiscreteNode, GaussianNode, Node

if TYPE_CHECKING:
    from bnjit.network.network import Network


def table_node(source: str, name: Hashable, table: Any, parents: Sequence[int], levels: Sequence[int]) -> DiscreteNode:
    """Multinomial node of a full table, whose axes are the parents in the order given and last the node itself.

    `levels` is how many levels the parents have and, last, the node.
    """
    rows = np.asarray(table, np.float64)
    if rows.shape != tuple(levels):
        raise ArgumentError(
            f"{source}: the table of {name!r} has the shape {rows.shape}, and must have {tuple(levels)}"
        )
    rows = rows.transpose([*np.argsort(parents), len(parents)]).reshape(-1, levels[-1])
    sums = rows.sum(axis=1, keepdims=True)
    if not np.all(rows >= 0) or not np.allclose(sums, 1.0, atol=1e-3):
        raise ArgumentError(f"{source}: the probabilities of {name!r} are missing, negative or do not sum to 1")
    rows = rows / sums
    return DiscreteNode(tuple(sorted(parents)), np.arange(len(rows)), rows, rows.mean(axis=0))


def regression_node(
    source: str, name: Hashable, intercept: Any, slopes: Sequence[Any], parents: Sequence[int], sd: Any
) -> GaussianNode:
    """Gaussian node without discrete parents, from the slopes of its parents in the order given."""
    order = sorted(range(len(parents)), key=parents.__getitem__)
    found = np.array([intercept, *(slopes[i] for i in order), sd], np.float64)
    if not np.isfinite(found).all() or found[-1] < 0:
        raise ArgumentError(f"{source}: the parameters of {name!r} are not finite, or its deviation is negative")
    return GaussianNode((), tuple(sorted(parents)), np.zeros(1, np.int64), found[None, :-1], found[-1:], found)


def network_of(
    source: str, names: Sequence[Hashable], labels: Sequence[tuple[Hashable, ...] | None], nodes: Sequence[Node]
) -> "Network":
    """Network of nodes; a cycle is an error of the argument."""
    from bnjit.network.network import Network

    for name, own in zip(names, labels, strict=True):
        if own is not None and len(set(own)) < len(own):
            raise ArgumentError(f"{source}: {name!r} has a level twice")
    try:
        return Network(names, labels, nodes)
    except GraphError as error:
        raise ArgumentError(f"{source}: {error}") from None
