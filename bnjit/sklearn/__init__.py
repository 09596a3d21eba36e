"""Bayesian networks as scikit-learn's estimators (extra `sklearn`): arrays or DataFrames in, predictions out.

May import api, network, options and errors (and scikit-learn, which nothing else here does).
"""

from bnjit.errors import ArgumentError

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise ArgumentError("bnjit.sklearn needs scikit-learn: pip install 'bnjit[sklearn]'") from error

from bnjit.sklearn.classifier import BayesianNetworkClassifier
from bnjit.sklearn.density import BayesianNetworkDensity
from bnjit.sklearn.regressor import BayesianNetworkRegressor

__all__ = ["BayesianNetworkClassifier", "BayesianNetworkDensity", "BayesianNetworkRegressor"]
