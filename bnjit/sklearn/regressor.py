"""A regressor: the target is a continuous node of a network, and is predicted from all other nodes."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, column_or_1d

from bnjit.sklearn.base import BayesianNetworkEstimator
from bnjit.sklearn.targets import check_target


class BayesianNetworkRegressor(RegressorMixin, BayesianNetworkEstimator):  # type: ignore[misc]
    """Predict a continuous target by a Bayesian network that is learned from the features and the target together.

    A row's target is its expected value given all of the row's features that are observed. No discrete feature can
    follow from the target in the network (see `bnjit.learn`).

    Parameters
    ----------
    criterion, algorithm, max_parents, whitelist, blacklist, tiers, prior_rows, discrete, missing, random_state
    n_threads
        As in `BayesianNetworkClassifier`.

    Attributes
    ----------
    network_, result_, dag_, target_
        As in `BayesianNetworkClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from bnjit.sklearn import BayesianNetworkRegressor
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(500, 3))
    >>> y = 2.0 * X[:, 0] - X[:, 2] + 0.1 * rng.normal(size=500)
    >>> model = BayesianNetworkRegressor().fit(X, y)
    >>> model.predict([[1.0, 0.0, 1.0]]).round(1).tolist()
    [1.0]
    >>> model.score(X, y) > 0.99
    True
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a network of features and target.

        Parameters
        ----------
        X : array or DataFrame, rows by features
        y : number for each row
        """
        frame = self._read(X, reset=True)
        y = column_or_1d(check_target(self, frame, y), warn=True)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        self.mean_ = float(y.mean())
        if np.ptp(y) <= 1e-12 * np.abs(y).max():  # nothing depends on a constant
            self.columns_, self.constants_, self.target_, self.network_ = [], {}, None, None
            return self
        self._learn(frame, y)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Expected value of the target in each row.

        Parameters
        ----------
        X : array or DataFrame, rows by features
        """
        rows = self._rows(X)
        if self.network_ is None or not self.columns_:
            return np.full(len(rows), self.mean_)
        found: NDArray[np.float64] = self.network_.predict(rows, self.target_, seed=0).to_numpy(np.float64)
        return found
