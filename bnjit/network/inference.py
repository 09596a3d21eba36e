"""Likelihood of rows, and prediction of a node from others."""

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit.data import Column, Table, type_columns
from bnjit.data.check import reject_not_finite
from bnjit.data.column import code_type
from bnjit.errors import ArgumentError, DataError, as_count, as_seed
from bnjit.network.nodes import DiscreteNode, GaussianNode, find_cells
from bnjit.network.sampling import as_categorical, as_table, configuration_keys, draw_node, empty_columns
from bnjit.network.tuning import PREDICTION_ROWS, ROUNDING

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


def read_evidence(network: "Network", data: Any, nodes: Iterable[int] | None = None) -> tuple[Table, list[bool]]:
    """Rows of a table as codes and numbers of some nodes, all by default, and which of them the table has.

    Nodes that are not among the columns are zeros; other columns are ignored.
    """
    wanted = {network.names[j]: j for j in (range(len(network.names)) if nodes is None else nodes)}
    given = type_columns(data, [name for name, j in wanted.items() if network.discrete[j]], only=wanted)
    columns, present = empty_columns(network, given.n), [False] * len(network.names)
    for name, column in zip(given.names, given.columns, strict=True):
        j = wanted.get(name)
        if j is not None:
            columns[j], present[j] = _values(network, j, name, column), True
    return as_table(network, columns), present


def _values(network: "Network", j: int, name: Hashable, column: Column) -> NDArray[Any]:
    """Values of a column as codes or numbers of node j."""
    labels = network.labels[j]
    if labels is None:
        if column.labels is not None:
            raise DataError(f"column {name!r} is discrete, and the network's node is continuous; give numbers")
        reject_not_finite(name, column.values)
        return column.values.astype(np.float64)
    assert column.labels is not None
    position: dict[Hashable, int] = {}
    for code, label in enumerate(labels):  # files often hold labels as text
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
            return np.log(node.with_fallback()[cells, values])
    mean, sd, magnitude = _mean_and_sd(node, table)
    # A deviation below rounding counts as 0: the mean is then a certain event, and any other value is impossible.
    rounding = ROUNDING * (magnitude + np.abs(values))
    certain = sd <= rounding
    sd = np.where(certain, 1.0, sd)
    density = -0.5 * ((values - mean) / sd) ** 2 - np.log(sd) - 0.5 * np.log(2.0 * np.pi)
    return np.where(certain, np.where(np.abs(values - mean) <= rounding, 0.0, -np.inf), density)


def _mean_and_sd(node: GaussianNode, table: Table) -> tuple[Floats, Floats, Floats]:
    """Mean and deviation of a continuous node given its parents, and the sum of the absolute terms, for every row."""
    coefficients, sd = node.with_fallback()
    cells = find_cells(node.keys, configuration_keys(table, node.discrete))
    mean = coefficients[cells, 0]
    magnitude = np.abs(mean)
    for i, p in enumerate(node.continuous):
        term = coefficients[cells, i + 1] * table.columns[p].values
        mean, magnitude = mean + term, magnitude + np.abs(term)
    return mean, sd[cells], magnitude


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
    particles, seed = as_count("particles", particles, least=1), as_seed(seed)
    parents = network.nodes[j].parents
    nodes = parents if from_ == "parents" else [k for k in range(len(network.names)) if k != j]
    table, present = read_evidence(network, data, nodes)
    missing = [k for k in nodes if not present[k]]
    if from_ == "parents" and missing:
        raise DataError(f"data lacks the column {network.names[missing[0]]!r}, a parent of {network.names[j]!r}")
    if from_ == "parents":
        values = _from_parents(network, j, table)
    elif not missing:
        values = _from_blanket(network, j, table)
    elif not any(network.discrete):
        values = _from_joint_normal(network, j, table, present)
    else:
        values = _by_weighting(network, j, table, present, particles, seed)
    return _series(network, j, values, data)


def _series(network: "Network", j: int, values: NDArray[Any], data: Any) -> "pd.Series[Any]":
    """Predictions with the index of the rows that they are for."""
    import pandas as pd

    labels = network.labels[j]
    index = data.index if isinstance(data, pd.DataFrame) else None
    return pd.Series(values if labels is None else as_categorical(values, labels), index, name=network.names[j])


def _from_parents(network: "Network", j: int, table: Table) -> NDArray[Any]:
    node = network.nodes[j]
    if isinstance(node, DiscreteNode):
        cells = find_cells(node.keys, configuration_keys(table, node.parents))
        return node.with_fallback().argmax(axis=1)[cells]
    return _mean_and_sd(node, table)[0]


def _children(network: "Network", j: int) -> list[int]:
    return [k for k, node in enumerate(network.nodes) if j in node.parents]


def _from_blanket(network: "Network", j: int, table: Table) -> NDArray[Any]:
    """Exact prediction from all other nodes, by Bayes' rule over the node's children."""
    node = network.nodes[j]
    if isinstance(node, DiscreteNode):
        return _likeliest_level(network, j, table)
    # The prior is normal in the node's value x, and so is each child, c = a + b x + e: they update x one by one.
    x, sd, _ = _mean_and_sd(node, table)
    variance = sd**2
    for k in _children(network, j):
        child = network.nodes[k]
        assert isinstance(child, GaussianNode)
        table.columns[j].values[:] = x
        expected, child_sd, _ = _mean_and_sd(child, table)
        cells = find_cells(child.keys, configuration_keys(table, child.discrete))
        slope = child.with_fallback()[0][cells, child.continuous.index(j) + 1]
        total = slope**2 * variance + child_sd**2
        total[total == 0.0] = np.inf  # x and the child are both certain: the child changes nothing
        x = x + slope * variance * (table.columns[k].values - expected) / total
        variance = np.where(np.isinf(total), variance, variance * child_sd**2 / total)
    return x


def _likeliest_level(network: "Network", j: int, table: Table) -> NDArray[Any]:
    """Most probable level of a discrete node: every row is tried with every level, some rows at a time."""
    r = network.levels[j]
    family = [j, *_children(network, j)]
    answers = [np.empty(0, np.int64)]
    for repeated in _repeated(network, table, r, PREDICTION_ROWS // r):
        repeated.columns[j].values[:] = np.tile(np.arange(r), repeated.n // r)
        scores: Floats = np.sum([node_log_probability(network, k, repeated) for k in family], axis=0)
        answers.append(scores.reshape(-1, r).argmax(axis=1))
    return np.concatenate(answers)


def _repeated(network: "Network", table: Table, times: int, rows: int) -> Iterator[Table]:
    """Tables of `rows` rows, but at least one, each repeated `times` times."""
    rows = max(rows, 1)
    for first in range(0, table.n, rows):
        yield as_table(network, [np.repeat(column.values[first : first + rows], times) for column in table.columns])


def joint_normal(network: "Network") -> tuple[Floats, Floats]:
    """Mean vector of a Gaussian network, and the matrix A in X = mean + A e, with independent standard normal e.

    The covariance matrix is A A', which would lose half of the digits of A.
    """
    N = len(network.nodes)
    mean, A = np.zeros(N), np.zeros((N, N))
    for j in network.order():
        node = network.nodes[j]
        assert isinstance(node, GaussianNode)
        parents, (coefficients, sd) = list(node.continuous), node.with_fallback()
        b = coefficients[0, 1:]
        mean[j] = coefficients[0, 0] + b @ mean[parents]
        A[j] = b @ A[parents]
        A[j, j] = sd[0]
    return mean, A


def _from_joint_normal(network: "Network", j: int, table: Table, present: list[bool]) -> Floats:
    """Exact prediction in a Gaussian network from some nodes: condition the joint normal distribution.

    The weights are the least-squares solution of A_j = w A_known; rcond leaves out nodes that others determine.
    """
    mean, A = joint_normal(network)
    known = np.flatnonzero(present)
    scale = np.linalg.norm(A[known], axis=1)
    scale[scale == 0.0] = 1.0
    weights = np.linalg.lstsq((A[known] / scale[:, None]).T, A[j], rcond=ROUNDING)[0] / scale
    values: Floats = np.full(table.n, mean[j])
    for weight, k in zip(weights, known, strict=True):
        values += weight * (table.columns[k].values - mean[k])
    return values


def _by_weighting(
    network: "Network", j: int, table: Table, present: list[bool], particles: int, seed: int
) -> NDArray[Any]:
    """Prediction by likelihood weighting: draw unknown nodes, and weight draws by the likelihood of the known ones."""
    order, r = network.order(), network.levels[j]
    answers: list[NDArray[Any]] = []
    first = 0
    for repeated in _repeated(network, table, particles, PREDICTION_ROWS // max(particles, r)):
        weight = np.zeros(repeated.n)
        for k in order:
            if present[k]:
                weight += node_log_probability(network, k, repeated)
            else:
                draw_node(network, k, repeated, seed, first)
        first += repeated.n
        log_weights = weight.reshape(-1, particles)
        top = log_weights.max(axis=1, keepdims=True)
        weights = np.exp(log_weights - np.where(np.isfinite(top), top, 0.0))
        weights[~np.isfinite(top[:, 0])] = (
            1.0  # evidence that is impossible under every particle: all have the same weight
        )
        drawn = repeated.columns[j].values.reshape(-1, particles)
        if network.discrete[j]:
            rows = len(drawn)
            cells = np.arange(rows)[:, None] * r + drawn
            votes = np.bincount(cells.ravel(), weights.ravel(), rows * r)
            answers.append(votes.reshape(rows, r).argmax(axis=1))
        else:
            answers.append((weights * drawn).sum(axis=1) / weights.sum(axis=1))
    return np.concatenate(answers)
