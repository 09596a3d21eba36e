"""The Bayesian Gaussian equivalent score (BGe), from the Cells of all rows."""

from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit._threads import in_ranges
from bnjit.errors import ArgumentError
from bnjit.kernels.gaussian import Prior, batch_bge
from bnjit.scores.tuning import FEW_FITS
from bnjit.stats import Request, Store
from bnjit.stats.parent_sets import Batch
from bnjit.stats.store import scale_of


class BGe:
    """Log marginal likelihood with a normal-Wishart prior, for tables of continuous columns.

    Defaults are bnlearn's: iss_mu = 1 imaginary row for the mean, which is the sample mean; iss_w = N + 2 for the
    scale matrix t I with t = iss_mu (iss_w - N - 1) / (iss_mu + 1). Computed from moments alone: with parents so
    collinear that their correlation matrix has a condition beyond 1e8, digits are lost, as in bnlearn. The prior is the
    same number for all columns, in whatever units they are: this score depends on them, as in bnlearn.
    """

    def __init__(self, store: Store, iss_mu: float = 1.0, iss_w: float | None = None) -> None:
        N = len(store.schema.names)
        iss_w, t = prior_scale(N, iss_mu, iss_w)
        whole = store.whole.scaled(1.0 / scale_of(store))
        R = whole.covariance() * (store.n - 1) + t * np.eye(N)
        self.prior = Prior(R, store.n, N, t, iss_mu, iss_w)

    def counts_needed(self, batch: Batch) -> Sequence[tuple[Store, Request]]:
        """Return nothing: there is no discrete column."""
        return ()

    def local_scores(self, batch: Batch) -> Floats:
        """Return the local score of every node with its parent set, float64[b]."""
        out = np.empty(batch.size)
        for node, part in batch.by_node():
            sets = batch.take(part).sets
            threaded = len(sets.sizes) > FEW_FITS
            in_ranges(batch_bge, len(sets.sizes), self.prior, node, *sets, out[part], threaded=threaded)
        return out


def prior_scale(N: int, iss_mu: float, iss_w: float | None) -> tuple[float, float]:
    """Degrees of freedom of a Wishart prior for N continuous columns, by default N + 2, and its scale t."""
    iss_w = N + 2.0 if iss_w is None else iss_w
    if not iss_w > N + 1.0:
        columns = "1 continuous column" if N == 1 else f"{N} continuous columns"
        raise ArgumentError(f"degrees_of_freedom={iss_w:g} must be more than {N + 1}: there are {columns}")
    return iss_w, iss_mu * (iss_w - N - 1.0) / (iss_mu + 1.0)
