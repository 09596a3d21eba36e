"""Normalised maximum likelihood of discrete nodes: the regret of a multinomial, and scores that are less by it.

The regret of n rows over K values is the log of what the maximised likelihoods of all K^n sequences sum to. It is exact
for few rows and values, and one of two closed forms of Szpankowski elsewhere, as in bnlearn.
"""

import math

from bnjit._jit import Floats, Ints64, jit
from bnjit.kernels.discrete import Tables, parent_cells

EXACT_ROWS, EXACT_VALUES = 1000, 100  # up to which regrets are exact; bnlearn's, so that scores are the same
FEW_VALUES = 4.0  # K^2 / n, to which the form for many rows may be the better one; far beyond it has no digits left


@jit
def _exact(n: int, k: int) -> float:
    """Regret of n rows over k values by recursion. O(sqrt(n) + k).

    Two values have the sum over b of n! / ((n - b)! n^b), and C(n, k) = C(n, k - 1) + n / (k - 2) C(n, k - 2).
    """
    before, sum_ = 1.0, 1.0
    term = 1.0
    for b in range(n):
        term *= 1.0 - b / n
        sum_ += term
        if term < 1e-17:
            break
    for values in range(3, k + 1):
        before, sum_ = sum_, sum_ + n / (values - 2) * before
    return math.log(sum_)


@jit
def _of_many_rows(n: float, k: float) -> float:
    """Szpankowski's expansion for n that is large beside k."""
    ratio = k * math.exp(math.lgamma(k / 2.0) - math.lgamma((k - 1.0) / 2.0)) / 3.0
    first = (k - 1.0) / 2.0 * math.log(n / 2.0) + math.log(math.pi) / 2.0 - math.lgamma(k / 2.0)
    return first + ratio * math.sqrt(2.0 / n) + ((3.0 + k * (k - 2.0) * (2.0 * k + 1.0)) / 36.0 - ratio * ratio) / n


@jit
def _of_many_values(n: float, k: float) -> float:
    """Szpankowski's form for k that grows with n: a = k / n, c = 1/2 + 1/2 sqrt(1 + 4 / a), which may be nearly 1."""
    a = k / n
    above = 2.0 / (a * (1.0 + math.sqrt(1.0 + 4.0 / a)))
    c = 1.0 + above
    return n * (math.log(a) + (a + 2.0) * math.log1p(above) - 1.0 / c) - 0.5 * math.log(c + 2.0 / a)


@jit
def regret(n: int, k: float) -> float:
    """Regret of n rows over k values, whole numbers from 1. O(sqrt(n) + k) where it is exact, O(1) elsewhere."""
    if k == 1.0:
        return 0.0
    if n == 1:
        return math.log(k)
    if n <= EXACT_ROWS and k <= EXACT_VALUES:
        return _exact(n, int(k))
    value = _of_many_values(float(n), k)
    # Both forms are too large, so that the smaller one is closer.
    return min(value, _of_many_rows(float(n), k)) if k * k <= FEW_VALUES * n else value


@jit
def regrets_by_rows(r: int, out: Floats) -> None:
    """Regrets of 0, 1, ... rows over r values, float64[rows + 1]."""
    out[0] = 0.0
    for n in range(1, out.shape[0]):
        out[n] = regret(n, float(r))


@jit
def subtract_quotients(n: int, r: int, q: Ints64, out: Floats) -> None:
    """Subtract from likelihoods of a node the regret of its family less that of its parents, float64[b]. O(1) each.

    q : int64[b], declared configurations of the parents
    """
    for i in range(out.shape[0]):
        out[i] -= regret(n, float(q[i]) * r) - regret(n, float(q[i]))


@jit
def _factorised(tables: Tables, i: int, r: int, known: Floats) -> float:
    """Score of parent set i; see batch_factorised."""
    part = slice(tables.starts[i], tables.ends[i])
    n_jk = tables.counts[part]
    j, n_j = parent_cells(tables.keys[part], n_jk, tables.strides[i], r, tables.q[i])
    total = 0.0
    for cell in range(n_jk.shape[0]):
        total += n_jk[cell] * math.log(n_jk[cell] / n_j[j[cell]])
    for configuration in range(n_j.shape[0]):
        n = n_j[configuration]
        total -= known[n] if n < known.shape[0] else regret(n, float(r))
    return total


@jit
def batch_factorised(first: int, last: int, tables: Tables, r: int, known: Floats, out: Floats) -> None:
    """Maximised log-likelihoods less the regrets of every observed configuration of the parents. O(m) per parent set.

    known : float64[rows + 1], regrets of few rows over r values; out : float64[b]
    """
    for i in range(first, last):
        out[i] = _factorised(tables, i, r, known)
