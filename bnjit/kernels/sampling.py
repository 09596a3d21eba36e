"""Draw rows of a network: random numbers by hashing, levels and normal values per cell.

Axis legend: n rows; m cells, and one more for configurations that have no parameters; r levels; g continuous parents.
A row's random number depends on the seed, the node and the row's number alone, so that neither threads nor chunks
change what is drawn.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.splitmix import GOLDEN, mix
from bnjit.kernels.tuning import COUNTED_LEVELS, KEYED_ROWS


@jit
def uniform(stream: np.uint64, row: int) -> float:
    """A number between 0 and 1, neither of them included, for a row of a stream."""
    bits = mix(stream + (np.uint64(row) + np.uint64(1)) * GOLDEN)
    return (np.float64(bits >> np.uint64(12)) + 0.5) * 2.0**-52


@jit
def _rational(x: float, top: Floats, bottom: Floats) -> float:
    """Quotient of two polynomials."""
    a = b = 0.0
    for i in range(top.shape[0] - 1, -1, -1):
        a = a * x + top[i]
        b = b * x + bottom[i]
    return a / b


# Wichura (1988), algorithm AS 241, PPND16: the normal quantile to about 1e-16.
_A = np.array(
    [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ]
)
_B = np.array(
    [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ]
)
_C = np.array(
    [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ]
)
_D = np.array(
    [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ]
)
_E = np.array(
    [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ]
)
_F = np.array(
    [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ]
)


@jit
def normal_quantile(p: float) -> float:
    """Value below which a standard normal variable stays with probability p."""
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * _rational(0.180625 - q * q, _A, _B)
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    value = _rational(r - 1.6, _C, _D) if r <= 5.0 else _rational(r - 5.0, _E, _F)
    return value if q > 0.0 else -value


@jit
def find_cell(key: int, keys: Ints64, dense: Ints32) -> int:
    """Cell of a configuration: by table, or by bisection where there is none; m where it has no parameters."""
    if dense.shape[0] > 0:
        return dense[key]
    at = np.searchsorted(keys, key)
    if at < keys.shape[0] and keys[at] == key:
        return at  # type: ignore[return-value]
    return keys.shape[0]


@jit
def _level_by_count(cumulative: Floats, cell: int, u: float) -> int:
    """Level whose share of [0, 1] holds u: how many of the shares end before u. No branch, so that it is vectorised."""
    level = 0
    for k in range(cumulative.shape[1] - 1):
        level += int(cumulative[cell, k] <= u)
    return level


@jit
def _level_by_bisection(cumulative: Floats, cell: int, u: float) -> int:
    """Level whose share of [0, 1] holds u."""
    low, high = 0, cumulative.shape[1] - 1
    while low < high:
        middle = (low + high) // 2
        if u < cumulative[cell, middle]:
            high = middle
        else:
            low = middle + 1
    return low


@jit
def _draw_levels(
    cell_keys: Ints64, keys: Ints64, dense: Ints32, cumulative: Floats, stream: np.uint64, first: int, start: int,
    shares: Floats, cells: Ints64, out: Ints32,
) -> None:  # fmt: skip
    """Draw a block of rows; see draw_levels. One loop for each step: the first and the last are vectorised."""
    n = min(KEYED_ROWS, out.shape[0] - start)
    for r in range(n):
        shares[r] = uniform(stream, first + start + r)
    if dense.shape[0] > 0:
        for r in range(n):
            cells[r] = dense[cell_keys[start + r]]
    else:
        for r in range(n):
            cells[r] = find_cell(cell_keys[start + r], keys, dense)
    if cumulative.shape[1] <= COUNTED_LEVELS:
        for r in range(n):
            out[start + r] = _level_by_count(cumulative, cells[r], shares[r])
    else:
        for r in range(n):
            out[start + r] = _level_by_bisection(cumulative, cells[r], shares[r])


@jit
def draw_levels(
    first_block: int, last_block: int, cell_keys: Ints64, keys: Ints64, dense: Ints32, cumulative: Floats,
    stream: np.uint64, first: int, out: Ints32,
) -> None:  # fmt: skip
    """Draw a discrete node for blocks of KEYED_ROWS of the rows first ... first + n - 1. O(n r), or O(n log r).

    cell_keys : int64[n], configurations of the parents; keys : int64[m], dense : int32[K] or empty: see find_cell;
    cumulative : float64[m + 1, r]; out : int32[n]
    """
    shares, cells = np.empty(KEYED_ROWS), np.empty(KEYED_ROWS, np.int64)
    for block in range(first_block, last_block):
        _draw_levels(cell_keys, keys, dense, cumulative, stream, first, block * KEYED_ROWS, shares, cells, out)


@jit
def _draw_values(
    cell_keys: Ints64, keys: Ints64, dense: Ints32, coefficients: Floats, sd: Floats, parents: Floats,
    stream: np.uint64, first: int, start: int, out: Floats,
) -> None:  # fmt: skip
    """Draw a block of rows; see draw_values."""
    for r in range(start, min(start + KEYED_ROWS, out.shape[0])):
        cell = find_cell(cell_keys[r], keys, dense)
        value = coefficients[cell, 0] + sd[cell] * normal_quantile(uniform(stream, first + r))
        for i in range(parents.shape[0]):
            value += coefficients[cell, i + 1] * parents[i, r]
        out[r] = value


@jit
def draw_values(
    first_block: int, last_block: int, cell_keys: Ints64, keys: Ints64, dense: Ints32, coefficients: Floats,
    sd: Floats, parents: Floats, stream: np.uint64, first: int, out: Floats,
) -> None:  # fmt: skip
    """Draw a continuous node for blocks of KEYED_ROWS of the rows first ... first + n - 1. O(n (1 + g)).

    coefficients : float64[m + 1, g + 1], intercept first; sd : float64[m + 1]; parents : float64[g, n];
    out : float64[n]; others as in draw_levels
    """
    for block in range(first_block, last_block):
        _draw_values(cell_keys, keys, dense, coefficients, sd, parents, stream, first, block * KEYED_ROWS, out)


@jit
def stream_of(seed: int, node: int) -> np.uint64:
    """Stream of random numbers of a node."""
    return mix(mix(np.uint64(seed) + np.uint64(0x632BE59BD9B4E019)) + np.uint64(node) * np.uint64(0xD1342543DE82EF95))
