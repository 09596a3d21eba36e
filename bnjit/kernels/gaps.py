"""Draw the missing values of rows from their distribution given the observed ones.

Axis legend: n rows; N nodes; g rows that have gaps. See `posterior` for what a row's components are. A component whose
missing discrete nodes have few enough configurations is drawn at once, exactly; in others, Gibbs sweeps draw one
discrete node after another, with missing continuous values integrated out. Random numbers depend on the seed and the
row's number alone.
"""

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints64, carray, jit, pointer
from bnjit.kernels.columns import FLOAT32, FLOAT64, UINT8, UINT16, Columns
from bnjit.kernels.incomplete import (
    CONTINUOUS,
    HOLDER,
    NEEDED,
    SETTLED,
    UNKNOWN,
    FlatNetwork,
    Row,
    activate_all,
    find_factors,
    gather_component,
    make_row,
    parameters_at,
    set_configuration,
)
from bnjit.kernels.posterior import integrate_continuous, scale_weights, weigh_configurations, weigh_levels
from bnjit.kernels.sampling import normal_quantile, uniform
from bnjit.kernels.splitmix import GOLDEN, mix


@jit
def read_row(columns: Columns, masks: Ints64, r: int, row: Row) -> None:
    """Copy row r; what stands in a gap is not looked at. masks : int64[N], addresses of bool[n], 0 without gaps."""
    for j in range(masks.shape[0]):
        gap = masks[j] != 0 and carray(pointer(masks[j] + r), (1,), np.uint8)[0] != 0
        row.missing[j] = gap
        kind, address = columns.kind[j], columns.address[j]
        if gap:
            continue
        if kind == UINT8:
            row.codes[j] = np.int64(carray(pointer(address + r), (1,), np.uint8)[0])
        elif kind == FLOAT64:
            row.values[j] = carray(pointer(address + 8 * r), (1,), np.float64)[0]
        elif kind == FLOAT32:
            row.values[j] = np.float64(carray(pointer(address + 4 * r), (1,), np.float32)[0])
        elif kind == UINT16:
            row.codes[j] = np.int64(carray(pointer(address + 2 * r), (1,), np.uint16)[0])
        else:
            row.codes[j] = np.int64(carray(pointer(address + 4 * r), (1,), np.uint32)[0])


@jit
def write_row(columns: Columns, r: int, row: Row) -> None:
    """Write what was missing to row r of the columns."""
    for j in range(row.missing.shape[0]):
        if row.missing[j]:
            kind, address = columns.kind[j], columns.address[j]
            if kind == UINT8:
                carray(pointer(address + r), (1,), np.uint8)[0] = row.codes[j]
            elif kind == FLOAT64:
                carray(pointer(address + 8 * r), (1,), np.float64)[0] = row.values[j]
            elif kind == FLOAT32:
                carray(pointer(address + 4 * r), (1,), np.float32)[0] = row.values[j]
            elif kind == UINT16:
                carray(pointer(address + 2 * r), (1,), np.uint16)[0] = row.codes[j]
            else:
                carray(pointer(address + 4 * r), (1,), np.uint32)[0] = row.codes[j]


@jit
def pick(shares: Floats, number: int, u: float) -> int:
    """Draw one of the first numbers by their shares, which sum to 1; never one with a share of 0."""
    last = 0
    for i in range(number):
        if shares[i] > 0.0:
            last = i
            u -= shares[i]
            if u < 0.0:
                break
    return last


@jit
def draw_own(net: FlatNetwork, row: Row, j: int, u: float) -> None:
    """Draw node j given its parents alone."""
    at = parameters_at(net, j, row.codes)
    if net.levels[j] > 0:
        for level in range(net.levels[j]):
            row.weights[level] = net.table[at + level]
        scale_weights(row.weights, net.levels[j])
        row.codes[j] = pick(row.weights, net.levels[j], u)
        return
    value = net.table[at]
    for i in range(net.at[CONTINUOUS, j], net.at[CONTINUOUS, j + 1]):
        at += 1
        value += net.table[at] * row.values[net.member[i]]
    row.values[j] = value + net.table[at + 1] * normal_quantile(u)


@jit
def sweep_levels(net: FlatNetwork, row: Row, state: np.uint64, turn: int) -> None:
    """Draw each unknown node of the component given all others; one without a possible level keeps what it has.

    Turn 0 is the start: each node gets a first level, from the factors whose levels are known by then.
    """
    N = net.order.shape[0]
    start = turn == 0
    for i in range(row.size[2]):
        row.lists[SETTLED, row.lists[UNKNOWN, i]] = not start
    for i in range(row.size[2]):
        j = row.lists[UNKNOWN, i]
        row.lists[SETTLED, j] = 1
        u = uniform(state, turn * N + j)
        if weigh_levels(net, row, j, start):
            row.codes[j] = pick(row.weights, net.levels[j], u)
        elif start:  # impossible with what is known: the parents decide
            draw_own(net, row, j, u)


@jit
def _draw_component(net: FlatNetwork, row: Row, state: np.uint64, sweeps: int, most: int) -> None:
    """Draw the missing values of the component: levels first, then all continuous values jointly."""
    N = net.order.shape[0]
    if row.size[2] > 0:
        M = activate_all(net, row, most)
        if M > 0:
            weigh_configurations(net, row, M)
            set_configuration(net, row, pick(row.weights, M, uniform(state, row.lists[UNKNOWN, 0])))
        else:
            for turn in range(sweeps + 1):
                sweep_levels(net, row, state, turn)
    if row.size[1] > 0:
        integrate_continuous(net, row)
        K = row.size[4]
        for k in range(K):
            row.v[k] = normal_quantile(uniform(state, (sweeps + 1) * N + row.lists[HOLDER, k]))
        for i in range(K):
            value = row.mean[i]
            for k in range(K):
                value += row.A[i, k] * row.v[k]
            row.values[row.lists[HOLDER, i]] = value


@jit
def draw_row(net: FlatNetwork, row: Row, wanted: NDArray[np.bool_], state: np.uint64, sweeps: int, most: int) -> None:
    """Draw the missing values of a row."""
    T = find_factors(net, row, wanted)
    for first in range(T):
        if gather_component(net, row, T, first):
            _draw_component(net, row, state, sweeps, most)
    for j in net.order:
        if row.missing[j] and not row.lists[NEEDED, j]:
            draw_own(net, row, j, uniform(state, j))


@jit
def draw_gaps(
    first_part: int, last_part: int, net: FlatNetwork, columns: Columns, masks: Ints64, rows: Ints64, parts: int,
    stream: np.uint64, first: int, sweeps: int, most: int,
) -> None:  # fmt: skip
    """Fill the gaps of some of `parts` parts of the rows that have any, in place. O(g N) and what is missing.

    columns : those to fill; masks : see read_row; rows : int64[g], which rows have gaps; first : number of row 0
    most : configurations that are weighed one by one rather than drawn by Gibbs sweeps
    """
    row = make_row(net, most)
    wanted = np.zeros(net.order.shape[0], np.bool_)
    g = rows.shape[0]
    for i in range(g * first_part // parts, g * last_part // parts):
        r = rows[i]
        read_row(columns, masks, r, row)
        state = mix(stream + (np.uint64(first + r) + np.uint64(1)) * GOLDEN)
        draw_row(net, row, wanted, state, sweeps, most)
        write_row(columns, r, row)
