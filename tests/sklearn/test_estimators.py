"""The estimators, as scikit-learn checks and uses them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import bnjit
from bnjit.errors import ArgumentError, BnjitError, DataError
from bnjit.sklearn import BayesianNetworkClassifier, BayesianNetworkDensity, BayesianNetworkRegressor
from tests.golden.tables import TABLES

ESTIMATORS = [BayesianNetworkClassifier, BayesianNetworkRegressor, BayesianNetworkDensity]
EXPECTED_FAILED_CHECKS: dict[str, str] = {}  # none; a check by name, and the reason


@pytest.fixture(scope="module")
def mixed():
    return TABLES["cgaussian"]()


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_checks_of_scikit_learn(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # checks provoke warnings of scikit-learn itself
        done = check_estimator(
            estimator(), expected_failed_checks=EXPECTED_FAILED_CHECKS, on_fail="raise", on_skip=None
        )
    assert sum(one["status"] == "passed" for one in done) > 35
    assert [one["check_name"] for one in done if one["status"] == "skipped"] == ["check_array_api_input"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_arguments_are_kept_and_cloned(estimator):
    made = estimator("aic", bnjit.Tabu(length=3), max_parents=2, discrete=(1,), random_state=4)
    again = clone(made)
    assert again.get_params() == made.get_params()
    assert again.set_params(max_parents=1).max_parents == 1
    with pytest.raises(NotFittedError):
        _ = made.dag_


def test_classes_of_a_mixed_table(mixed):
    train, test = mixed.iloc[:2000], mixed.iloc[2000:]
    y = train["B"].to_numpy(object)
    model = BayesianNetworkClassifier().fit(train.drop(columns="B"), y)
    assert model.classes_.tolist() == ["h", "l", "m"]
    table = train.drop(columns="B").assign(target=pd.Categorical(y, ["h", "l", "m"]))
    network = bnjit.learn(table).fit(prior_rows=1.0)
    expected = network.predict(test.drop(columns="B"), "target", probabilities=True)
    np.testing.assert_allclose(model.predict_proba(test.drop(columns="B")), expected[["h", "l", "m"]], atol=1e-12)
    assert model.score(test.drop(columns="B"), test["B"].to_numpy(object)) > 0.85
    assert set(model.markov_blanket()) == set(bnjit.markov_blanket(network, "target"))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(test.drop(columns="B")), model.predict(test.drop(columns="B"))
    )


def test_values_of_a_mixed_table(mixed):
    train, test = mixed.iloc[:2000], mixed.iloc[2000:]
    model = BayesianNetworkRegressor().fit(train.drop(columns="Z"), train["Z"])
    residuals = test["Z"] - model.predict(test.drop(columns="Z"))
    assert np.sqrt(np.mean(residuals**2)) == pytest.approx(0.4, rel=0.05)  # the noise of the table
    assert bnjit.shd(model.dag_, bnjit.learn(train.rename(columns={"Z": "target"})).dag) == 0


def test_search_over_arguments():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 3)) + y[:, None] * [1.0, 0.5, 0.0]
    grid = {"criterion": ["bic", "aic"], "algorithm": ["hc", "tabu"], "max_parents": [0, 2]}
    search = GridSearchCV(BayesianNetworkClassifier(), grid, cv=2).fit(X, y)
    assert search.best_params_["max_parents"] == 2
    assert len(search.cv_results_["params"]) == 8
    assert search.best_score_ > 0.65
    scores = cross_val_score(make_pipeline(StandardScaler(), BayesianNetworkRegressor()), X, X[:, 0] + y, cv=3)
    assert scores.mean() > 0.9


def test_density_of_rows(mixed):
    model = BayesianNetworkDensity(prior_rows=0.0).fit(mixed)
    network = bnjit.learn(mixed).fit()
    np.testing.assert_allclose(model.score_samples(mixed), network.log_likelihood(mixed, by_row=True))
    assert model.score(mixed) == pytest.approx(network.log_likelihood(mixed) / len(mixed))
    rows = model.sample(50, random_state=3)
    assert list(rows) == list(mixed)
    assert rows.equals(model.sample(50, random_state=3))
    assert not rows.equals(model.sample(50, random_state=4))


def test_columns_with_one_value_are_left_out():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"one": 3.0, "same": "a", "x": rng.normal(size=100), "gap": [np.nan, 1.0] * 50})
    model = BayesianNetworkDensity(missing="available").fit(X)
    assert list(model.dag_) == ["x"]
    drawn = model.sample(4, random_state=1)
    assert list(drawn) == list(X)
    assert (drawn[["one", "same"]] == [3.0, "a"]).all(axis=None)
    with pytest.raises(ArgumentError, match="each with one value"):
        BayesianNetworkDensity().fit(X[["one", "same"]])
    y = ["u", "v"] * 50
    model = BayesianNetworkClassifier().fit(X[["one", "same"]], y)
    np.testing.assert_allclose(model.predict_proba(X[["one", "same"]].head(2)), 0.5)
    alone = BayesianNetworkClassifier().fit(X[["x"]], ["u"] * 100)
    assert alone.predict(X[["x"]]).tolist() == ["u"] * 100
    with pytest.raises(ArgumentError, match="always the same"):
        alone.markov_blanket()


@pytest.mark.parametrize("rule", ["available", "em", "drop"])
def test_features_with_gaps(mixed, rule):
    rng = np.random.default_rng(1)
    X = mixed[["A", "X", "C", "Y"]].head(200)
    gaps = X.mask(rng.random(X.shape) < 0.1)
    y = mixed["Z"].head(200)
    model = BayesianNetworkRegressor(missing=rule, random_state=np.random.RandomState(1)).fit(gaps, y)
    assert model.score(gaps, y) > 0.5
    assert np.isfinite(model.predict(gaps)).all()
    with pytest.raises(DataError, match="missing"):
        BayesianNetworkRegressor().fit(gaps, y)


def test_discrete_features_by_name_and_by_position():
    rng = np.random.default_rng(1)
    g = rng.integers(0, 3, 300)
    X = np.column_stack([g, rng.normal(size=300)])
    y = np.array([0.0, 5.0, 1.0])[g] + 0.1 * rng.normal(size=300)
    assert BayesianNetworkRegressor().fit(X, y).score(X, y) < 0.5
    assert BayesianNetworkRegressor(discrete=[0]).fit(X, y).score(X, y) > 0.98
    frame = pd.DataFrame(X, columns=["target", "x"])
    model = BayesianNetworkRegressor(discrete=["target"]).fit(frame, y)
    assert model.target_ == "target_"
    assert model.score(frame, y) > 0.98
    with pytest.raises(BnjitError, match="neither a column of X nor the position"):
        BayesianNetworkRegressor(discrete=["g"]).fit(X, y)
