"""Likelihood of rows, and prediction of a node from others."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit.data import Column, Table, type_columns
from bnjit.data.column import code_type
from bnjit.errors import ArgumentError, DataError, check_count
from bnjit.network.nodes import DiscreteNode, GaussianNode, find_cells
from bnjit.network.sampling import as_categorical, as_table, configuration_keys, draw_node, empty_columns

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network

BATCH = 1 << 19  # rows that likelihood weighting draws at a time


def read_evidence(network: "Network", data: Any) -> tuple[Table, list[bool]]:
    """Rows of a table as codes and numbers of the network's nodes, and which of them the table has.

    Nodes that are not among the columns are zeros; columns that are no nodes are ignored.
    """
    labelled = [name for name, discrete in zip(network.names, network.discrete, strict=True) if discrete]
    given = type_columns(data, labelled, if_there=True)
    columns, present = empty_columns(network, given.n), [name in given.names for name in network.names]
    for j, name in enumerate(network.names):
        if present[j]:
            columns[j] = _values(network, j, name, given.columns[given.index(name)])
    return as_table(network, columns), present


def _values(network: "Network", j: int, name: Hashable, column: Column) -> NDArray[Any]:
    """Values of a column in the terms of node j."""
    labels = network.labels[j]
    if labels is None:
        if column.labels is not None:
            raise DataError(f"column {name!r} is discrete, and the network's node is continuous; give numbers")
        return column.values.astype(np.float64)
    assert column.labels is not None
    position: dict[Hashable, int] = {}
    for code, label in enumerate(labels):  # files often keep labels as text
        position.setdefault(label, code)
        position.setdefault(str(label), code)
    mapping = np.array([position.get(label, position.get(str(label), -1)) for label in column.labels], np.int64)
    codes = mapping[column.values]
    if len(codes) and codes.min() < 0:
        row = int(np.argmax(codes < 0))
        label = column.labels[int(column.values[row])]
        raise DataError(f"column {name!r} has the level {label!r} in row {row}, which the network does not know")
    return codes.astype(code_type(len(labels)))


def node_log_probability(network: "Network", j: int, table: Table) -> Floats:
    """Log-probability or log-density of node j given its parents, for every row."""
    node = network.nodes[j]
    values = table.columns[j].values
    if isinstance(node, DiscreteNode):
        cells = find_cells(node.keys, configuration_keys(table, node.parents))
        with np.errstate(divide="ignore"):
            return np.log(np.vstack([node.probabilities, node.fallback]))[cells, values]
    mean, sd = _mean_and_sd(node, table)
    return -0.5 * ((values - mean) / sd) ** 2 - np.log(sd) - 0.5 * np.log(2.0 * np.pi)


def _mean_and_sd(node: GaussianNode, table: Table) -> tuple[Floats, Floats]:
    """Mean and standard deviation of a continuous node given its parents, for every row."""
    coefficients, sd = node.whole()
    cells = find_cells(node.keys, configuration_keys(table, node.discrete))
    mean = coefficients[cells, 0]
    for i, p in enumerate(node.continuous):
        mean = mean + coefficients[cells, i + 1] * table.columns[p].values
    return mean, sd[cells]


def log_likelihood(network: "Network", data: Any) -> Floats:
    """Log-likelihood of every row."""
    table, present = read_evidence(network, data)
    if not all(present):
        raise DataError(f"data lacks the column {network.names[present.index(False)]!r}, which the network needs")
    total = np.zeros(table.n)
    for j in range(len(network.nodes)):
        total += node_log_probability(network, j, table)
    return total


def predict(network: "Network", data: Any, j: int, from_: str, particles: int, seed: int | None) -> "pd.Series[Any]":
    """Predict node j for every row; see Network.predict."""
    if from_ not in ("parents", "all"):
        raise ArgumentError(f"from_={from_!r} must be 'parents' or 'all'")
    check_count("particles", particles, least=1)
    table, present = read_evidence(network, data)
    present[j] = False
    others = [present[k] for k in range(len(present)) if k != j]
    if from_ == "parents":
        missing = [network.names[p] for p in network.nodes[j].parents if not present[p]]
        if missing:
            raise DataError(f"data lacks the column {missing[0]!r}, a parent of {network.names[j]!r}")
        return _series(network, j, _from_parents(network, j, table))
    if all(others):
        return _series(network, j, _from_blanket(network, j, table))
    if not any(network.discrete):
        return _series(network, j, _from_joint_normal(network, j, table, present))
    return _series(network, j, _by_weighting(network, j, table, present, particles, 0 if seed is None else seed))


def _series(network: "Network", j: int, values: NDArray[Any]) -> "pd.Series[Any]":
    import pandas as pd

    labels = network.labels[j]
    if labels is None:
        return pd.Series(values, name=network.names[j])
    return pd.Series(as_categorical(values, labels), name=network.names[j])


def _from_parents(network: "Network", j: int, table: Table) -> NDArray[Any]:
    node = network.nodes[j]
    if isinstance(node, DiscreteNode):
        cells = find_cells(node.keys, configuration_keys(table, node.parents))
        return np.vstack([node.probabilities, node.fallback]).argmax(axis=1)[cells]
    return _mean_and_sd(node, table)[0]


def _children(network: "Network", j: int) -> list[int]:
    return [k for k, node in enumerate(network.nodes) if j in node.parents]


def _from_blanket(network: "Network", j: int, table: Table) -> NDArray[Any]:
    """Exact prediction from all other nodes, by Bayes' rule over the node's children."""
    node = network.nodes[j]
    if isinstance(node, DiscreteNode):
        scores = np.empty((network.levels[j], table.n))
        values = table.columns[j].values
        for level in range(network.levels[j]):
            values[:] = level
            scores[level] = sum(node_log_probability(network, k, table) for k in [j, *_children(network, j)])
        return scores.argmax(axis=0)
    # Prior and children are normal in the node's value x: c = a + b x + e for each child.
    mean, sd = _mean_and_sd(node, table)
    precision = sd**-2
    weighted = mean * precision
    table.columns[j].values[:] = 0.0
    for k in _children(network, j):
        child = network.nodes[k]
        assert isinstance(child, GaussianNode)
        without, child_sd = _mean_and_sd(child, table)
        cells = find_cells(child.keys, configuration_keys(table, child.discrete))
        slope = child.whole()[0][cells, child.continuous.index(j) + 1]
        precision = precision + (slope / child_sd) ** 2
        weighted = weighted + slope * (table.columns[k].values - without) / child_sd**2
    return weighted / precision


def joint_normal(network: "Network") -> tuple[Floats, Floats]:
    """Mean vector and covariance matrix of a Gaussian network."""
    N = len(network.nodes)
    mean, covariance = np.zeros(N), np.zeros((N, N))
    for j in network.order():
        node = network.nodes[j]
        assert isinstance(node, GaussianNode)
        parents, (coefficients, sd) = list(node.continuous), node.whole()
        b = coefficients[0, 1:]
        mean[j] = coefficients[0, 0] + b @ mean[parents]
        covariance[j] = covariance[:, j] = b @ covariance[parents]
        covariance[j, j] = sd[0] ** 2 + b @ covariance[np.ix_(parents, parents)] @ b
    return mean, covariance


def _from_joint_normal(network: "Network", j: int, table: Table, present: list[bool]) -> Floats:
    """Exact prediction in a Gaussian network from some nodes: condition the joint normal distribution."""
    mean, covariance = joint_normal(network)
    known = np.flatnonzero(present)
    if not len(known):
        return np.full(table.n, mean[j])
    weights = np.linalg.solve(covariance[np.ix_(known, known)], covariance[known, j])
    values: Floats = np.full(table.n, mean[j])
    for weight, k in zip(weights, known, strict=True):
        values += weight * (table.columns[k].values - mean[k])
    return values


def _by_weighting(
    network: "Network", j: int, table: Table, present: list[bool], particles: int, seed: int
) -> NDArray[Any]:
    """Prediction by likelihood weighting: draw what is not known, weight by the likelihood of what is."""
    order = network.order()
    rows = max(1, BATCH // particles)
    answers: list[NDArray[Any]] = []
    for first in range(0, table.n, rows):
        part = slice(first, min(first + rows, table.n))
        many = as_table(network, [np.repeat(column.values[part], particles) for column in table.columns])
        weight = np.zeros(many.n)
        for k in order:
            if present[k]:
                weight += node_log_probability(network, k, many)
            else:
                draw_node(network, k, many, seed, first * particles)
        log_weights = weight.reshape(-1, particles)
        top = log_weights.max(axis=1, keepdims=True)
        weights = np.exp(log_weights - np.where(np.isfinite(top), top, 0.0))
        weights[~np.isfinite(top[:, 0])] = 1.0  # evidence that no particle explains: they count alike
        drawn = many.columns[j].values.reshape(-1, particles)
        if network.discrete[j]:
            votes = np.stack([(weights * (drawn == level)).sum(axis=1) for level in range(network.levels[j])])
            answers.append(votes.argmax(axis=0))
        else:
            answers.append((weights * drawn).sum(axis=1) / weights.sum(axis=1))
    return np.concatenate(answers)
