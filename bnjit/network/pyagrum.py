"""Networks as models of the package pyAgrum, and back: BayesNet if they are discrete, CLG if they are Gaussian."""

import math
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import ArgumentError, warn
from bnjit.network.conversions import network_of, regression_node, table_node
from bnjit.network.nodes import DiscreteNode, GaussianNode, find_cells
from bnjit.network.tuning import MOST_PGMPY_ENTRIES

if TYPE_CHECKING:
    from bnjit.network.network import Network


def import_part(module: str, what: str) -> Any:
    """Import a module of pyAgrum, which warns of itself, and crashes where warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return import_module(module)
        except ImportError:
            raise ArgumentError(f"{what}: the package pyagrum is missing; pip install 'bnjit[pyagrum]'") from None


def to_pyagrum(network: "Network") -> Any:
    """Model of pyAgrum with the same structure and parameters."""
    if any(network.discrete) and not all(network.discrete):
        first = network.names[network.discrete.index(False)]
        raise ArgumentError(
            f"to_pyagrum: pyAgrum has discrete and Gaussian networks, and none with both; {first!r} and others are "
            "continuous. network.query answers for mixed networks"
        )
    pyagrum: Any = import_part("pyagrum", "to_pyagrum")
    names = [str(name) for name in network.names]
    if len(set(names)) < len(names) or "" in names:
        raise ArgumentError("to_pyagrum: pyAgrum's names are texts; two nodes have the same one, or one has none")
    if not all(network.discrete):
        return _to_clg(network, names)
    changed = [
        name for name, own in zip(names, network.labels, strict=True) if any(type(v) is not str for v in own or ())
    ]
    if changed:
        warn(f"to_pyagrum: pyAgrum's levels are texts; those of {', '.join(changed[:5])} are no longer what they were")
    model = pyagrum.BayesNet("bnjit")
    for name, labels in zip(names, network.labels, strict=True):
        texts = [str(label) for label in labels or ()]
        if len(set(texts)) < len(texts):
            raise ArgumentError(f"to_pyagrum: two levels of {name!r} are the same as texts")
        model.add(pyagrum.LabelizedVariable(name, name, texts))
    for j, node in enumerate(network.nodes):
        for p in node.parents:
            model.addArc(names[p], names[j])
        assert isinstance(node, DiscreteNode)
        _fill(model.cpt(names[j]), network, j, node, names)
    return model


def _fill(cpt: Any, network: "Network", j: int, node: DiscreteNode, names: list[str]) -> None:
    """Give a node its full table; configurations without parameters have those that sampling uses."""
    lengths = [network.levels[p] for p in node.parents]
    q = math.prod(lengths)
    if q * network.levels[j] > MOST_PGMPY_ENTRIES:
        raise ArgumentError(f"to_pyagrum: the table of {names[j]!r} would have {q * network.levels[j]} values")
    rows = node.with_fallback()[find_cells(node.keys, np.arange(q))].reshape(*lengths, network.levels[j])
    # pyAgrum's arrays have the axes of its variables in reverse.
    own = [*(names[p] for p in node.parents), names[j]]
    cpt[:] = np.ascontiguousarray(rows.transpose([own.index(name) for name in reversed(cpt.names)]))


def _to_clg(network: "Network", names: list[str]) -> Any:
    clg = import_part("pyagrum.clg", "to_pyagrum")
    model, lost = clg.CLG(), []
    for name, node in zip(names, network.nodes, strict=True):
        assert isinstance(node, GaussianNode)
        coefficients, sd = node.with_fallback()
        model.add(clg.GaussianVariable(name, float(coefficients[0, 0]), float(sd[0])))
    for name, node in zip(names, network.nodes, strict=True):
        assert isinstance(node, GaussianNode)
        for p, slope in zip(node.continuous, node.with_fallback()[0][0, 1:].tolist(), strict=True):
            if slope == 0.0:
                lost.append(f"{names[p]} -> {name}")
            else:
                model.addArc(names[p], name, slope)
    if lost:
        warn(f"to_pyagrum: pyAgrum has no arcs with a coefficient of 0, so that these are lost: {', '.join(lost[:5])}")
    return model


def from_pyagrum(model: Any) -> "Network":
    """Network with the structure and parameters of a model of the package pyAgrum (extra `pyagrum`).

    Parameters
    ----------
    model : pyagrum.BayesNet or pyagrum.clg.CLG
        Levels are pyAgrum's labels, which are texts, also where a variable stands for integers or intervals.

    Returns
    -------
    Network

    Examples
    --------
    >>> import bnjit
    >>> network = bnjit.datasets.small_discrete()
    >>> bnjit.from_pyagrum(network.to_pyagrum())
    bnjit.Network: 8 nodes (8 discrete, 0 continuous), 8 arcs
    """
    pyagrum: Any = import_part("pyagrum", "from_pyagrum")
    if isinstance(model, import_part("pyagrum.clg", "from_pyagrum").CLG):
        return _from_clg(model)
    if not isinstance(model, pyagrum.BayesNet):
        raise ArgumentError(f"model={type(model).__name__}: from_pyagrum takes a pyagrum.BayesNet or a pyagrum.clg.CLG")
    ids = sorted(model.nodes())
    names = [model.variable(i).name() for i in ids]
    labels = [tuple(model.variable(i).labels()) for i in ids]
    position = {name: j for j, name in enumerate(names)}
    nodes = []
    for i, name in zip(ids, names, strict=True):
        cpt = model.cpt(i)
        own = list(reversed(cpt.names))  # the axes of the array, of which the last is the node
        parents = [position[p] for p in own if p != name]
        table = np.moveaxis(cpt.toarray(), own.index(name), -1)
        levels = [len(labels[p]) for p in [*parents, position[name]]]
        nodes.append(table_node("from_pyagrum", name, table, parents, levels))
    return network_of("from_pyagrum", names, labels, nodes)


def _from_clg(model: Any) -> "Network":
    ids = sorted(model.nodes())
    names = [model.name(i) for i in ids]
    nodes = []
    for i, name in zip(ids, names, strict=True):
        variable, parents = model.variable(i), sorted(model.parents(i))
        slopes = [model.coefArc(p, i) for p in parents]
        at = [ids.index(p) for p in parents]
        nodes.append(regression_node("from_pyagrum", name, variable.mu(), slopes, at, variable.sigma()))
    return network_of("from_pyagrum", names, [None] * len(names), nodes)
