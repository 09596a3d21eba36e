"""A classifier: the class is a node of a network, and is predicted from all other nodes."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bnjit.sklearn.base import BayesianNetworkEstimator
from bnjit.sklearn.targets import check_target


class BayesianNetworkClassifier(ClassifierMixin, BayesianNetworkEstimator):  # type: ignore[misc]
    """Classify by a Bayesian network that is learned from the features and the class together.

    The class of a row is predicted from all of its features that are observed, by the network's posterior.

    Parameters
    ----------
    criterion : str or score
        What the search maximises: the `score` of `bnjit.learn`, which has another name here because `score` is a method
        of estimators.
    algorithm, max_parents, whitelist, blacklist, tiers
        As in `bnjit.learn`. The class is the node `target_`, "target" unless a feature has that name.
    prior_rows : float
        As in `bnjit.fit`; with 0, what was never seen together is impossible.
    discrete : sequence
        Numeric features to treat as discrete, by name or by position.
    missing : str or rule
        As in `bnjit.learn`. Unless it is "error", features may have gaps, also where classes are predicted.
    random_state : int, RandomState or None
        The `seed` of `bnjit.learn`.
    n_threads : int, optional
        As in `bnjit.learn`.

    Attributes
    ----------
    classes_ : ndarray
        Labels of the classes.
    network_ : Network
        The network.
    result_ : Result
        What learning found.
    dag_ : networkx.DiGraph
        Its structure.
    target_ : str
        Name of the class among the nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from bnjit.sklearn import BayesianNetworkClassifier
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 100)
    >>> X = rng.normal(size=(200, 3)) + 4.0 * (y == "high")[:, None]
    >>> model = BayesianNetworkClassifier().fit(X, y)
    >>> model.predict([[0.0, 0.2, -0.5], [4.0, 3.8, 4.5]]).tolist()
    ['low', 'high']
    >>> float(model.score(X, y))
    1.0
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn a network of features and class.

        Parameters
        ----------
        X : array or DataFrame, rows by features
        y : labels of the rows
        """
        import pandas as pd

        frame = self._read(X, reset=True)
        y = column_or_1d(check_target(self, frame, y), warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        names = [f"c{i}" for i in range(len(self.classes_))]
        if len(names) == 1:  # nothing depends on a class that is always the same
            self.columns_, self.constants_, self.target_, self.network_ = [], {}, None, None
            return self
        self._learn(frame, pd.Categorical([names[code] for code in codes.tolist()], names))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class, in the order of `classes_`.

        Parameters
        ----------
        X : array or DataFrame, rows by features
        """
        rows = self._rows(X)
        n, k = len(rows), len(self.classes_)
        if self.network_ is None:
            return np.ones((n, 1))
        if not self.columns_:
            shares = self.network_.parameters(self.target_).to_numpy(np.float64)
            return np.repeat(shares, n, axis=0)
        found = self.network_.predict(rows, self.target_, probabilities=True, seed=0)
        made: NDArray[np.float64] = found[[f"c{i}" for i in range(k)]].to_numpy(np.float64)
        return made

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of each row.

        Parameters
        ----------
        X : array or DataFrame, rows by features
        """
        probabilities = self.predict_proba(X)
        best: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return best

    def markov_blanket(self) -> list[Any]:
        """Features that the class depends on, given all others: a selection of features."""
        from bnjit.graph import markov_blanket

        return markov_blanket(self.dag_, self.target_)
