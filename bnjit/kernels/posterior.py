"""What the missing values of one row may be, given the observed ones, under a network.

Axis legend: N nodes; K missing continuous values; M configurations of the active nodes; r levels. For given levels of
the missing discrete nodes of a component, the missing continuous ones are jointly normal and integrate out in closed
form. So only configurations of the missing discrete nodes have to be weighed.
"""

import math

from bnjit._jit import Floats, jit
from bnjit.kernels.incomplete import (
    FlatNetwork,
    Row,
    find_parameters,
    parameters_at,
    set_configuration,
)


@jit
def plain_log_density(net: FlatNetwork, row: Row, j: int, at: int) -> float:
    """Log-density of a continuous node given observed parents, with parameters at `at`.

    A node that is certain has 0 if its value is the one that it must have, else -inf.
    """
    mean = net.table[at]
    magnitude = abs(mean)
    for i in range(net.continuous_at[j], net.continuous_at[j + 1]):
        at += 1
        term = net.table[at] * row.values[net.continuous_parent[i]]
        mean += term
        magnitude += abs(term)
    sd, x = net.table[at + 1], row.values[j]
    rounding = net.rounding * (magnitude + abs(x))
    if sd <= rounding:
        return 0.0 if abs(x - mean) <= rounding else -math.inf
    z = (x - mean) / sd
    return -0.5 * z * z - net.table[at + 2]


@jit
def _add_plain(net: FlatNetwork, row: Row, j: int, M: int) -> None:
    """Add the logarithms of a plain factor to the weights of all configurations. O(M)."""
    active = row.size[3]
    for i in range(active):
        row.digits[i] = row.steps[i] = row.own[i] = 0
    level = 0 if net.levels[j] == 0 else row.codes[j]
    key = 0
    for i in range(active):
        if row.active[i] == j:
            row.own[i], level = 1, 0
    for p in range(net.discrete_at[j], net.discrete_at[j + 1]):
        parent, stride = net.discrete_parent[p], net.discrete_stride[p]
        known = True
        for i in range(active):
            if row.active[i] == parent:
                row.steps[i] = stride
                known = False
        if known:
            key += row.codes[parent] * stride
    for c in range(M):
        at = find_parameters(net, j, key)
        row.weights[c] += net.table[at + level] if net.levels[j] > 0 else plain_log_density(net, row, j, at)
        for i in range(active - 1, -1, -1):  # the next configuration: the last node's level changes fastest
            row.digits[i] += 1
            key += row.steps[i]
            level += row.own[i]
            if row.digits[i] < net.levels[row.active[i]]:
                break
            key -= row.steps[i] * row.digits[i]
            level -= row.own[i] * row.digits[i]
            row.digits[i] = 0


@jit
def integrate_continuous(net: FlatNetwork, row: Row, evidence: bool) -> float:
    """Log-density of the observed values in the linked factors, for the levels in the row. O(N K^2).

    The missing continuous values are integrated out; mean, A and K of their distribution are left in the row. Each
    observed node updates it in Potter's way, by the square root of the covariance matrix: that keeps digits, and takes
    deviations of 0. A node that is certain changes nothing. Without `evidence`, observed nodes do not count.
    """
    slot, values, mean, A, v = row.slot, row.values, row.mean, row.A, row.v
    answer = 0.0
    K = 0
    for t in range(row.size[1]):
        j = row.linked[t]
        missing = row.missing[j]
        if not (evidence or missing):
            continue
        at = parameters_at(net, j, row.codes)
        expected = net.table[at]
        magnitude = abs(expected)
        for k in range(K):
            v[k] = 0.0
        for i in range(net.continuous_at[j], net.continuous_at[j + 1]):
            at += 1
            p, b = net.continuous_parent[i], net.table[at]
            if row.missing[p]:
                s = slot[p]
                term = b * mean[s]
                for k in range(K):
                    v[k] += b * A[s, k]
                    magnitude += abs(b * A[s, k])
            else:
                term = b * values[p]
            expected += term
            magnitude += abs(term)
        sd = net.table[at + 1]
        if missing:
            slot[j], row.holder[K], mean[K] = K, j, expected
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
        rounding = net.rounding * (magnitude + abs(values[j]))
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
def _weigh_all(net: FlatNetwork, row: Row, M: int, evidence: bool) -> float:
    """Shares of the M configurations of all unknown nodes, and the logarithm of their sum."""
    for c in range(M):
        row.weights[c] = 0.0
    for t in range(row.size[0]):
        if evidence or row.missing[row.plain[t]]:
            _add_plain(net, row, row.plain[t], M)
    if evidence and row.size[1] > 0:
        for c in range(M):
            if row.weights[c] > -math.inf:
                set_configuration(net, row, c)
                row.weights[c] += integrate_continuous(net, row, True)
    return scale_weights(row.weights, M)


@jit
def weigh_configurations(net: FlatNetwork, row: Row, M: int) -> float:
    """Probability of each configuration of the unknown nodes, and the log-probability of the evidence. O(M N K^2).

    Evidence that is impossible in all of them (-inf) is left out of the probabilities.
    """
    answer = _weigh_all(net, row, M, True)
    if answer == -math.inf:
        _weigh_all(net, row, M, False)
    return answer


@jit
def _is_about(net: FlatNetwork, factor: int, j: int) -> bool:
    """Whether a factor is that of discrete node j or of a child of it."""
    if factor == j:
        return True
    for i in range(net.discrete_at[factor], net.discrete_at[factor + 1]):
        if net.discrete_parent[i] == j:
            return True
    return False


@jit
def _is_settled(net: FlatNetwork, row: Row, factor: int) -> bool:
    """Whether all discrete nodes of a factor are observed or have a level."""
    if net.levels[factor] > 0 and row.missing[factor] and not row.settled[factor]:
        return False
    for i in range(net.discrete_at[factor], net.discrete_at[factor + 1]):
        p = net.discrete_parent[i]
        if row.missing[p] and not row.settled[p]:
            return False
    return True


@jit
def weigh_levels(net: FlatNetwork, row: Row, j: int, start: bool) -> bool:
    """Probability of each level of node j given the levels of all others; False, if none is possible. O(r N K^2).

    At the start only factors count whose levels are settled and which have no missing continuous values.
    """
    r = net.levels[j]
    row.active[0], row.size[3] = j, 1
    for level in range(r):
        row.weights[level] = 0.0
    for t in range(row.size[0]):
        factor = row.plain[t]
        if _is_about(net, factor, j) and (not start or _is_settled(net, row, factor)):
            _add_plain(net, row, factor, r)
    linked = False
    for t in range(row.size[1]):
        linked = linked or _is_about(net, row.linked[t], j)
    if linked and not start:
        before = row.codes[j]
        for level in range(r):
            if row.weights[level] > -math.inf:
                row.codes[j] = level
                row.weights[level] += integrate_continuous(net, row, True)
        row.codes[j] = before
    return scale_weights(row.weights, r) > -math.inf
