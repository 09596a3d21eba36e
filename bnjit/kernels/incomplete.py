"""A network as arrays, a row with gaps, and the components that its missing values fall into.

Axis legend: N nodes; T factors, that is local distributions, of a row; K missing continuous values; M configurations.
Missing values that share a factor belong to one component. Components are independent given the observed values, and
each is handled by itself.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64, jit

# Rows of FlatNetwork.at: where the parents, children, configurations and parameters of a node begin.
DISCRETE, CONTINUOUS, CHILD, KEYS, DENSE, TABLE = range(6)

# Rows of Row.lists, and of Row.counters.
NEEDED, ROOT, TOUCHED, COMPONENT, PLAIN, LINKED, UNKNOWN, SETTLED, ACTIVE, SLOT, HOLDER = range(11)
DIGIT, STEP, OWN = range(3)


class FlatNetwork(NamedTuple):
    """A network as few arrays; what belongs to node j begins at at[..., j] and ends before at[..., j + 1].

    order : int32[N], parents before children; levels : int64[N], 0 for a continuous node
    at : int64[6, N + 1]; member : int32[L], discrete parents of all nodes, continuous parents, then children
    stride : int64[L], what a level of a discrete parent adds to the key of its child
    keys : int64, configurations with parameters; dense : int32, cell of every configuration, or nothing for a node
    width : int64[N], table : parameters of each cell, the fallback's last; a discrete node has the logarithms of its
    probabilities, a continuous one its coefficients, intercept first, its deviation s and log(s sqrt(2 pi))
    rounding : what rounding may change of a sum, in relation to its terms
    """

    order: Ints32
    levels: Ints64
    at: Ints64
    member: Ints32
    stride: Ints64
    keys: Ints64
    dense: Ints32
    width: Ints64
    table: Floats
    rounding: float


class Row(NamedTuple):
    """One row, and room to work on it: few arrays, since each makes every call and its compilation slower.

    codes : int64[N], values : float64[N], missing : bool[N]; what a missing value holds is a guess, or nothing
    lists : int32[11, N], in rows that have names:
        NEEDED, whether a node has a say: observed, asked for, or with such a descendant
        ROOT, which component a missing node belongs to
        TOUCHED, COMPONENT, factors with missing values in the order of the network, and their components
        PLAIN, LINKED, factors of the component at work without and with missing continuous values
        UNKNOWN, missing discrete nodes of the component; SETTLED, whether a node has got a level
        ACTIVE, unknown nodes whose configurations are weighed
        SLOT, HOLDER, place of a missing continuous node among the K, and the reverse
    counters : int64[3, N], for counting configurations of the active nodes: levels, and what they add to a key or level
    mean : float64[N], A : float64[N, N]: the K are mean + A e, with independent standard normal e; v : float64[N]
    size : int64[5], numbers of: plain, linked, unknown, active nodes, and K
    weights : float64[>= M], of configurations of the active nodes, first as logarithms, then as shares
    """

    codes: Ints64
    values: Floats
    missing: NDArray[np.bool_]
    lists: Ints32
    counters: Ints64
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
    return Row(
        np.zeros(N, np.int64), np.zeros(N), np.zeros(N, np.bool_), np.zeros((11, N), np.int32),
        np.zeros((3, N), np.int64), np.zeros(N), np.zeros((N, N)), np.zeros(N), np.zeros(5, np.int64),
        np.zeros(max(most, largest)),
    )  # fmt: skip


@jit
def bisect_keys(keys: Ints64, first: int, end: int, key: int) -> int:
    """Cell of a configuration whose keys are at first ... end - 1, by bisection; end - first if it is not there."""
    low, high = first, end
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return (low if low < end and keys[low] == key else end) - first


@jit
def parameters_at(net: FlatNetwork, j: int, codes: Ints64) -> int:
    """Where in the table the parameters of node j begin, given the levels of its discrete parents."""
    key = 0
    for i in range(net.at[DISCRETE, j], net.at[DISCRETE, j + 1]):
        key += codes[net.member[i]] * net.stride[i]
    is_dense = net.at[DENSE, j + 1] > net.at[DENSE, j]
    cell = (
        np.int64(net.dense[net.at[DENSE, j] + key])
        if is_dense
        else bisect_keys(net.keys, net.at[KEYS, j], net.at[KEYS, j + 1], key)
    )
    return net.at[TABLE, j] + cell * net.width[j]


@jit
def _find(lists: Ints32, j: int) -> int:
    """Component of a missing node."""
    while lists[ROOT, j] != j:
        lists[ROOT, j] = lists[ROOT, lists[ROOT, j]]
        j = lists[ROOT, j]
    return j


@jit
def _join(net: FlatNetwork, row: Row, j: int) -> int:
    """Put the missing values of one factor into one component; returns it, -1 if none is missing."""
    joined = -1
    if row.missing[j]:
        joined = _find(row.lists, j)
    for kind in (DISCRETE, CONTINUOUS):
        for i in range(net.at[kind, j], net.at[kind, j + 1]):
            if row.missing[net.member[i]]:
                other = _find(row.lists, net.member[i])
                if joined >= 0:
                    row.lists[ROOT, other] = joined
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
        at = net.at[CHILD, j]
        while not needed and at < net.at[CHILD, j + 1]:
            needed = row.lists[NEEDED, net.member[at]]
            at += 1
        row.lists[NEEDED, j] = needed
        row.lists[ROOT, j] = j
    T = 0
    for j in net.order:
        if row.lists[NEEDED, j] and _join(net, row, j) >= 0:
            row.lists[TOUCHED, T] = j
            T += 1
    for t in range(T):
        row.lists[COMPONENT, t] = _join(net, row, row.lists[TOUCHED, t])
    return T


@jit
def gather_component(net: FlatNetwork, row: Row, T: int, first: int) -> bool:
    """Take the factors of the component of factor `first` to work on; False if that was done before."""
    component = row.lists[COMPONENT, first]
    if component < 0:
        return False
    plain = linked = unknown = 0
    for t in range(first, T):
        if row.lists[COMPONENT, t] == component:
            j = row.lists[TOUCHED, t]
            row.lists[COMPONENT, t] = -1
            is_linked = row.missing[j] and net.levels[j] == 0
            for i in range(net.at[CONTINUOUS, j], net.at[CONTINUOUS, j + 1]):
                is_linked = is_linked or row.missing[net.member[i]]
            if is_linked:
                row.lists[LINKED, linked] = j
                linked += 1
            else:
                row.lists[PLAIN, plain] = j
                plain += 1
            if row.missing[j] and net.levels[j] > 0:
                row.lists[UNKNOWN, unknown] = j
                unknown += 1
    row.size[0], row.size[1], row.size[2] = plain, linked, unknown
    return True


@jit
def activate_all(net: FlatNetwork, row: Row, most: int) -> int:
    """Make all unknown nodes active; returns M, or 0 if there are more than `most` and more than one node."""
    M = 1
    for i in range(row.size[2]):
        row.lists[ACTIVE, i] = row.lists[UNKNOWN, i]
        M *= net.levels[row.lists[UNKNOWN, i]]
        if most < M and row.size[2] > 1:
            return 0
    row.size[3] = row.size[2]
    return M


@jit
def set_configuration(net: FlatNetwork, row: Row, number: int) -> None:
    """Give the active nodes their levels in one of the configurations."""
    for i in range(row.size[3] - 1, -1, -1):
        j = row.lists[ACTIVE, i]
        row.codes[j] = number % net.levels[j]
        number //= net.levels[j]
