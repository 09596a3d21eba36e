"""Networks as models of the package pgmpy, which has further algorithms for inference."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import ArgumentError
from bnjit.network.nodes import DiscreteNode, GaussianNode, find_cells
from bnjit.network.tuning import MOST_PGMPY_ENTRIES

if TYPE_CHECKING:
    from bnjit.network.network import Network


def to_pgmpy(network: "Network") -> Any:
    """Model of pgmpy with the same structure and parameters: discrete or linear Gaussian."""
    if any(network.discrete) and not all(network.discrete):
        raise ArgumentError("to_pgmpy: pgmpy has no conditional Gaussian networks; this one has columns of both kinds")
    try:
        from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork
    except ImportError:
        raise ArgumentError("to_pgmpy: the package pgmpy is missing; pip install 'bnjit[pgmpy]'") from None
    model = (DiscreteBayesianNetwork if any(network.discrete) else LinearGaussianBayesianNetwork)()
    model.add_nodes_from(network.names)
    model.add_edges_from(network.dag.edges)
    for j, node in enumerate(network.nodes):
        model.add_cpds(_table(network, j, node) if isinstance(node, DiscreteNode) else _regression(network, j, node))
    return model


def _table(network: "Network", j: int, node: DiscreteNode) -> Any:
    """Full probability table; configurations without parameters have those that sampling uses."""
    from pgmpy.factors.discrete import TabularCPD

    names = {v: network.names[v] for v in (j, *node.parents)}
    q = int(np.prod([network.levels[p] for p in node.parents], dtype=object))
    if q * network.levels[j] > MOST_PGMPY_ENTRIES:
        raise ArgumentError(
            f"to_pgmpy: the probability table of {names[j]!r} would have {q * network.levels[j]} values"
        )
    values = node.with_fallback()[find_cells(node.keys, np.arange(q))]
    return TabularCPD(
        names[j], network.levels[j], values.T, [names[p] for p in node.parents] or None,
        [network.levels[p] for p in node.parents] or None,
        state_names={names[v]: list(network.labels[v] or ()) for v in names},
    )  # fmt: skip


def _regression(network: "Network", j: int, node: GaussianNode) -> Any:
    from pgmpy.factors.continuous import LinearGaussianCPD

    coefficients, sd = node.with_fallback()  # the one cell, or the fallback where there was none
    parents = [network.names[p] for p in node.continuous]
    return LinearGaussianCPD(network.names[j], coefficients[0].tolist(), float(sd[0]), parents)
