"""Posteriors by likelihood weighting.

Nodes that are not known are drawn given their parents, and a draw counts by how likely it makes the known ones.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnjit._jit import Floats
from bnjit.data import Table
from bnjit.errors import ArgumentError, as_count, as_seed
from bnjit.network.inference import node_log_probability
from bnjit.network.queries.answers import levels_index
from bnjit.network.queries.evidence import Evidence
from bnjit.network.queries.factors import ancestors
from bnjit.network.sampling import as_table, draw_node, empty_columns

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


def sample_posterior(
    network: "Network", targets: Sequence[int], evidence: Evidence, particles: int, seed: int | None
) -> "pd.DataFrame":
    """Estimates of a posterior and their standard errors."""
    import pandas as pd

    discrete = [j for j in targets if network.discrete[j]]
    if 0 < len(discrete) < len(targets):
        raise ArgumentError(
            "method='sampling' takes targets that are all discrete or all continuous; ask for the discrete and the "
            "continuous ones by themselves"
        )
    table, weights = draw_particles(network, targets, evidence, as_count("particles", particles, 2), as_seed(seed))
    if not discrete:
        index = pd.Index([network.names[j] for j in targets], tupleize_cols=False)
        values = np.column_stack([table.columns[j].values for j in targets])
        mean = weights @ values
        sd = np.sqrt(weights @ (values - mean) ** 2)
        return pd.DataFrame({"mean": mean, "standard_error": _errors(weights, values, mean), "sd": sd}, index)
    number: Floats = np.zeros(table.n, np.int64)
    for j in targets:
        number = number * network.levels[j] + table.columns[j].values
    index = levels_index(network, targets)
    shares = np.bincount(number, weights, len(index))
    squares = np.bincount(number, weights**2, len(index))
    # Of each level the draws with it are 1 and the others 0, so that two sums are enough.
    spread = squares * (1.0 - shares) ** 2 + (squares.sum() - squares) * shares**2
    return pd.DataFrame({"probability": shares, "standard_error": np.sqrt(spread)}, index)


def _errors(weights: Floats, values: Floats, mean: Floats) -> Floats:
    """Standard errors of weighted means, of each column."""
    found: Floats = np.sqrt(weights**2 @ (values - mean) ** 2)
    return found


def draw_particles(
    network: "Network", targets: Sequence[int], evidence: Evidence, n: int, seed: int
) -> tuple[Table, Floats]:
    """Draws of the nodes that matter, with what is known filled in, and their weights, which sum to 1."""
    relevant = ancestors(network, [*targets, *evidence.values, *evidence.likelihoods])
    table = as_table(network, empty_columns(network, n))
    logs = np.zeros(n)
    for j in network.order():
        if j not in relevant:
            continue
        if j in evidence.values:
            table.columns[j].values[:] = evidence.values[j][0]
            logs += node_log_probability(network, j, table)
        else:
            draw_node(network, j, table, seed, 0)
        if j in evidence.likelihoods:
            with np.errstate(divide="ignore"):
                logs += np.log(evidence.likelihoods[j][0])[table.columns[j].values]
    top = logs.max()
    if top == -np.inf:
        raise ArgumentError(
            f"none of {n:,} particles agrees with what is given: it is impossible under the network, or too rare for "
            "method='sampling'; give more particles, or take method='exact'"
        )
    weights = np.exp(logs - top)
    return table, weights / weights.sum()
