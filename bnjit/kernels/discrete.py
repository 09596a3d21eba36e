"""Local scores of a discrete node for a batch of parent sets, from counts.

Axis legend: b candidate parent sets; cells of candidate i at starts[i] ... ends[i] of keys and counts, each a
configuration of the node and its parents; j a configuration of the parents, k a level of the node, r its levels.
The node's digit in a key has weight `stride`: key = (high r + k) stride + low, and j = high stride + low.
"""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64, jit, jit_within
from bnjit.kernels.configurations import free_slot
from bnjit.kernels.tuning import DENSE_CONFIGURATIONS


@jit
def parent_cells(keys: Ints64, counts: Ints64, stride: int, r: int, q: int) -> tuple[Ints64, Ints64]:
    """Number the observed parent configurations and count their rows n_j. O(m).

    keys, counts : int64[m] -> j of every cell : int64[m], n_j : int64[observed j]
    """
    m = keys.shape[0]
    parent = np.empty(m, np.int64)
    for cell in range(m):
        parent[cell] = keys[cell] // (stride * r) * stride + keys[cell] % stride
    j = np.empty(m, np.int64)
    n_j = np.zeros(m, counts.dtype)
    observed = 0
    if q <= DENSE_CONFIGURATIONS + 4 * m:
        number = np.full(q, -1, np.int64)
        for cell in range(m):
            if number[parent[cell]] < 0:
                number[parent[cell]] = observed
                observed += 1
            j[cell] = number[parent[cell]]
            n_j[j[cell]] += counts[cell]
    else:
        bits = 1
        while 1 << bits < 2 * m:
            bits += 1
        slots = np.full(1 << bits, -1, np.int32)
        found = np.empty(m, np.int64)
        for cell in range(m):
            slot = free_slot(slots, found, parent[cell], bits)
            if slots[slot] < 0:
                slots[slot] = observed
                found[observed] = parent[cell]
                observed += 1
            j[cell] = slots[slot]
            n_j[j[cell]] += counts[cell]
    return j, n_j[:observed]


class Tables(NamedTuple):
    """Counts of the configurations of a node and its parents, for b parent sets.

    starts, ends : int64[b]; keys, counts : int64[m], keys ascending in each set; strides : int64[b];
    q : int64[b], declared configurations of the parents
    """

    starts: Ints64
    ends: Ints64
    keys: Ints64
    counts: Ints64
    strides: Ints64
    q: Ints64


@jit_within
def _loglik(tables: Tables, i: int, r: int) -> float:
    """Maximised log-likelihood of parent set i, sum n_jk log(n_jk / n_j)."""
    part = slice(tables.starts[i], tables.ends[i])
    n_jk = tables.counts[part]
    j, n_j = parent_cells(tables.keys[part], n_jk, tables.strides[i], r, tables.q[i])
    total = 0.0
    for cell in range(n_jk.shape[0]):
        total += n_jk[cell] * math.log(n_jk[cell] / n_j[j[cell]])
    return total


@jit
def batch_loglik(first: int, last: int, tables: Tables, r: int, out: Floats) -> None:
    """Maximised log-likelihoods of parent sets first ... last - 1, float64[b]. O(m) each."""
    for i in range(first, last):
        out[i] = _loglik(tables, i, r)


@jit
def _marginal(tables: Tables, i: int, r: int, prior: float, per_observed: bool) -> float:
    """Log marginal likelihood of parent set i; see batch_marginal."""
    part = slice(tables.starts[i], tables.ends[i])
    n_jk = tables.counts[part]
    _, n_j = parent_cells(tables.keys[part], n_jk, tables.strides[i], r, tables.q[i])
    alpha = prior / (r * n_j.shape[0]) if per_observed else prior
    total = 0.0
    for configuration in range(n_j.shape[0]):
        total += math.lgamma(r * alpha) - math.lgamma(r * alpha + n_j[configuration])
    one = math.lgamma(alpha)
    for cell in range(n_jk.shape[0]):
        total += math.lgamma(alpha + n_jk[cell]) - one
    return total


@jit
def batch_marginal(
    first: int, last: int, tables: Tables, r: int, prior: Floats, per_observed: bool, out: Floats
) -> None:
    """Log marginal likelihoods with a symmetric Dirichlet prior in every parent configuration. O(m) per parent set.

    prior : float64[b], the imaginary rows of one cell (k2: 1, bde: iss / (r q)); per_observed: prior is iss, shared
    by the cells of the observed parent configurations alone (bds). Unobserved cells cancel. out : float64[b]
    """
    for i in range(first, last):
        out[i] = _marginal(tables, i, r, prior[i], per_observed)


@jit
def _joined(train: Tables, test: Tables, i: int, r: int) -> tuple[Ints64, Ints64, Ints64, Ints64]:
    """Training rows of the cells of parent set i, first training's cells, then test's.

    -> n_jk : int64[m + m of test], n_j : int64[configurations], j : int64[m + m of test], the configuration of each
    cell, seen : int64[configurations], how many levels of the node training rows have
    """
    part = slice(train.starts[i], train.ends[i])
    keys = train.keys[part]
    test_keys = test.keys[test.starts[i] : test.ends[i]]
    m = keys.shape[0]
    n_jk = np.zeros(m + test_keys.shape[0], train.counts.dtype)
    n_jk[:m] = train.counts[part]
    j, n_j = parent_cells(np.concatenate((keys, test_keys)), n_jk, train.strides[i], r, train.q[i])
    seen = np.zeros(n_j.shape[0], np.int64)
    for cell in range(m):
        seen[j[cell]] += 1
    for cell in range(test_keys.shape[0]):
        at = np.searchsorted(keys, test_keys[cell])
        n_jk[m + cell] = n_jk[at] if at < m and keys[at] == test_keys[cell] else 0
    return n_jk, n_j, j, seen


@jit
def _predictive(train: Tables, test: Tables, i: int, r: int) -> float:
    """Log-likelihood of the test rows of parent set i; see batch_predictive."""
    n_jk, n_j, j, seen = _joined(train, test, i, r)
    test_counts = test.counts[test.starts[i] : test.ends[i]]
    total = 0.0
    for cell in range(-test_counts.shape[0], 0):
        configuration = j[cell]
        if seen[configuration] == r:
            frequency = n_jk[cell] / n_j[configuration]
        else:
            frequency = (n_jk[cell] + 1.0 / r) / (n_j[configuration] + 1.0)
        total += test_counts[cell] * math.log(frequency)
    return total


@jit
def _integrated(train: Tables, test: Tables, i: int, r: int, alpha: float) -> float:
    """Log-density of the test rows of parent set i given the training rows; see batch_integrated."""
    n_jk, n_j, j, _ = _joined(train, test, i, r)
    test_counts = test.counts[test.starts[i] : test.ends[i]]
    new = np.zeros(n_j.shape[0], test.counts.dtype)
    total = 0.0
    for cell in range(-test_counts.shape[0], 0):
        new[j[cell]] += test_counts[cell]
        total += math.lgamma(alpha + n_jk[cell] + test_counts[cell]) - math.lgamma(alpha + n_jk[cell])
    for configuration in range(n_j.shape[0]):
        if new[configuration] > 0:
            rows = r * alpha + n_j[configuration]
            total += math.lgamma(rows) - math.lgamma(rows + new[configuration])
    return total


@jit
def batch_predictive(first: int, last: int, train: Tables, test: Tables, r: int, out: Floats) -> None:
    """Log-likelihoods of test rows under the frequencies of training rows (eq. 12). O(m log m) per parent set.

    Where training has not seen every level of the node in a parent configuration, one imaginary row is shared by its
    levels: (n_jk + 1 / r) / (n_j + 1). The levels of an unseen configuration are then equally likely, and no level is
    impossible.
    """
    for i in range(first, last):
        out[i] = _predictive(train, test, i, r)


@jit
def batch_integrated(first: int, last: int, train: Tables, test: Tables, r: int, alpha: Floats, out: Floats) -> None:
    """Log-densities of test rows given training rows, under a Dirichlet prior. O(m log m) per parent set.

    alpha : float64[b], imaginary rows of each cell; out : float64[b]
    """
    for i in range(first, last):
        out[i] = _integrated(train, test, i, r, alpha[i])
