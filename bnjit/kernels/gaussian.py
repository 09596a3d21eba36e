"""Scores of Gaussian nodes for a batch of parent sets: log-likelihoods, and the Bayesian equivalent score (BGe).

Axis legend: N continuous variables; b candidate parent sets; g parents.
"""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, jit
from bnjit.kernels.regression import fit_moments
from bnjit.kernels.rules import NEEDS_ROWS, gaussian_loglik


class CellMoments(NamedTuple):
    """Moments of one cell that holds all rows.

    n : rows; mean : float64[N]; cross : float64[N (N + 1) / 2], centred cross-products, lower triangle
    """

    n: float
    mean: Floats
    cross: Floats


@jit
def _loglik(cell: CellMoments, node: int, parents: Ints32, g: int) -> float:
    """Log-likelihood of one parent set; NaN where moments are not accurate enough. O(g^3)."""
    if cell.n <= g + 1:
        return -np.inf
    rss, status = fit_moments(
        cell.n, cell.mean, cell.cross, node, parents, g, False, np.empty((g + 1, g + 1)), np.empty(g + 1)
    )
    return np.nan if status == NEEDS_ROWS else gaussian_loglik(cell.n, cell.n - g - 1, rss)


@jit
def loglik_sets(
    first: int, last: int, cell: CellMoments, nodes: Ints32, parents: Ints32, sizes: Ints64, out: Floats
) -> None:
    """Log-likelihoods of nodes first ... last - 1 of b, each with a parent set, from the moments of all rows. O(b g^3).

    nodes : int32[b] and parents : int32[b, w], places among the columns; out : float64[b], NaN where a fit needs rows
    """
    for at in range(first, last):
        out[at] = _loglik(cell, nodes[at], parents[at], sizes[at])


@jit
def _log_determinants(R: Floats, members: Ints32) -> tuple[float, float]:
    """Log-determinants of R restricted to all members, and to all but the last, by Cholesky. O(g^3 / 3)."""
    p = members.shape[0]
    L = np.empty((p, p))
    log_all = log_parents = 0.0
    for i in range(p):
        for k in range(i + 1):
            s = R[members[i], members[k]]
            for t in range(k):
                s -= L[i, t] * L[k, t]
            if k < i:
                L[i, k] = s / L[k, k]
            else:
                if not s > 0.0:
                    return -np.inf, -np.inf
                L[i, i] = math.sqrt(s)
                log_parents = log_all
                log_all += math.log(s)
    return log_all, log_parents


class Prior(NamedTuple):
    """Normal-Wishart prior and sample size.

    R : float64[N, N], posterior scale matrix t I + sum of centred cross-products (the prior mean is the sample mean);
    n : rows; N : variables; t : prior scale; iss_mu, iss_w : imaginary rows for the mean and for the scale
    """

    R: Floats
    n: float
    N: int
    t: float
    iss_mu: float
    iss_w: float


@jit
def _bge(prior: Prior, y: int, parents: Ints32, g: int) -> float:
    """Log marginal likelihood of a node, in the form of Kuipers, Moffa and Heckerman (2014)."""
    members = np.empty(g + 1, np.int32)
    members[:g] = parents[:g]
    members[g] = y
    log_all, log_parents = _log_determinants(prior.R, members)
    if log_all == -np.inf:
        return log_all
    n, iss_mu = prior.n, prior.iss_mu
    free = prior.iss_w - prior.N + g
    return (
        0.5 * (math.log(iss_mu) - math.log(n + iss_mu))
        + math.lgamma(0.5 * (n + free + 1.0))
        - math.lgamma(0.5 * (free + 1.0))
        - 0.5 * n * math.log(math.pi)
        + 0.5 * (free + g + 1.0) * math.log(prior.t)
        + 0.5 * (n + free) * log_parents
        - 0.5 * (n + free + 1.0) * log_all
    )


@jit
def batch_bge(first: int, last: int, prior: Prior, y: int, parents: Ints32, sizes: Ints64, out: Floats) -> None:
    """Log marginal likelihoods of a node for parent sets first ... last - 1 of b. O(g^3 / 3) each.

    parents : int32[b, g max], sizes : int64[b], out : float64[b]
    """
    for i in range(first, last):
        out[i] = _bge(prior, y, parents[i], sizes[i])
