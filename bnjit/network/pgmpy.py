"""Networks as models of the package pgmpy, which has further algorithms for inference, and back."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import ArgumentError, warn
from bnjit.network.conversions import network_of, regression_node, table_node
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


def from_pgmpy(model: Any) -> "Network":
    """Network with the structure and parameters of a model of the package pgmpy (extra `pgmpy`).

    Parameters
    ----------
    model : DiscreteBayesianNetwork or LinearGaussianBayesianNetwork
        Every node must have a distribution. A mark that a node is latent is lost, with a warning.

    Returns
    -------
    Network

    Examples
    --------
    >>> import warnings
    >>> import bnjit
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # pgmpy warns of itself
    ...     model = bnjit.datasets.small_gaussian().to_pgmpy()
    >>> bnjit.from_pgmpy(model)
    bnjit.Network: 7 nodes (0 discrete, 7 continuous), 7 arcs
    """
    try:
        from pgmpy.factors.continuous import LinearGaussianCPD
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork
    except ImportError:
        raise ArgumentError("from_pgmpy: the package pgmpy is missing; pip install 'bnjit[pgmpy]'") from None
    if not isinstance(model, DiscreteBayesianNetwork | LinearGaussianBayesianNetwork):
        raise ArgumentError(
            f"model={type(model).__name__}: from_pgmpy takes a DiscreteBayesianNetwork or a "
            "LinearGaussianBayesianNetwork of pgmpy"
        )
    names = list(model.nodes())
    found = {cpd.variable: cpd for cpd in model.get_cpds()}
    expected = TabularCPD if isinstance(model, DiscreteBayesianNetwork) else LinearGaussianCPD
    for name in names:
        if type(found.get(name)) is not expected:
            raise ArgumentError(f"from_pgmpy: node {name!r} has no {expected.__name__}; add one with model.add_cpds")
        parents = list(found[name].variables[1:])
        if set(parents) != set(model.predecessors(name)):
            raise ArgumentError(f"from_pgmpy: the distribution of {name!r} has other parents than the graph: {parents}")
    if getattr(model, "latents", None):
        warn(f"from_pgmpy: that {', '.join(map(str, sorted(model.latents, key=str)[:5]))} are latent is lost")
    if expected is LinearGaussianCPD:
        return _from_regressions(names, found)
    return _from_tables(names, found)


def _from_regressions(names: list[Any], cpds: dict[Any, Any]) -> "Network":
    nodes = []
    for name in names:
        cpd = cpds[name]
        parents = [names.index(p) for p in cpd.evidence]
        nodes.append(regression_node("from_pgmpy", name, cpd.beta[0], list(cpd.beta[1:]), parents, cpd.std))
    return network_of("from_pgmpy", names, [None] * len(names), nodes)


def _from_tables(names: list[Any], cpds: dict[Any, Any]) -> "Network":
    labels = [tuple(cpds[name].state_names[name]) for name in names]
    nodes = []
    for j, name in enumerate(names):
        cpd = cpds[name]
        parents = [names.index(p) for p in cpd.variables[1:]]
        table = np.asarray(cpd.values, np.float64)
        for axis, p in enumerate(parents, 1):  # each table may list the states of a parent in its own order
            states = list(cpd.state_names[names[p]])
            if len(states) != len(labels[p]) or set(states) != set(labels[p]):
                raise ArgumentError(
                    f"from_pgmpy: the table of {name!r} has the states {states} for {names[p]!r}, whose own are "
                    f"{list(labels[p])}"
                )
            table = np.take(table, [states.index(label) for label in labels[p]], axis)
        levels = [len(labels[p]) for p in [*parents, j]]
        nodes.append(table_node("from_pgmpy", name, np.moveaxis(table, 0, -1), parents, levels))
    return network_of("from_pgmpy", names, labels, nodes)
