"""Posteriors for every row of a table, each given what it has."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit.data import Table
from bnjit.data.schema import listing
from bnjit.errors import DataError, as_count, as_seed
from bnjit.kernels.expectations import PARTLY, TOO_LARGE
from bnjit.network.evidence import read_evidence
from bnjit.network.gaps import Gaps
from bnjit.network.inference import row_posteriors
from bnjit.network.queries.asking import check_method, read_question, read_targets, remedy
from bnjit.network.queries.evidence import Evidence
from bnjit.network.queries.joint import TooLargeError, find_joint, find_marginals
from bnjit.network.tuning import QUERY_ROWS

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


def query_rows(
    network: "Network", data: Any, targets: Any, do: Any, method: str, particles: int, seed: int | None
) -> "pd.DataFrame":
    """Posterior of each of some nodes for every row; see Network.query_rows."""
    import pandas as pd

    check_method(method)
    particles, seed = as_count("particles", particles, 1), as_seed(seed)
    network, actions = read_question(network, None, do)
    nodes = read_targets(network, targets, actions)
    table, known = read_evidence(network, data, [j for j in range(len(network.names)) if j not in actions.values])
    masks = list(known.masks)
    for j, value in actions.values.items():
        table.columns[j].values[:] = value[0]
        masks[j] = None
    everywhere = np.ones(table.n, bool)
    parts = {}
    for j in nodes:
        own = [everywhere if k == j else mask for k, mask in enumerate(masks)]
        found, status = row_posteriors(network, j, table, own, particles if method == "sampling" else 0, seed)
        if method == "exact":
            _finish(network, j, table, own, found, status)
        parts[j] = found if network.discrete[j] else np.column_stack([found[:, 0], np.sqrt(found[:, 1])])
    columns = {j: list(network.labels[j] or ("mean", "sd")) for j in nodes}
    index = data.index if isinstance(data, pd.DataFrame) else None
    frame = pd.DataFrame(np.hstack([parts[j] for j in nodes]), index)
    if len(nodes) == 1 and _is_name(network, targets):
        return frame.set_axis(pd.Index(columns[nodes[0]], tupleize_cols=False), axis=1)
    pairs = [(network.names[j], column) for j in nodes for column in columns[j]]
    return frame.set_axis(pd.MultiIndex.from_tuples(pairs), axis=1)


def _is_name(network: "Network", targets: Any) -> bool:
    """Whether targets are one name, and not a list."""
    return not isinstance(targets, list | set | frozenset) and targets in network.names


def _finish(network: "Network", j: int, table: Table, masks: Gaps, found: Floats, status: NDArray[np.int8]) -> None:
    """Fill in the rows that were too large for a row by itself, and raise for what contradicts itself."""
    rest = np.flatnonzero(status == TOO_LARGE)
    missing = np.column_stack([np.zeros(table.n, bool) if mask is None else mask for mask in masks])
    patterns, which = np.unique(missing[rest], axis=0, return_inverse=True)
    for p, pattern in enumerate(patterns):
        rows = rest[which.reshape(-1) == p]
        for first in range(0, len(rows), QUERY_ROWS):
            some = rows[first : first + QUERY_ROWS]
            found[some] = _from_tables(network, j, table, some, pattern)
    wrong = np.flatnonzero((status == PARTLY) | np.isnan(found[:, 0]))
    if len(wrong):
        nodes = np.flatnonzero(~missing[wrong[0]]).tolist()
        names = [network.names[k] for k in nodes]
        raise DataError(
            f"what row {int(wrong[0])} says of {listing(names)} has probability 0 under the network ({len(wrong):,} "
            f"such rows); {remedy(network, nodes)}"
        )


def _from_tables(network: "Network", j: int, table: Table, rows: NDArray[Any], pattern: NDArray[np.bool_]) -> Floats:
    """Posterior of node j for rows that have gaps in the same places; one at a time if all take too much."""
    values = {
        k: table.columns[k].values[rows].astype(np.int64 if network.discrete[k] else np.float64)
        for k in np.flatnonzero(~pattern).tolist()
    }
    try:
        evidence = Evidence(len(rows), values, {})
        if network.discrete[j]:
            return find_marginals(network, [j], evidence)[j]
        joint = find_joint(network, [j], evidence)
    except TooLargeError:
        if len(rows) == 1:
            raise
        return np.concatenate([_from_tables(network, j, table, rows[i : i + 1], pattern) for i in range(len(rows))])
    weights = joint.weights.reshape(len(rows), -1)
    _, _, integral = joint.integrals[0]
    means, variances = integral.means[:, :, 0], integral.covariances[:, :, 0, 0]
    mean = (weights * means).sum(axis=1)
    return np.column_stack([mean, (weights * (variances + (means - mean[:, None]) ** 2)).sum(axis=1)])
