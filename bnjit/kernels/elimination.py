"""Posterior of one missing value of a row, by summing out the others one after another.

Axis legend: k unknown nodes, the missing discrete ones of a component, in the order of Row.lists[UNKNOWN]; F tables; M
configurations. A table has the configurations of the nodes in its scope, a bit mask of the k; the last one changes
fastest. Each table is scaled so that its largest entry is 1.
"""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64, jit
from bnjit.kernels.incomplete import (
    ACTIVE,
    DISCRETE,
    LINKED,
    PLAIN,
    SLOT,
    UNKNOWN,
    FlatNetwork,
    Row,
    set_configuration,
)
from bnjit.kernels.posterior import add_plain, integrate_continuous

MOST_UNKNOWN = 62  # bits of a mask


class Tables(NamedTuple):
    """Tables of a component, and room to multiply some of them.

    entries : float64[capacity], one table behind the other; at, scope : int64[F], where a table begins, and its scope,
    -1 for a table that went into another
    used : int64[2], entries and tables there are; place : int64[N], number of each unknown node
    chosen : int64[F], tables to multiply, current : int64[F], the entry each of them is at, and stride :
    int64[F, 62], by how much that grows with each node; node, digit : int64[62], nodes of the product and their levels
    """

    entries: Floats
    at: Ints64
    scope: Ints64
    used: Ints64
    place: Ints64
    chosen: Ints64
    current: Ints64
    stride: Ints64
    node: Ints64
    digit: Ints64


@jit
def make_tables(N: int, capacity: int) -> Tables:
    """Room for tables with so many entries in all."""
    F = 2 * N + 2
    return Tables(
        np.empty(capacity), np.zeros(F, np.int64), np.zeros(F, np.int64), np.zeros(2, np.int64), np.zeros(N, np.int64),
        np.zeros(F, np.int64), np.zeros(F, np.int64), np.zeros((F, MOST_UNKNOWN), np.int64),
        np.zeros(MOST_UNKNOWN, np.int64), np.zeros(MOST_UNKNOWN, np.int64),
    )  # fmt: skip


@jit
def _scope_of(net: FlatNetwork, row: Row, place: Ints64, j: int) -> int:
    """Unknown nodes among a node and its parents."""
    scope = 0
    if row.missing[j] and net.levels[j] > 0:
        scope |= 1 << place[j]
    for i in range(net.at[DISCRETE, j], net.at[DISCRETE, j + 1]):
        if row.missing[net.member[i]]:
            scope |= 1 << place[net.member[i]]
    return scope


@jit
def _activate(net: FlatNetwork, row: Row, scope: int, most: int) -> int:
    """Make the nodes of a scope active; returns M, or 0 if there are more than `most`."""
    M = 1
    active = 0
    for i in range(row.size[2]):
        if scope >> i & 1:
            row.lists[ACTIVE, active] = row.lists[UNKNOWN, i]
            active += 1
            M *= net.levels[row.lists[UNKNOWN, i]]
            if most < M:
                return 0
    row.size[3] = active
    return M


@jit
def _keep_weights(row: Row, tables: Tables, scope: int, M: int) -> bool:
    """Make a table of the logarithms in the weights; False if all are impossible, or there is no room."""
    top = -math.inf
    for c in range(M):
        top = max(top, row.weights[c])
    start, t = tables.used
    if top == -math.inf or start + M > tables.entries.shape[0]:
        return False
    for c in range(M):
        tables.entries[start + c] = math.exp(row.weights[c] - top)
    tables.at[t], tables.scope[t] = start, scope
    tables.used[0], tables.used[1] = start + M, t + 1
    return True


@jit
def _tabulate(net: FlatNetwork, row: Row, tables: Tables, most: int) -> int:
    """Make the tables of all factors of the component; returns the scope of the linked ones, -1 for failure."""
    tables.used[:] = 0
    for i in range(row.size[2]):
        tables.place[row.lists[UNKNOWN, i]] = i
    for t in range(row.size[0]):
        j = row.lists[PLAIN, t]
        scope = _scope_of(net, row, tables.place, j)
        M = _activate(net, row, scope, most)
        for c in range(M):
            row.weights[c] = 0.0
        if M > 0:
            add_plain(net, row, j, M)
        if M == 0 or not _keep_weights(row, tables, scope, M):
            return -1
    linked = 0
    for t in range(row.size[1]):
        linked |= _scope_of(net, row, tables.place, row.lists[LINKED, t])
    if row.size[1] > 0:
        M = _activate(net, row, linked, most)
        for c in range(M):
            set_configuration(net, row, c)
            row.weights[c] = integrate_continuous(net, row)
        if M == 0 or not _keep_weights(row, tables, linked, M):
            return -1
    return linked


@jit
def _size(net: FlatNetwork, row: Row, scope: int) -> float:
    """Entries of a table."""
    size = 1.0
    for i in range(row.size[2]):
        if scope >> i & 1:
            size *= net.levels[row.lists[UNKNOWN, i]]
    return size


@jit
def _choose(net: FlatNetwork, row: Row, tables: Tables, left: int) -> tuple[int, int]:
    """The node whose tables have the smallest product, among those left, and the scope of that product."""
    best, best_scope, least = -1, 0, math.inf
    for i in range(row.size[2]):
        if left >> i & 1:
            scope = 0
            for t in range(tables.used[1]):
                if tables.scope[t] >= 0 and tables.scope[t] >> i & 1:
                    scope |= tables.scope[t]
            size = _size(net, row, scope)
            if size < least:
                best, best_scope, least = i, scope, size
    return best, best_scope


@jit
def _multiply(net: FlatNetwork, row: Row, tables: Tables, scope: int, summed: int) -> bool:
    """Multiply the tables with node `summed` in their scope, or all of them if it is -1, and sum that node out.

    False if there is no room, or nothing but zeros is left.
    """
    nodes = 0
    for i in range(row.size[2]):
        if scope >> i & 1 and i != summed:
            tables.node[nodes] = i
            nodes += 1
    M = 1
    for d in range(nodes):
        tables.digit[d] = 0
        M *= net.levels[row.lists[UNKNOWN, tables.node[d]]]
    r = 1
    if summed >= 0:
        tables.node[nodes] = summed
        r = net.levels[row.lists[UNKNOWN, summed]]
    number = 0
    for t in range(tables.used[1]):
        if tables.scope[t] >= 0 and (summed < 0 or tables.scope[t] >> summed & 1):
            tables.chosen[number], tables.current[number] = t, tables.at[t]
            step = 1
            for i in range(row.size[2] - 1, -1, -1):
                if tables.scope[t] >> i & 1:
                    tables.stride[number, i] = step
                    step *= net.levels[row.lists[UNKNOWN, i]]
                else:
                    tables.stride[number, i] = 0
            number += 1
    start, made = tables.used
    if start + M > tables.entries.shape[0]:
        return False
    entries, current, stride = tables.entries, tables.current, tables.stride
    top = 0.0
    for c in range(M):
        total = 0.0
        for level in range(r):
            product = 1.0
            for f in range(number):
                product *= entries[current[f] + (level * stride[f, summed] if summed >= 0 else 0)]
            total += product
        entries[start + c] = total
        top = max(top, total)
        for d in range(nodes - 1, -1, -1):
            node = tables.node[d]
            tables.digit[d] += 1
            for f in range(number):
                current[f] += stride[f, node]
            levels = net.levels[row.lists[UNKNOWN, node]]
            if tables.digit[d] < levels:
                break
            for f in range(number):
                current[f] -= stride[f, node] * levels
            tables.digit[d] = 0
    if top < 1e-150:
        return False
    for c in range(M):
        entries[start + c] /= top
    for f in range(number):
        tables.scope[tables.chosen[f]] = -1
    tables.at[made], tables.scope[made] = start, scope & ~(1 << summed) if summed >= 0 else scope
    tables.used[0], tables.used[1] = start + M, made + 1
    return True


@jit
def eliminate(net: FlatNetwork, row: Row, tables: Tables, target: int, most: int) -> int:
    """Weights of the levels of a discrete target, or of the configurations that a continuous one depends on.

    The weights sum to 1; the nodes that they are of become the active ones. Returns how many they are: 0 if a table
    would have more than `most` entries, or if nothing is possible but for what underflows.
    """
    k = row.size[2]
    if k > MOST_UNKNOWN:
        return 0
    keep = _tabulate(net, row, tables, most)
    if keep < 0:
        return 0
    if net.levels[target] > 0:
        keep = 1 << tables.place[target]
    left = ((1 << k) - 1) & ~keep
    while left != 0:
        i, scope = _choose(net, row, tables, left)
        if _size(net, row, scope) > most or not _multiply(net, row, tables, scope, i):
            return 0
        left &= ~(1 << i)
    if not _multiply(net, row, tables, keep, -1):
        return 0
    M = _activate(net, row, keep, most)
    start = tables.at[tables.used[1] - 1]
    total = 0.0
    for c in range(M):
        total += tables.entries[start + c]
    for c in range(M):
        row.weights[c] = tables.entries[start + c] / total
    return M


@jit
def mean_and_variance(net: FlatNetwork, row: Row, target: int, M: int) -> tuple[float, float]:
    """Moments of a continuous node over the M configurations of the active nodes, with their weights. O(M N K^2)."""
    total = mean = squares = within = 0.0
    for c in range(M):
        weight = row.weights[c]
        if weight > 0.0:
            set_configuration(net, row, c)
            integrate_continuous(net, row)
            at = row.lists[SLOT, target]
            for e in range(row.size[4]):
                within += weight * row.A[at, e] * row.A[at, e]
            total += weight
            step = row.mean[at] - mean
            mean += step * weight / total
            squares += weight * step * (row.mean[at] - mean)
    return mean, within + squares
