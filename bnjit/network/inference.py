"""Likelihood of rows, and prediction of a node from others."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_ranges
from bnjit.data import Table
from bnjit.data.schema import listing
from bnjit.errors import ArgumentError, DataError, as_count, as_seed
from bnjit.kernels.expectations import TOO_LARGE, observed_likelihood, predict_node
from bnjit.network.evidence import read_evidence
from bnjit.network.gaps import Gaps, find_rows, flatten, mask_addresses
from bnjit.network.nodes import DiscreteNode, GaussianNode, find_cells
from bnjit.network.sampling import as_categorical, as_table, configuration_keys, draw_node
from bnjit.network.tuning import (
    GAP_PARTS,
    LIKELIHOOD_CONFIGURATIONS,
    PREDICTED_CONFIGURATIONS,
    PREDICTION_ROWS,
    ROUNDING,
)

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


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
    with np.errstate(over="ignore"):  # so far away that the density is 0
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
    """Log-likelihood of every row; missing values are summed or integrated out."""
    table, known = read_evidence(network, data)
    if not all(known.present):
        raise DataError(f"data lacks the column {network.names[known.present.index(False)]!r}, which the network needs")
    masks, rows = find_rows(known.masks, table.n)
    total = np.zeros(table.n)
    for j in range(len(network.nodes)):
        total += node_log_probability(network, j, table)
    if len(rows):
        total[rows] = _observed_likelihood(network, table, masks, rows)
    return total


def _observed_likelihood(network: "Network", table: Table, masks: Gaps, rows: Ints64) -> Floats:
    """Log-likelihood of what is observed in rows that have gaps."""
    values, parts = np.empty(len(rows)), min(len(rows), GAP_PARTS)
    in_ranges(
        observed_likelihood, parts, flatten(network), table.view, mask_addresses(masks), rows, parts,
        LIKELIHOOD_CONFIGURATIONS, values,
    )  # fmt: skip
    refused = np.flatnonzero(np.isnan(values))
    if len(refused):
        row = int(rows[refused[0]])
        missing = [network.names[j] for j, mask in enumerate(masks) if mask is not None and mask[row]]
        raise DataError(
            f"row {row} lacks {listing(missing)}: its discrete gaps that depend on each other have more than "
            f"{LIKELIHOOD_CONFIGURATIONS:,} configurations, too many to sum over ({len(refused):,} such rows); leave "
            "out such rows, or fill their gaps first by network.impute(data)"
        )
    return values


def predict(
    network: "Network", data: Any, j: int, from_: str, particles: int, seed: int | None, probabilities: bool
) -> "pd.Series[Any] | pd.DataFrame":
    """Predict node j for every row; see Network.predict."""
    if from_ not in ("parents", "all"):
        raise ArgumentError(f"from_={from_!r} must be 'parents' or 'all'")
    if probabilities and not network.discrete[j]:
        raise ArgumentError(f"probabilities=True is for discrete nodes; {network.names[j]!r} is continuous")
    particles, seed = as_count("particles", particles, least=1), as_seed(seed)
    parents = network.nodes[j].parents
    nodes = parents if from_ == "parents" else [k for k in range(len(network.names)) if k != j]
    table, known = read_evidence(network, data, nodes)
    lacking = [k for k in nodes if not known.present[k]]
    if from_ == "parents" and lacking:
        raise DataError(f"data lacks the column {network.names[lacking[0]]!r}, a parent of {network.names[j]!r}")
    answers: NDArray[Any]
    if from_ == "parents" and not known.has_gaps():
        answers = _from_parents(network, j, table, probabilities)
    elif not any(network.discrete) and not known.has_gaps():
        answers = _from_joint_normal(network, j, table, known.present)
    else:
        found = row_posteriors(network, j, table, known.masks, particles, seed)[0]
        answers = found[:, 0] if not network.discrete[j] else found if probabilities else found.argmax(axis=1)
    return _as_frame(network, j, answers, data) if probabilities else _as_series(network, j, answers, data)


def _index_of(data: Any) -> Any:
    """Index of the rows, if they have one."""
    import pandas as pd

    return data.index if isinstance(data, pd.DataFrame) else None


def _as_series(network: "Network", j: int, answers: NDArray[Any], data: Any) -> "pd.Series[Any]":
    """Expected values, or codes of the most probable levels, with the index of their rows."""
    import pandas as pd

    labels = network.labels[j]
    values: Any = answers if labels is None else as_categorical(answers, labels)
    return pd.Series(values, _index_of(data), name=network.names[j])


def _as_frame(network: "Network", j: int, answers: Floats, data: Any) -> "pd.DataFrame":
    """Probabilities of levels, a column for each, with the index of the rows that they are for."""
    import pandas as pd

    columns = pd.Index(network.labels[j] or (), tupleize_cols=False)
    return pd.DataFrame(answers, _index_of(data)).set_axis(columns, axis=1)


def _from_parents(network: "Network", j: int, table: Table, probabilities: bool) -> NDArray[Any]:
    """Means, or levels (their codes, or the probability of each), given parents that are all there."""
    node = network.nodes[j]
    if isinstance(node, DiscreteNode):
        cells = find_cells(node.keys, configuration_keys(table, node.parents))
        return node.with_fallback()[cells] if probabilities else node.with_fallback().argmax(axis=1)[cells]
    return _mean_and_sd(node, table)[0]


def row_posteriors(
    network: "Network", j: int, table: Table, masks: Gaps, particles: int, seed: int
) -> tuple[Floats, NDArray[np.int8]]:
    """Posterior of node j given whatever each row has: float64[n, r], or float64[n, 2] with mean and variance.

    Also how each was found: TOO_LARGE if it is by likelihood weighting; with no particles such rows are left as zeros.
    """
    flat, answers, states = flatten(network), [], []
    rows = max(PREDICTION_ROWS // max(network.levels[j], 1), 1)
    for first in range(0, table.n, rows):
        some = slice(first, first + rows)
        block = as_table(network, [column.values[some] for column in table.columns])
        own = [None if mask is None else mask[some] for mask in masks]
        own[j] = np.ones(block.n, bool)
        shares, status = np.zeros((block.n, network.levels[j])), np.zeros(block.n, np.int8)
        means, variances = np.zeros(block.n), np.zeros(block.n)
        parts = min(block.n, GAP_PARTS)
        in_ranges(
            predict_node, parts, flat, block.view, mask_addresses(own), parts, j, PREDICTED_CONFIGURATIONS, shares,
            means, variances, status,
        )  # fmt: skip
        found: Floats = shares if network.discrete[j] else np.column_stack([means, variances])
        rest = np.flatnonzero(status == TOO_LARGE)
        if len(rest) and particles:
            gaps = [None if mask is None else mask[rest] for mask in own]
            found[rest] = _by_weighting(network, j, block.take(rest), gaps, particles, seed, first)
        answers.append(found)
        states.append(status)
    return np.concatenate(answers), np.concatenate(states)


def _repeated(network: "Network", table: Table, times: int, rows: int) -> Iterator[tuple[slice, Table]]:
    """Tables of `rows` rows, but at least one, each repeated `times` times, and which rows they are."""
    rows = max(rows, 1)
    for first in range(0, table.n, rows):
        some = slice(first, min(first + rows, table.n))
        yield some, as_table(network, [np.repeat(column.values[some], times) for column in table.columns])


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
    network: "Network", j: int, table: Table, masks: Gaps, particles: int, seed: int, first: int
) -> Floats:
    """Prediction by likelihood weighting: draw missing values, and weight draws by the likelihood of observed ones."""
    order, r = network.order(), network.levels[j]
    answers: list[Floats] = []
    for rows, repeated in _repeated(network, table, particles, PREDICTION_ROWS // max(particles, r)):
        log_weights = np.zeros((rows.stop - rows.start, particles))
        for k in order:
            mask = masks[k]
            gaps = np.zeros(len(log_weights), bool) if mask is None else mask[rows]
            if gaps.any():
                observed = repeated.columns[k].values.copy()
                draw_node(network, k, repeated, seed, (first + rows.start) * particles)
                many = np.repeat(~gaps, particles)
                repeated.columns[k].values[many] = observed[many]
            if not gaps.all():
                terms = node_log_probability(network, k, repeated).reshape(-1, particles)
                log_weights[~gaps] += terms[~gaps]
        top = log_weights.max(axis=1, keepdims=True)
        weights = np.exp(log_weights - np.where(np.isfinite(top), top, 0.0))
        weights[~np.isfinite(top[:, 0])] = 1.0  # impossible evidence under every particle: all have the same weight
        weights /= weights.sum(axis=1, keepdims=True)
        drawn = repeated.columns[j].values.reshape(-1, particles)
        if network.discrete[j]:
            cells = np.arange(len(drawn))[:, None] * r + drawn
            votes: Floats = np.bincount(cells.ravel(), weights.ravel(), len(drawn) * r).astype(np.float64)
            answers.append(votes.reshape(-1, r))
        else:
            means = (weights * drawn).sum(axis=1)
            answers.append(np.column_stack([means, (weights * (drawn - means[:, None]) ** 2).sum(axis=1)]))
    return np.concatenate(answers)
