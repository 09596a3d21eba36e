"""A network as arrays, a row with gaps, and the components that its missing values fall into.

Axis legend: N nodes; T factors, that is local distributions, of a row; K missing continuous values; M configurations.
Missing values that share a factor belong to one component. Components are independent given the observed values, and
each is handled by itself.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit


class FlatNetwork(NamedTuple):
    """A network as arrays; what belongs to node j begins at x_at[j] and ends before x_at[j + 1].

    order : int32[N], parents before children; levels : int64[N], 0 for a continuous node
    discrete_at, discrete_parent, discrete_stride : discrete parents, and what a level of each adds to the key
    continuous_at, continuous_parent : continuous parents; child_at, child : children
    keys_at, keys : configurations with parameters; dense_at, dense : cell of every configuration, or nothing
    table_at, width, table : parameters of each cell, the fallback's last; a discrete node has the logarithms of its
    probabilities, a continuous one its coefficients, intercept first, its deviation s and log(s sqrt(2 pi))
    rounding : what rounding may change of a sum, in relation to its terms
    """

    order: Ints32
    levels: Ints64
    discrete_at: Ints64
    discrete_parent: Ints32
    discrete_stride: Ints64
    continuous_at: Ints64
    continuous_parent: Ints32
    child_at: Ints64
    child: Ints32
    keys_at: Ints64
    keys: Ints64
    dense_at: Ints64
    dense: Ints32
    table_at: Ints64
    width: Ints64
    table: Floats
    rounding: float


class Row(NamedTuple):
    """One row, and room to work on it.

    codes : int64[N], values : float64[N], missing : bool[N]; what a missing value holds is a guess, or nothing
    needed : bool[N], whether a node has a say: observed, asked for, or with such a descendant
    root : int32[N], which component a missing node belongs to
    touched, component : int32[N], factors with missing values in the order of the network, and their components
    plain, linked : int32[N], factors of the component at work without and with missing continuous values
    unknown : int32[N], missing discrete nodes of the component; settled : bool[N], those that have a level
    active : int32[N], unknown nodes whose configurations are weighed; digits, steps, own : int64[N], for counting them
    slot : int32[N], holder : int32[N], place of a missing continuous node among the K, and the reverse
    mean : float64[N], A : float64[N, N]: the K are mean + A e, with independent standard normal e; v : float64[N]
    size : int64[5], numbers of: plain, linked, unknown, active nodes, and K
    weights : float64[>= M], of configurations of the active nodes, first as logarithms, then as shares
    """

    codes: Ints64
    values: Floats
    missing: NDArray[np.bool_]
    needed: NDArray[np.bool_]
    root: Ints32
    touched: Ints32
    component: Ints32
    plain: Ints32
    linked: Ints32
    unknown: Ints32
    settled: NDArray[np.bool_]
    active: Ints32
    digits: Ints64
    steps: Ints64
    own: Ints64
    slot: Ints32
    holder: Ints32
    mean: Floats
    A: Floats
    v: Floats
    size: Ints64
    weights: Floats


@jit
def make_row(net: FlatNetwork, most: int) -> Row:
    """Room for a row of a network, and for the weights of at most `most` configurations."""
    N = net.order.shape[0]
    largest = 1
    for j in range(N):
        largest = max(largest, net.levels[j])
    flags, few = np.zeros((3, N), np.bool_), np.zeros((9, N), np.int32)
    many, numbers = np.zeros((4, N), np.int64), np.zeros((3, N))
    return Row(
        many[0], numbers[0], flags[0], flags[1], few[0], few[1], few[2], few[3], few[4], few[5], flags[2], few[6],
        many[1], many[2], many[3], few[7], few[8], numbers[1], np.zeros((N, N)), numbers[2], np.zeros(5, np.int64),
        np.zeros(max(most, largest)),
    )  # fmt: skip


@jit
def find_parameters(net: FlatNetwork, j: int, key: int) -> int:
    """Where in the table the parameters of node j begin for a configuration of its discrete parents."""
    if net.dense_at[j + 1] > net.dense_at[j]:
        return net.table_at[j] + net.dense[net.dense_at[j] + key] * net.width[j]
    low, end = net.keys_at[j], net.keys_at[j + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if net.keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    cell = (low if low < end and net.keys[low] == key else end) - net.keys_at[j]
    return net.table_at[j] + cell * net.width[j]


@jit
def parameters_at(net: FlatNetwork, j: int, codes: Ints64) -> int:
    """Where in the table the parameters of node j begin, given the levels of its discrete parents."""
    key = 0
    for i in range(net.discrete_at[j], net.discrete_at[j + 1]):
        key += codes[net.discrete_parent[i]] * net.discrete_stride[i]
    return find_parameters(net, j, key)


@jit
def _find(root: Ints32, j: int) -> int:
    """Component of a missing node."""
    while root[j] != j:
        root[j] = root[root[j]]
        j = root[j]
    return j


@jit
def _join(net: FlatNetwork, row: Row, j: int) -> int:
    """Put the missing values of one factor into one component; returns it, -1 if none is missing."""
    joined = -1
    if row.missing[j]:
        joined = _find(row.root, j)
    for discrete in range(2):
        at = net.discrete_at if discrete else net.continuous_at
        parents = net.discrete_parent if discrete else net.continuous_parent
        for i in range(at[j], at[j + 1]):
            if row.missing[parents[i]]:
                other = _find(row.root, parents[i])
                if joined >= 0:
                    row.root[other] = joined
                else:
                    joined = other
    return joined


@jit
def find_factors(net: FlatNetwork, row: Row, wanted: NDArray[np.bool_]) -> int:
    """List the factors that have missing values, with their components; returns T. O(N + arcs).

    Missing nodes that are not wanted, and have no descendants that are observed or wanted, sum to 1 and are left out.
    wanted : bool[N]
    """
    N = net.order.shape[0]
    for i in range(N - 1, -1, -1):
        j = net.order[i]
        needed = not row.missing[j] or wanted[j]
        at = net.child_at[j]
        while not needed and at < net.child_at[j + 1]:
            needed = row.needed[net.child[at]]
            at += 1
        row.needed[j] = needed
        row.root[j] = j
    T = 0
    for j in net.order:
        if row.needed[j] and _join(net, row, j) >= 0:
            row.touched[T] = j
            T += 1
    for t in range(T):
        row.component[t] = _join(net, row, row.touched[t])
    return T


@jit
def gather_component(net: FlatNetwork, row: Row, T: int, first: int) -> bool:
    """Take the factors of the component of factor `first` to work on; False if that was done before."""
    component = row.component[first]
    if component < 0:
        return False
    plain = linked = unknown = 0
    for t in range(first, T):
        if row.component[t] == component:
            j = row.touched[t]
            row.component[t] = -1
            is_linked = row.missing[j] and net.levels[j] == 0
            for i in range(net.continuous_at[j], net.continuous_at[j + 1]):
                is_linked = is_linked or row.missing[net.continuous_parent[i]]
            if is_linked:
                row.linked[linked] = j
                linked += 1
            else:
                row.plain[plain] = j
                plain += 1
            if row.missing[j] and net.levels[j] > 0:
                row.unknown[unknown] = j
                unknown += 1
    row.size[0], row.size[1], row.size[2] = plain, linked, unknown
    return True


@jit
def activate_all(net: FlatNetwork, row: Row, most: int) -> int:
    """Make all unknown nodes active; returns M, or 0 if there are more than `most` and more than one node."""
    M = 1
    for i in range(row.size[2]):
        row.active[i] = row.unknown[i]
        M *= net.levels[row.unknown[i]]
        if most < M and row.size[2] > 1:
            return 0
    row.size[3] = row.size[2]
    return M


@jit
def set_configuration(net: FlatNetwork, row: Row, number: int) -> None:
    """Give the active nodes their levels in one of the configurations."""
    for i in range(row.size[3] - 1, -1, -1):
        j = row.active[i]
        row.codes[j] = number % net.levels[j]
        number //= net.levels[j]
