"""Rows that count by weights that need not be whole numbers, against repeated rows and against formulas."""

import numpy as np
import pandas as pd
import pytest

import bnjit
import bnjit.data.repeat
from bnjit.errors import ArgumentError


@pytest.fixture(scope="module")
def frame():
    net = bnjit.datasets.random_network("cgaussian", 6, parents=2.0, share_discrete=0.5, seed=2)
    return net.sample(600, seed=1)


@pytest.fixture(scope="module")
def counts():
    return np.random.default_rng(0).integers(0, 5, 600)


@pytest.fixture
def without_repeating(monkeypatch):
    """Whole numbers are weights like any others, as where their rows do not fit in memory."""
    monkeypatch.setattr(bnjit.data.repeat, "free_memory", lambda: 0)


def repeated(frame, counts):
    return frame.loc[np.repeat(np.arange(len(frame)), counts)].reset_index(drop=True)


def assert_close(ours, theirs):
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == pytest.approx(theirs.score, rel=1e-12)
    np.testing.assert_allclose(ours.trace["delta"], theirs.trace["delta"], rtol=1e-9)


@pytest.mark.slow
def test_mixed_tables(frame, counts, without_repeating):
    ours = bnjit.learn(frame, weights=counts)
    theirs = repeated(frame, counts)
    assert_close(ours, bnjit.learn(theirs))
    network, expected = bnjit.fit(ours.dag, frame, weights=counts), bnjit.fit(ours.dag, theirs)
    for node in frame:
        pd.testing.assert_frame_equal(network.parameters(node), expected.parameters(node), rtol=1e-9)
    assert ours.fit().log_likelihood(frame) == pytest.approx(expected.log_likelihood(frame), rel=1e-9)


SLOW = [
    bnjit.BIC(penalty="local"), bnjit.BIC(sparse="pool"), "marginal",
    bnjit.HeldOut(test=bnjit.datasets.random_network("cgaussian", 6, parents=2.0, share_discrete=0.5, seed=2)
                  .sample(200, seed=5).assign(w=1)),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("score", SLOW, ids=["local", "pool", "marginal", "test rows"])
def test_other_scores(frame, counts, without_repeating, score):
    ours = bnjit.learn(frame.assign(w=counts), score, weights="w")
    test = bnjit.HeldOut(score.test.drop(columns="w")) if isinstance(score, bnjit.HeldOut) else score
    assert_close(ours, bnjit.learn(repeated(frame, counts), test))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["discrete", "gaussian"])
def test_scores_of_one_kind(frame, counts, without_repeating, kind):
    columns = [name for name in frame if (frame[name].dtype.kind == "f") == (kind == "gaussian")]
    for score in ("bde", "bds", "k2", "aic") if kind == "discrete" else ("bge", "ebic", "loglik"):
        ours = bnjit.learn(frame[columns], score, "boss", weights=counts)
        assert_close(ours, bnjit.learn(repeated(frame[columns], counts), score, "boss"))


@pytest.mark.slow
@pytest.mark.parametrize("score", ["pred", bnjit.CrossValidation(folds=3)], ids=str)
def test_a_row_is_on_one_side_with_its_weight(frame, score):
    """The sums of scores over folds are those of training and test rows with their weights."""
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(frame))
    table = frame.assign(w=weights)
    arcs = [("D1", "X1"), ("X1", "X2")]
    from bnjit.data.split import row_numbers

    if score == "pred":
        sides = [row_numbers(len(frame), 3) < 0.25]
    else:
        sides = [(row_numbers(len(frame), 3) * 3).astype(int) == f for f in range(3)]
    parts = [bnjit.score(arcs, table[~side], bnjit.HeldOut(table[side]), weights="w") for side in sides]
    assert bnjit.score(arcs, table, score, seed=3, weights="w") == pytest.approx(sum(parts), rel=1e-10)


def test_real_weights_against_formulas(frame):
    """Counts are sums of weights; regressions are weighted least squares."""
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(frame))
    n = weights.sum()
    local = bnjit.score([("X1", "X2")], frame[["X1", "X2"]], weights=weights, by_node=True)
    X, y = np.column_stack([np.ones(len(frame)), frame["X1"]]), frame["X2"].to_numpy()
    root = np.sqrt(weights)
    beta = np.linalg.lstsq(X * root[:, None], y * root, rcond=None)[0]
    rss = (weights * (y - X @ beta) ** 2).sum()
    expected = -0.5 * n * np.log(2 * np.pi * rss / (n - 2)) - 0.5 * (n - 2) - 3 * np.log(n) / 2
    assert local["X2"] == pytest.approx(expected, rel=1e-10)
    mixed = bnjit.score([("D1", "X1")], frame[["D1", "X1"]], "loglik", weights=weights, by_node=True)
    expected = 0.0
    for _, rows in frame.assign(w=weights).groupby("D1"):
        m = rows["w"].sum()
        mean = np.average(rows["X1"], weights=rows["w"])
        variance = (rows["w"] * (rows["X1"] - mean) ** 2).sum() / (m - 1)
        expected += -0.5 * m * np.log(2 * np.pi * variance) - 0.5 * (m - 1)
    assert mixed["X1"] == pytest.approx(expected, rel=1e-10)
    discrete = bnjit.score([("D1", "D2")], frame[["D1", "D2"]], "loglik", weights=weights, by_node=True)
    table = pd.crosstab(frame["D1"], frame["D2"], weights, aggfunc="sum").fillna(0.0).to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.nan_to_num(table * np.log(table / table.sum(axis=1, keepdims=True)))
    assert discrete["D2"] == pytest.approx(terms.sum(), rel=1e-10)


@pytest.mark.slow
def test_regressions_that_need_rows(without_repeating):
    """Triangles of weighted rows, of cells by themselves and of residuals."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 900)) + 1e4
    counts = rng.integers(0, 4, 900)
    table = pd.DataFrame({"d": rng.integers(0, 2, 900).astype(str), "x": x, "w": w, "y": 3 * x + w})
    table["y"] += np.where(table["d"] == "1", 1e-3, 1e-4) * rng.normal(size=900)
    arcs = [("d", "y"), ("x", "y"), ("w", "y")]
    ours = bnjit.score(arcs, table, weights=counts, by_node=True)
    pd.testing.assert_series_equal(ours, bnjit.score(arcs, repeated(table, counts), by_node=True), rtol=1e-9)


@pytest.mark.slow
def test_statistics_of_weighted_rows(frame, tmp_path):
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(frame))
    statistics = bnjit.Statistics.collect(frame, 3, weights=weights)
    statistics.save(tmp_path / "kept.npz")
    expected = bnjit.learn(frame, weights=weights)
    for one in (statistics, bnjit.Statistics.load(tmp_path / "kept.npz")):
        assert one.n == pytest.approx(weights.sum())
        assert_close(bnjit.learn(one), expected)
    halves = bnjit.Statistics.collect(frame[:250], 3, weights=weights[:250]).merge(
        bnjit.Statistics.collect(frame[250:], 3, weights=weights[250:])
    )
    assert_close(bnjit.learn(halves), expected)


@pytest.mark.slow
def test_threads_change_nothing(frame):
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(frame))
    one, all_ = (bnjit.learn(frame, weights=weights, n_threads=k) for k in (1, None))
    assert one.score == all_.score
    strengths = [bnjit.arc_strength(frame[["X1", "X2", "X3"]], 3, weights=weights, n_threads=k) for k in (1, None)]
    pd.testing.assert_frame_equal(*strengths)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": "qr"}, "fits rows without weights"),
        ({"missing": "em"}, 'go with missing="drop"'),
        ({"missing": "available"}, 'go with missing="drop"'),
    ],
)
def test_what_does_not_go_with_them(frame, options, message):
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(frame))
    table = frame.assign(X1=frame["X1"].where(np.arange(len(frame)) > 3)) if "missing" in options else frame
    with pytest.raises(ArgumentError, match=message):
        bnjit.learn(table, weights=weights, **options)
    if "estimator" in options:
        with pytest.raises(ArgumentError, match="is for whole numbers of rows"):
            bnjit.learn(frame[["D1", "D2", "D3"]], "qnml", weights=weights)
