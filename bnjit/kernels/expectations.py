"""Probabilities and means of the missing values of rows, and the likelihood of what is observed.

Axis legend: n rows; N nodes; g rows that have gaps; r levels. See `posterior` for components and configurations, and
`gaps` for Gibbs sweeps, which are only for components with too many configurations to be weighed.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints64, jit
from bnjit.kernels.columns import Columns
from bnjit.kernels.elimination import Tables, eliminate, make_tables, mean_and_variance
from bnjit.kernels.gaps import read_row, sweep_levels, write_row
from bnjit.kernels.incomplete import (
    ACTIVE,
    COMPONENT,
    HOLDER,
    LINKED,
    NEEDED,
    TOUCHED,
    UNKNOWN,
    FlatNetwork,
    Row,
    activate_all,
    find_factors,
    gather_component,
    make_row,
    set_configuration,
)
from bnjit.kernels.posterior import integrate_continuous, own_log_density, weigh_configurations, weigh_levels
from bnjit.kernels.splitmix import GOLDEN, mix

FEW_CONFIGURATIONS = 32  # up to which weighing them one by one is faster than elimination
MOST_ENTRIES = 1 << 14  # of a table of elimination
TOO_LARGE, EXACT, PARTLY = range(3)  # how a prediction was found


class Beliefs(NamedTuple):
    """What is known of missing values.

    shares : float64[sum of levels], probability of each level of a missing discrete node, from level_at[j] on
    level_at : int64[N + 1]; means : float64[N], expected values of missing continuous nodes
    """

    shares: Floats
    level_at: Ints64
    means: Floats


@jit
def make_beliefs(net: FlatNetwork) -> Beliefs:
    """Room for what is known of the missing values of a row."""
    N = net.order.shape[0]
    level_at = np.zeros(N + 1, np.int64)
    for j in range(N):
        level_at[j + 1] = level_at[j] + net.levels[j]
    return Beliefs(np.zeros(level_at[N]), level_at, np.zeros(N))


@jit
def _clear(row: Row, beliefs: Beliefs) -> None:
    """Set what is known of the component to 0."""
    for i in range(row.size[2]):
        j = row.lists[UNKNOWN, i]
        for at in range(beliefs.level_at[j], beliefs.level_at[j + 1]):
            beliefs.shares[at] = 0.0
    for t in range(row.size[1]):
        beliefs.means[row.lists[LINKED, t]] = 0.0


@jit
def _add_means(net: FlatNetwork, row: Row, weight: float, beliefs: Beliefs) -> None:
    """Add the means of the missing continuous values for the levels in the row, with a weight."""
    if row.size[1] > 0:
        integrate_continuous(net, row)
        for k in range(row.size[4]):
            beliefs.means[row.lists[HOLDER, k]] += weight * row.mean[k]


@jit
def _average_sweeps(net: FlatNetwork, row: Row, state: np.uint64, sweeps: int, beliefs: Beliefs) -> None:
    """Average conditional probabilities and means over Gibbs sweeps, without the first fifth of them."""
    first = sweeps // 5
    weight = 1.0 / (sweeps - first)
    for turn in range(sweeps + 1):
        sweep_levels(net, row, state, turn)
        if turn > first:
            for i in range(row.size[2]):
                j = row.lists[UNKNOWN, i]
                if weigh_levels(net, row, j, False):
                    at = beliefs.level_at[j]
                    for level in range(net.levels[j]):
                        beliefs.shares[at + level] += weight * row.weights[level]
                else:
                    beliefs.shares[beliefs.level_at[j] + row.codes[j]] += weight
            _add_means(net, row, weight, beliefs)


@jit
def _believe(net: FlatNetwork, row: Row, state: np.uint64, sweeps: int, most: int, beliefs: Beliefs) -> bool:
    """Find what is known of the component; False, and nothing, if it takes sweeps and there are to be none."""
    _clear(row, beliefs)
    if row.size[2] == 0:
        _add_means(net, row, 1.0, beliefs)
        return True
    M = activate_all(net, row, most)
    if M == 0:
        if sweeps > 0:
            _average_sweeps(net, row, state, sweeps, beliefs)
        return sweeps > 0
    weigh_configurations(net, row, M)
    repeats = 1  # neighbouring configurations in which a node has the same level
    for i in range(row.size[2] - 1, -1, -1):
        r, at = net.levels[row.lists[UNKNOWN, i]], beliefs.level_at[row.lists[UNKNOWN, i]]
        for c in range(M):
            beliefs.shares[at + c // repeats % r] += row.weights[c]
        repeats *= r
    if row.size[1] > 0:
        for c in range(M):
            if row.weights[c] > 0.0:
                set_configuration(net, row, c)
                _add_means(net, row, row.weights[c], beliefs)
    return True


@jit
def expect_gaps(
    first_part: int, last_part: int, net: FlatNetwork, columns: Columns, masks: Ints64, rows: Ints64, parts: int,
    stream: np.uint64, sweeps: int, most: int, wanted: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Fill the gaps of wanted nodes with their most probable levels and expected values; others as in draw_gaps.

    wanted : bool[N]; gaps of other nodes are left as they are
    """
    row, beliefs = make_row(net, most), make_beliefs(net)
    N, g = net.order.shape[0], rows.shape[0]
    for i in range(g * first_part // parts, g * last_part // parts):
        r = rows[i]
        read_row(columns, masks, r, row)
        state = mix(stream + (np.uint64(r) + np.uint64(1)) * GOLDEN)
        T = find_factors(net, row, wanted)
        for first in range(T):
            if gather_component(net, row, T, first):
                _believe(net, row, state, sweeps, most, beliefs)
        for j in range(N):
            if row.missing[j] and wanted[j]:
                row.values[j] = beliefs.means[j]
                at = beliefs.level_at[j]
                best = 0
                for level in range(net.levels[j]):
                    if beliefs.shares[at + level] > beliefs.shares[at + best]:
                        best = level
                row.codes[j] = best
            else:
                row.missing[j] = False
        write_row(columns, r, row)


@jit
def _weigh_for(net: FlatNetwork, row: Row, tables: Tables, target: int, most: int, largest: int) -> int:
    """Weights of the active configurations that tell the target; returns how many they are.

    0 if that takes too much; as a negative number if the evidence is impossible, and a part of it left out.
    """
    if row.size[2] == 0:
        row.size[3], row.weights[0] = 0, 1.0
        return 1 if integrate_continuous(net, row) > -math.inf else -1
    if activate_all(net, row, FEW_CONFIGURATIONS) == 0:
        M = eliminate(net, row, tables, target, largest)
        if M > 0:
            return M
    M = activate_all(net, row, most)
    if M > 0 and weigh_configurations(net, row, M) == -math.inf:
        return -M
    return M


@jit
def predict_node(
    first_part: int, last_part: int, net: FlatNetwork, columns: Columns, masks: Ints64, parts: int, target: int,
    most: int, shares: Floats, means: Floats, variances: Floats, status: NDArray[np.int8],
) -> None:  # fmt: skip
    """Probabilities, or mean and variance, of one node, which is missing in all rows. O(n N) and what is missing.

    Few configurations are weighed one by one; otherwise unknown nodes are summed out one after another.
    shares : float64[n, r], means, variances : float64[n], status : int8[n] (out): EXACT; PARTLY, where the
    evidence contradicts itself and a part of it is left out; TOO_LARGE for rows with more than `most` configurations
    that elimination does not get to the end of, which are left as they are
    """
    N, largest = net.order.shape[0], max(most, MOST_ENTRIES)
    row, tables = make_row(net, largest), make_tables(N, 4 * largest)
    wanted = np.zeros(N, np.bool_)
    wanted[target] = True
    n = means.shape[0]
    for r in range(n * first_part // parts, n * last_part // parts):
        read_row(columns, masks, r, row)
        T = find_factors(net, row, wanted)
        own = 0
        while row.lists[TOUCHED, own] != target:
            own += 1
        component = row.lists[COMPONENT, own]
        first = 0
        while row.lists[COMPONENT, first] != component:
            first += 1
        gather_component(net, row, T, first)
        M = _weigh_for(net, row, tables, target, most, largest)
        status[r] = EXACT if M > 0 else (PARTLY if M < 0 else TOO_LARGE)
        M = abs(M)
        if M > 0 and net.levels[target] == 0:
            means[r], variances[r] = mean_and_variance(net, row, target, M)
        elif M > 0:
            repeats = 1  # neighbouring configurations in which the target has the same level
            i = row.size[3] - 1
            while row.lists[ACTIVE, i] != target:
                repeats *= net.levels[row.lists[ACTIVE, i]]
                i -= 1
            for level in range(net.levels[target]):
                shares[r, level] = 0.0
            for c in range(M):
                shares[r, c // repeats % net.levels[target]] += row.weights[c]


@jit
def _sum_component(net: FlatNetwork, row: Row, most: int) -> float:
    """Log-probability of what is observed in the component; NaN if it has too many configurations."""
    if row.size[2] == 0:
        return integrate_continuous(net, row)
    M = activate_all(net, row, most)
    return weigh_configurations(net, row, M) if M > 0 else math.nan


@jit
def observed_likelihood(
    first_part: int, last_part: int, net: FlatNetwork, columns: Columns, masks: Ints64, rows: Ints64, parts: int,
    most: int, out: Floats,
) -> None:  # fmt: skip
    """Log-likelihood of what is observed in the rows with gaps, missing values summed or integrated out.

    out : float64[g]; NaN for a row with more than `most` configurations that depend on each other
    """
    row = make_row(net, most)
    N, g = net.order.shape[0], rows.shape[0]
    wanted = np.zeros(N, np.bool_)
    for i in range(g * first_part // parts, g * last_part // parts):
        read_row(columns, masks, rows[i], row)
        T = find_factors(net, row, wanted)
        total = 0.0
        t = 0
        for j in net.order:
            if t < T and row.lists[TOUCHED, t] == j:  # with a missing value: its component adds it
                t += 1
            elif row.lists[NEEDED, j]:
                total += own_log_density(net, row, j)
        for first in range(T):
            if gather_component(net, row, T, first):
                total += _sum_component(net, row, most)
        out[i] = total
