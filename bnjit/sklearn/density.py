"""A density estimator: the joint distribution of all columns."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bnjit.sklearn.base import BayesianNetworkEstimator

if TYPE_CHECKING:
    import pandas as pd


class BayesianNetworkDensity(DensityMixin, BayesianNetworkEstimator):  # type: ignore[misc]
    """Estimate the joint density of all columns by a Bayesian network.

    Parameters
    ----------
    criterion, algorithm, max_parents, whitelist, blacklist, tiers, prior_rows, discrete, missing, random_state
    n_threads
        As in `BayesianNetworkClassifier`.

    Attributes
    ----------
    network_, result_, dag_
        As in `BayesianNetworkClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from bnjit.sklearn import BayesianNetworkDensity
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=500)
    >>> X = np.column_stack([x, x + 0.1 * rng.normal(size=500)])
    >>> model = BayesianNetworkDensity().fit(X)
    >>> likely, odd = model.score_samples([[1.0, 1.0], [1.0, -1.0]])
    >>> bool(likely > odd + 100)
    True
    >>> model.sample(3, random_state=1).shape
    (3, 2)
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a network of all columns.

        Parameters
        ----------
        X : array or DataFrame
        y : ignored
        """
        frame = self._read(X, reset=True)
        self._columns = list(frame.columns) if hasattr(X, "columns") else None
        self._order = list(frame.columns)
        self._learn(frame)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Log-density of each row; columns that were constant in `fit` add nothing.

        Parameters
        ----------
        X : array or DataFrame
        """
        rows = self._rows(X)
        assert self.network_ is not None
        return np.asarray(self.network_.log_likelihood(rows, by_row=True))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-density of the rows.

        Parameters
        ----------
        X : array or DataFrame
        y : ignored
        """
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> "NDArray[np.float64] | pd.DataFrame":
        """Draw rows: an array if the network was learned from one, else a DataFrame.

        Parameters
        ----------
        n_samples : int
        random_state : int, RandomState or None
            By default the one of the estimator.
        """
        check_is_fitted(self)
        assert self.network_ is not None
        state = check_random_state(self.random_state if random_state is None else random_state)
        rows = self.network_.sample(n_samples, seed=int(state.randint(2**31 - 1)))
        rows = rows.assign(**self.constants_)[self._order] if self.constants_ else rows[self._order]
        return rows if self._columns is not None else rows.astype(np.float64).to_numpy()
