"""Expected moments of a normal distribution from rows with gaps, pattern by pattern (the E step of EM).

Axis legend: P patterns of gaps; c columns; w = c (c + 1) / 2, the lower triangle row by row.

Of the rows with one pattern, the means and the centred cross-products of the columns that they observe are known. Given
the mean and the covariance of all columns, the expected values of the others are linear in the observed ones, and their
expected products follow (Orchard and Woodbury 1972; Little and Rubin, Section 11.2). Sweeping the covariance on the
observed columns gives the regressions of the others on them, and what these leave over.
"""

import math

import numpy as np

from bnjit._jit import Floats, Ints64, jit
from bnjit.kernels.moments import Moments


@jit
def sweep(A: Floats, k: int) -> bool:
    """Sweep a symmetric matrix on its k-th pivot, in place; -> whether the pivot is above 0. O(c^2)."""
    c = A.shape[0]
    pivot = A[k, k]
    if not pivot > 0.0:
        return False
    for j in range(c):
        A[k, j] /= pivot
    for i in range(c):
        if i == k:
            continue
        factor = A[i, k]
        if factor != 0.0:
            for j in range(c):
                A[i, j] -= factor * A[k, j]
            A[i, k] = -factor / pivot
    A[k, k] = 1.0 / pivot
    return True


@jit
def expect_moments(
    first: int, last: int, patterns: Moments, missing: Ints64, mean: Floats, covariance: Floats, sums: Floats,
    products: Floats,
) -> float:  # fmt: skip
    """Add up the expected moments of all columns about `mean`, for patterns first ... last - 1. O(P c^3).

    patterns : moments of P cells, of which those of missing columns are not read; missing : int64[P, c], 1 where a
    column is missing; mean : float64[c]; covariance : float64[c, c]; sums : float64[c]; products : float64[c, c] (in
    and out) -> log-likelihood of what is observed
    """
    c = mean.shape[0]
    A, away, cross, filled = np.empty((c, c)), np.empty(c), np.empty((c, c)), np.empty((c, c))
    total = 0.0
    for p in range(first, last):
        n = patterns.counts[p]
        if n == 0:
            continue
        A[:, :] = covariance
        observed = 0
        log_determinant = 0.0
        for k in range(c):
            if missing[p, k] == 0:
                log_determinant += math.log(A[k, k]) if A[k, k] > 0.0 else 0.0
                sweep(A, k)
                observed += 1
        ij = 0
        for i in range(c):
            away[i] = (patterns.means[p, i] - mean[i]) + patterns.mean_corrections[p, i] if missing[p, i] == 0 else 0.0
            for j in range(i + 1):
                there = missing[p, i] == 0 and missing[p, j] == 0
                cross[i, j] = cross[j, i] = patterns.crosses[p, ij] if there else 0.0
                ij += 1
        # Products of what is observed, about `mean`, and the quadratic form of the likelihood.
        form = 0.0
        for i in range(c):
            if missing[p, i] == 0:
                for j in range(c):
                    if missing[p, j] == 0:
                        form += A[i, j] * (cross[i, j] + n * away[i] * away[j])
        total -= 0.5 * (n * (observed * math.log(2.0 * math.pi) + log_determinant) + form)
        # Expected values of what is missing, about `mean`: rows of observed columns have the coefficients.
        for i in range(c):
            if missing[p, i] == 1:
                value = 0.0
                for j in range(c):
                    if missing[p, j] == 0:
                        value += A[j, i] * away[j]
                away[i] = value
        # Products of missing and observed, then of missing columns.
        for i in range(c):
            for j in range(c):
                filled[i, j] = cross[i, j]
        for i in range(c):
            if missing[p, i] == 1:
                for j in range(c):
                    if missing[p, j] == 0:
                        value = 0.0
                        for k in range(c):
                            if missing[p, k] == 0:
                                value += A[k, i] * cross[k, j]
                        filled[i, j] = filled[j, i] = value
        for i in range(c):
            if missing[p, i] == 1:
                for j in range(c):
                    if missing[p, j] == 1:
                        value = n * A[i, j]
                        for k in range(c):
                            if missing[p, k] == 0:
                                value += A[k, j] * filled[i, k]
                        filled[i, j] = value
        for i in range(c):
            sums[i] += n * away[i]
            for j in range(c):
                products[i, j] += filled[i, j] + n * away[i] * away[j]
    return total
