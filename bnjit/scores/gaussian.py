"""The Bayesian Gaussian equivalent score (BGe), from the Cells of all rows."""

import numpy as np

from bnjit.errors import ArgumentError
from bnjit.kernels.gaussian import Prior, batch_bge
from bnjit.scores.batch import ParentSets, Steps
from bnjit.stats import Store


class BGe:
    """Log marginal likelihood with a normal-Wishart prior, for tables of continuous columns.

    Defaults are bnlearn's: iss_mu = 1 imaginary row for the mean, which is the sample mean; iss_w = N + 2 for the
    scale matrix t I with t = iss_mu (iss_w - N - 1) / (iss_mu + 1). Computed from moments alone: with parents so
    collinear that their correlation matrix has a condition beyond 1e8, digits are lost, as in bnlearn.
    """

    def __init__(self, store: Store, iss_mu: float = 1.0, iss_w: float | None = None) -> None:
        N = len(store.table.names)
        iss_w = N + 2.0 if iss_w is None else iss_w
        if not iss_w > N + 1.0:
            raise ArgumentError(f"degrees_of_freedom={iss_w:g} must be more than {N + 1}: there are {N} columns")
        t = iss_mu * (iss_w - N - 1.0) / (iss_mu + 1.0)
        R = store.whole.covariance() * (store.n - 1) + t * np.eye(N)
        self.prior = Prior(R, store.n, N, t, iss_mu, iss_w)

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b]; nothing is needed for them."""
        yield from ()
        out = np.empty(len(sets.sizes))
        batch_bge(self.prior, node, *sets, out)
        return out
