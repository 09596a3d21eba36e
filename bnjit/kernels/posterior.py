"""What the missing values of one row may be, given the observed ones, under a network.

Axis legend: N nodes; K missing continuous values; M configurations of the active nodes; r levels. For given levels of
the missing discrete nodes of a component, the missing continuous ones are jointly normal and integrate out in closed
form. So only configurations of the missing discrete nodes have to be weighed.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, jit
from bnjit.kernels.incomplete import (
    ACTIVE,
    CONTINUOUS,
    DENSE,
    DIGIT,
    DISCRETE,
    HOLDER,
    KEYS,
    LINKED,
    OWN,
    PLAIN,
    SETTLED,
    SLOT,
    STEP,
    TABLE,
    FlatNetwork,
    Row,
    bisect_keys,
    parameters_at,
    set_configuration,
)

ALL_FACTORS, OWN_FACTORS, GIVEN_OTHERS, AT_START = range(4)


@jit
def log_density(
    table: Floats, at: int, member: Ints32, first: int, last: int, values: Floats, x: float, relative: float
) -> float:
    """Log-density of a continuous node given observed parents, member[first ... last - 1], with parameters at `at`.

    A node that is certain has 0 if its value x is the one that it must have, up to rounding, else -inf.
    """
    mean = table[at]
    magnitude = abs(mean)
    for i in range(first, last):
        at += 1
        term = table[at] * values[member[i]]
        mean += term
        magnitude += abs(term)
    sd = table[at + 1]
    rounding = relative * (magnitude + abs(x))
    if sd <= rounding:
        return 0.0 if abs(x - mean) <= rounding else -math.inf
    z = (x - mean) / sd
    return -0.5 * z * z - table[at + 2]


@jit
def own_log_density(net: FlatNetwork, row: Row, j: int) -> float:
    """Log-probability or log-density of node j given its parents, all of them observed."""
    at = parameters_at(net, j, row.codes)
    if net.levels[j] > 0:
        return net.table[at + row.codes[j]]
    first, last = net.at[CONTINUOUS, j], net.at[CONTINUOUS, j + 1]
    return log_density(net.table, at, net.member, first, last, row.values, row.values[j], net.rounding)


@jit
def add_plain(net: FlatNetwork, row: Row, j: int, M: int) -> None:
    """Add the logarithms of a plain factor to the weights of all configurations. O(M).

    What the loop needs is looked up before it: calls that take a network or a row are slow.
    """
    digits, steps, own, nodes = row.counters[DIGIT], row.counters[STEP], row.counters[OWN], row.lists[ACTIVE]
    active = row.size[3]
    for i in range(active):
        digits[i] = steps[i] = own[i] = 0
    discrete = net.levels[j] > 0
    level = row.codes[j] if discrete else 0
    key = 0
    for i in range(active):
        if nodes[i] == j:
            own[i], level = 1, 0
    for p in range(net.at[DISCRETE, j], net.at[DISCRETE, j + 1]):
        known = True
        for i in range(active):
            if nodes[i] == net.member[p]:
                steps[i] = net.stride[p]
                known = False
        if known:
            key += row.codes[net.member[p]] * net.stride[p]
    table, start, width, weights, levels = net.table, net.at[TABLE, j], net.width[j], row.weights, net.levels
    dense, dense_at, is_dense = net.dense, net.at[DENSE, j], net.at[DENSE, j + 1] > net.at[DENSE, j]
    keys, keys_at, keys_end = net.keys, net.at[KEYS, j], net.at[KEYS, j + 1]
    member, first, last = net.member, net.at[CONTINUOUS, j], net.at[CONTINUOUS, j + 1]
    values, x = row.values, row.values[j]
    for c in range(M):
        cell = np.int64(dense[dense_at + key]) if is_dense else bisect_keys(keys, keys_at, keys_end, key)
        at = start + cell * width
        if discrete:
            weights[c] += table[at + level]
        else:
            weights[c] += log_density(table, at, member, first, last, values, x, net.rounding)
        for i in range(active - 1, -1, -1):  # the next configuration: the last node's level changes fastest
            digits[i] += 1
            key += steps[i]
            level += own[i]
            if digits[i] < levels[nodes[i]]:
                break
            key -= steps[i] * digits[i]
            level -= own[i] * digits[i]
            digits[i] = 0


@jit
def integrate_continuous(net: FlatNetwork, row: Row) -> float:
    """Log-density of the observed values in the linked factors, for the levels in the row. O(N K^2).

    The missing continuous values are integrated out; mean, A and K of their distribution are left in the row. Each
    observed node updates it in Potter's way, by the square root of the covariance matrix: that keeps digits, and takes
    deviations of 0. A node that is certain changes nothing.
    """
    slot, holder, linked = row.lists[SLOT], row.lists[HOLDER], row.lists[LINKED]
    codes, values, is_missing, mean, A, v = row.codes, row.values, row.missing, row.mean, row.A, row.v
    starts, member, stride, table, rounding_share = net.at, net.member, net.stride, net.table, net.rounding
    answer = 0.0
    K = 0
    for t in range(row.size[1]):
        j = linked[t]
        missing = is_missing[j]
        key = 0  # as in parameters_at: a call of that takes longer than the rest
        for i in range(starts[DISCRETE, j], starts[DISCRETE, j + 1]):
            key += codes[member[i]] * stride[i]
        is_dense = starts[DENSE, j + 1] > starts[DENSE, j]
        cell = (
            np.int64(net.dense[starts[DENSE, j] + key])
            if is_dense
            else bisect_keys(net.keys, starts[KEYS, j], starts[KEYS, j + 1], key)
        )
        at = starts[TABLE, j] + cell * net.width[j]
        expected = table[at]
        magnitude = abs(expected)
        for k in range(K):
            v[k] = 0.0
        for i in range(starts[CONTINUOUS, j], starts[CONTINUOUS, j + 1]):
            at += 1
            p, b = member[i], table[at]
            if is_missing[p]:
                s = slot[p]
                term = b * mean[s]
                for k in range(K):
                    v[k] += b * A[s, k]
                    magnitude += abs(b * A[s, k])
            else:
                term = b * values[p]
            expected += term
            magnitude += abs(term)
        sd = table[at + 1]
        if missing:
            slot[j], holder[K], mean[K] = K, j, expected
            for k in range(K):
                A[K, k] = v[k]
                A[k, K] = 0.0
            A[K, K] = sd
            K += 1
            continue
        total = sd * sd
        for k in range(K):
            total += v[k] * v[k]
        error = values[j] - expected
        rounding = rounding_share * (magnitude + abs(values[j]))
        if total <= rounding * rounding:
            if abs(error) > rounding:
                answer = -math.inf
            continue
        shrink, error_share = 1.0 / (total + sd * math.sqrt(total)), error / total
        for i in range(K):
            along = 0.0
            for k in range(K):
                along += A[i, k] * v[k]
            mean[i] += along * error_share
            for k in range(K):
                A[i, k] -= shrink * along * v[k]
        answer -= 0.5 * (error * error_share + math.log(2.0 * math.pi * total))
    row.size[4] = K
    return answer


@jit
def scale_weights(weights: Floats, number: int) -> float:
    """Turn logarithms of weights into shares of their sum, in place; returns its logarithm, -inf if all are 0."""
    top = -math.inf
    for i in range(number):
        top = max(top, weights[i])
    if top == -math.inf:
        return top
    total = 0.0
    for i in range(number):
        weights[i] = math.exp(weights[i] - top)
        total += weights[i]
    for i in range(number):
        weights[i] /= total
    return top + math.log(total)


@jit
def _is_about(net: FlatNetwork, factor: int, j: int) -> bool:
    """Whether a factor is that of discrete node j or of a child of it."""
    if factor == j:
        return True
    for i in range(net.at[DISCRETE, factor], net.at[DISCRETE, factor + 1]):
        if net.member[i] == j:
            return True
    return False


@jit
def _is_settled(net: FlatNetwork, row: Row, factor: int) -> bool:
    """Whether all discrete nodes of a factor are observed or have a level."""
    if net.levels[factor] > 0 and row.missing[factor] and row.lists[SETTLED, factor] == 0:
        return False
    for i in range(net.at[DISCRETE, factor], net.at[DISCRETE, factor + 1]):
        p = net.member[i]
        if row.missing[p] and row.lists[SETTLED, p] == 0:
            return False
    return True


@jit
def _weigh_active(net: FlatNetwork, row: Row, M: int, which: int) -> float:
    """Shares of the M configurations of the active nodes, and the logarithm of their sum, from some factors.

    which : ALL_FACTORS; OWN_FACTORS, of missing nodes alone; and for a single active node GIVEN_OTHERS, those that it
    is in, or AT_START, those of them that have only settled levels and no missing continuous values
    """
    j = row.lists[ACTIVE, 0]
    for c in range(M):
        row.weights[c] = 0.0
    for t in range(row.size[0]):
        factor = row.lists[PLAIN, t]
        counts = True
        if which == OWN_FACTORS:
            counts = row.missing[factor]
        elif which != ALL_FACTORS:
            counts = _is_about(net, factor, j) and (which == GIVEN_OTHERS or _is_settled(net, row, factor))
        if counts:
            add_plain(net, row, factor, M)
    linked = which == ALL_FACTORS and row.size[1] > 0
    if which == GIVEN_OTHERS:
        for t in range(row.size[1]):
            linked = linked or _is_about(net, row.lists[LINKED, t], j)
    if linked:
        for c in range(M):
            if row.weights[c] > -math.inf:
                set_configuration(net, row, c)
                row.weights[c] += integrate_continuous(net, row)
    return scale_weights(row.weights, M)


@jit
def weigh_configurations(net: FlatNetwork, row: Row, M: int) -> float:
    """Probability of each configuration of the unknown nodes, and the log-probability of the evidence. O(M N K^2).

    Evidence that is impossible in all of them (-inf) is left out of the probabilities.
    """
    answer = 0.0
    for which in (ALL_FACTORS, OWN_FACTORS):  # a loop, since a second call would be compiled once more
        top = _weigh_active(net, row, M, which)
        if which == ALL_FACTORS:
            answer = top
        if top > -math.inf:
            break
    return answer


@jit
def weigh_levels(net: FlatNetwork, row: Row, j: int, start: bool) -> bool:
    """Probability of each level of node j given the levels of all others; False, if none is possible. O(r N K^2).

    At the start only factors count whose levels are settled and which have no missing continuous values.
    """
    row.lists[ACTIVE, 0], row.size[3] = j, 1
    before = row.codes[j]
    top = _weigh_active(net, row, net.levels[j], AT_START if start else GIVEN_OTHERS)
    row.codes[j] = before
    return top > -math.inf
