"""Statistics of a covariance matrix: the same as of rows that have it."""

import itertools

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit import Statistics
from bnjit.errors import ArgumentError, ColumnError, StatisticsError


def rows(n=400, seed=3):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    y = 1e5 + 2 * x + rng.normal(size=n)
    return pd.DataFrame({"y": y, "x": x, "z": z, "w": 1e-6 * (y - 1e5 + 3 * z + rng.normal(size=n))})


def assert_same_parameters(one, other, nodes):
    for node in nodes:
        pd.testing.assert_frame_equal(one.parameters(node), other.parameters(node), rtol=1e-9)


@pytest.mark.parametrize("score", ["bic", "aic", "ebic", "loglik", "bge", "marginal"])
def test_they_give_what_rows_give(score):
    frame = rows()
    given = Statistics.from_moments(frame.cov(), frame.mean(), len(frame))
    centred = Statistics.from_moments(frame.cov(), n=len(frame))
    assert bnjit.score([("x", "y")], centred, score) == pytest.approx(bnjit.score([("x", "y")], frame, score))
    ours, theirs = bnjit.learn(given, score), bnjit.learn(frame, score)
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == pytest.approx(theirs.score, rel=1e-10)
    arcs = [("x", "y"), ("y", "w"), ("z", "w")]
    pd.testing.assert_series_equal(
        bnjit.score(arcs, given, score, by_node=True), bnjit.score(arcs, frame, score, by_node=True), rtol=1e-9
    )
    assert_same_parameters(bnjit.fit(arcs, given), bnjit.fit(arcs, frame), frame)


def test_arrays_names_and_denominators(tmp_path):
    frame = rows()
    n, names = len(frame), list(frame)
    by_default = Statistics.from_moments(frame.cov(), frame.mean(), n)
    of_all = Statistics.from_moments(
        np.cov(frame.to_numpy().T, ddof=0), frame.mean().to_numpy(), n, names, denominator=n
    )
    as_dict = Statistics.from_moments(frame.cov().to_numpy(), dict(frame.mean()[::-1]), n, names=names)
    for made in (of_all, as_dict):
        assert made.names == by_default.names
        np.testing.assert_allclose(made.whole.crosses, by_default.whole.crosses, rtol=1e-9)
        np.testing.assert_array_equal(made.whole.means, by_default.whole.means)
    assert Statistics.from_moments(np.eye(2), n=9).names == ("X1", "X2")
    by_default.save(tmp_path / "kept.npz")
    assert bnjit.learn(Statistics.load(tmp_path / "kept.npz")).score == bnjit.learn(by_default).score


def test_they_merge_with_those_of_rows():
    frame, more = rows(), rows(seed=4)
    given = Statistics.from_moments(frame.cov(), frame.mean(), len(frame))
    together = pd.concat([frame, more])
    for merged in (given.merge(Statistics.collect(more)), given.update(more)):
        assert merged.n == len(together)
        assert bnjit.learn(merged).score == pytest.approx(bnjit.learn(together).score, rel=1e-9)


def test_a_search_is_that_of_every_number_of_parents():
    """Against least squares on the covariance matrix, for every parent set of a column."""
    frame, n = rows(), 20_000_000
    covariance = frame.cov().to_numpy()
    given = Statistics.from_moments(covariance, n=n, names=list(frame))
    for size in range(4):
        for parents in itertools.combinations(range(3), size):
            p = list(parents)
            explained = covariance[3, p] @ np.linalg.solve(covariance[np.ix_(p, p)], covariance[p, 3]) if p else 0.0
            squares = (covariance[3, 3] - explained) * (n - 1)
            variance = squares / (n - size - 1)
            expected = -n / 2 * np.log(2 * np.pi * variance) - squares / variance / 2
            arcs = [(frame.columns[j], "w") for j in p]
            found = bnjit.score(arcs, given, "loglik", by_node=True)["w"]
            assert found == pytest.approx(expected, rel=1e-9)


def test_constants_are_warned_of_and_stay_without_arcs():
    covariance = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.warns(bnjit.BnjitWarning, match="one value: 'X3'"):
        given = Statistics.from_moments(covariance, [0.0, 0.0, 5.0], 100)
    assert list(bnjit.learn(given).dag.edges) == [("X1", "X2")]


def test_rounding_is_no_error():
    covariance = rows().cov().to_numpy().copy()
    covariance[0, 1] *= 1 + 1e-12
    rank_one = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) / 7.0  # its least eigenvalue is some -1e-17
    for matrix in (covariance, rank_one):
        assert Statistics.from_moments(matrix, n=100).n == 100
    with pytest.warns(bnjit.BnjitWarning, match="`X2` is 2 x `X1`"):
        assert not bnjit.learn(Statistics.from_moments(rank_one, n=100)).dag.edges
    nearly = [[1.0, 1.0], [1.0, 1.0 + 1e-10]]
    with pytest.raises(StatisticsError, match="give the rows"):
        bnjit.score([("X1", "X2")], Statistics.from_moments(nearly, n=100))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[1.0, 2.0]],), ArgumentError, r"shape \(1, 2\); it must be square"),
        (([[1.0, "a"], ["a", 1.0]],), ArgumentError, "must be a matrix of numbers"),
        (([[1.0, np.nan], [0.5, 1.0]],), ArgumentError, "covariance of 'X1' and 'X2' is nan"),
        (([[1.0, 0.2], [0.5, 1.0]],), ArgumentError, "'X1' and 'X2' is 0.2, and 0.5 the other way round"),
        (([[-1.0, 0.0], [0.0, 1.0]],), ArgumentError, "the variance -1 of 'X1'"),
        (([[1.0, 2.0], [2.0, 1.0]],), StatisticsError, "eigenvalue -1"),
        (([[1.0, 0.5], [0.5, 0.0]],), ArgumentError, "covariance of 'X2' with others is not 0"),
        ((np.eye(2), [1.0]), ArgumentError, "means has the shape"),
        ((np.eye(2), [1.0, np.inf]), ArgumentError, "means of 'X2' is inf"),
        ((np.eye(2), {"X1": 1.0, "y": 2.0}), ArgumentError, "'X2' is only in one of them"),
        ((np.eye(2), None, 1), ArgumentError, "n=1 must be a whole number, 2 or more"),
        ((np.eye(2), None, 2.5), ArgumentError, "n=2.5 must be"),
        ((np.eye(2), None, 9, ["a"]), ArgumentError, "names has 1 entries, covariance has 2"),
        ((np.eye(2), None, 9, ["a", "a"]), ColumnError, "duplicate column names"),
    ],
)
def test_errors_name_what_is_wrong(arguments, error, message):
    arguments = (*arguments, *(None, 10, None)[len(arguments) - 1 :])
    with pytest.raises(error, match=message):
        Statistics.from_moments(*arguments)


def test_other_errors():
    with pytest.raises(ArgumentError, match="n=None must be"):
        Statistics.from_moments(np.eye(2))
    with pytest.raises(ArgumentError, match="denominator=7 must be n - 1 = 9 or n = 10"):
        Statistics.from_moments(np.eye(2), n=10, denominator=7)
    with pytest.raises(ArgumentError, match="give both the same names"):
        Statistics.from_moments(pd.DataFrame(np.eye(2), list("ab"), list("ba")), n=10)
    with pytest.raises(ArgumentError, match="leave names out"):
        Statistics.from_moments(pd.DataFrame(np.eye(2), list("ab"), list("ab")), n=10, names=["b", "a"])
