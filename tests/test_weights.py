"""Weights of rows: whole numbers are repeated rows, digit for digit, wherever rows and weights come from."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.errors import ArgumentError, BnjitError, DataError


@pytest.fixture(scope="module")
def frame():
    net = bnjit.datasets.random_network("cgaussian", 6, parents=2.0, share_discrete=0.5, seed=2)
    return net.sample(900, seed=1)


@pytest.fixture(scope="module")
def weights(frame):
    return np.random.default_rng(0).integers(0, 4, len(frame))


@pytest.fixture(scope="module")
def repeated(frame, weights):
    return frame.loc[np.repeat(np.arange(len(frame)), weights)].reset_index(drop=True)


def assert_same(ours, theirs):
    """Assert that two results have the same bits."""
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == theirs.score
    assert list(ours.trace["delta"]) == list(theirs.trace["delta"])
    assert ours.n_rows == theirs.n_rows


SCORES = ["bic", bnjit.BIC(penalty="local"), "marginal", "pred", bnjit.CrossValidation(folds=3)]


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_they_are_repeated_rows(frame, weights, repeated, score):
    expected = bnjit.learn(repeated, score)
    assert_same(bnjit.learn(frame, score, weights=weights), expected)
    assert_same(bnjit.learn(frame.assign(w=weights), score, weights="w"), expected)
    arcs = list(expected.dag.edges)
    pd.testing.assert_series_equal(
        bnjit.score(arcs, frame, score, by_node=True, weights=weights.tolist()),
        bnjit.score(arcs, repeated, score, by_node=True), check_exact=True,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["discrete", "gaussian"])
def test_of_one_kind(frame, weights, repeated, kind):
    columns = [name for name in frame if (frame[name].dtype.kind == "f") == (kind == "gaussian")]
    for score in ("bde", "qnml") if kind == "discrete" else ("bge", "ebic"):
        assert_same(bnjit.learn(frame[columns], score, weights=weights), bnjit.learn(repeated[columns], score))


def test_every_form_of_table(frame, weights, repeated):
    """Arrow, dicts, arrays, and weights as integers, floats, nullable integers and Arrow arrays."""
    expected = bnjit.learn(repeated)
    table = pa.Table.from_pandas(frame)
    assert_same(bnjit.learn(table, weights=pa.array(weights)), expected)
    assert_same(bnjit.learn(table.append_column("w", pa.array(weights)), weights="w"), expected)
    own = {name: frame[name].to_numpy() for name in frame}
    assert_same(bnjit.learn(own | {"w": weights.astype(np.float32)}, weights="w"), expected)
    assert_same(bnjit.learn(frame.assign(w=pd.array(weights, "Int16")), weights="w"), expected)
    numbers = frame.select_dtypes("float")
    array = np.column_stack([numbers.to_numpy(), weights])
    assert_same(bnjit.learn(array, names=[*numbers, "w"], weights="w"), bnjit.learn(repeated[list(numbers)]))


def test_parameters_statistics_and_strengths(frame, weights, repeated, tmp_path):
    arcs = list(bnjit.learn(repeated).dag.edges)
    ours, theirs = bnjit.fit(arcs, frame, weights=weights), bnjit.fit(arcs, repeated)
    for node in frame:
        pd.testing.assert_frame_equal(ours.parameters(node), theirs.parameters(node), check_exact=True)
    statistics = bnjit.Statistics.collect(frame, 3, weights=weights)
    assert bnjit.learn(statistics).score == bnjit.learn(bnjit.Statistics.collect(repeated, 3)).score
    once = bnjit.Statistics.collect(frame, 2).update(frame.assign(w=weights), weights="w")
    assert once.n == len(frame) + weights.sum()
    options = {"replicates": 5, "seed": 1}
    pd.testing.assert_frame_equal(
        bnjit.arc_strength(frame, weights=weights, **options), bnjit.arc_strength(repeated, **options)
    )


def test_gaps(frame, weights):
    table = frame.astype(object).where(np.random.default_rng(1).random(frame.shape) > 0.02, None).convert_dtypes()
    again = table.loc[np.repeat(np.arange(len(frame)), weights)].reset_index(drop=True)
    for missing in ("drop", "available"):
        assert_same(bnjit.learn(table, missing=missing, weights=weights), bnjit.learn(again, missing=missing))


def test_levels_of_rows_that_do_not_count_are_not_there():
    frame = pd.DataFrame({"a": list("xyxyz") * 20, "b": list("ppqqp") * 20})
    weights = np.where(frame["a"] == "z", 0, 2)
    there = frame[frame["a"] != "z"]
    expected = bnjit.score([("a", "b")], there.loc[there.index.repeat(2)], "bic")
    assert bnjit.score([("a", "b")], frame, "bic", weights=weights) == expected


def in_chunks(frame, weights, rows=130):
    table = pa.Table.from_pandas(frame.assign(w=weights)).select(["w", *frame])
    return lambda: iter(table.to_batches(max_chunksize=rows))


@pytest.mark.parametrize("score", ["bic", bnjit.BIC(sparse="pool"), "pred", bnjit.CrossValidation(folds=3)], ids=str)
def test_out_of_core(frame, weights, repeated, score):
    """Test rows and folds are those of the repeated rows, too."""
    ours = bnjit.learn(in_chunks(frame, weights), score, weights="w", seed=4)
    theirs = bnjit.learn(repeated, score, seed=4)
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.score == pytest.approx(theirs.score, rel=1e-12)
    assert ours.passes > 0
    network = bnjit.fit(ours.dag, in_chunks(frame, weights), weights="w")
    assert network.log_likelihood(frame) == pytest.approx(bnjit.fit(ours.dag, repeated).log_likelihood(frame), rel=1e-9)


def test_test_rows_have_weights_too(frame, weights, repeated):
    train, test = frame.assign(w=weights), frame[::-1].assign(w=weights)
    again = test.loc[np.repeat(test.index, test["w"])].drop(columns="w")
    expected = bnjit.learn(repeated, bnjit.HeldOut(again)).score
    assert bnjit.learn(train, bnjit.HeldOut(test), weights="w").score == expected
    ours = bnjit.learn(in_chunks(frame, weights), bnjit.HeldOut(test), weights="w").score
    assert ours == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ArgumentError, match="give weights as the name of a column of both"):
        bnjit.learn(frame, bnjit.HeldOut(test), weights=weights)
    with pytest.raises(ArgumentError, match="weights='w' is no column of test"):
        bnjit.learn(train, bnjit.HeldOut(frame), weights="w")


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_the_row_of_a_wrong_weight_is_named(frame, value):
    weights = np.ones(len(frame))
    weights[317] = value
    with pytest.raises(DataError, match=f"'weights', the weights, is {value} in row 317"):
        bnjit.learn(frame, weights=weights)
    with pytest.raises(DataError, match=r"'w'.*317"):
        bnjit.learn(frame.assign(w=weights), weights="w")
    with pytest.raises(DataError, match=r"'w'.* row 317" if value == -1.0 else "'w'"):
        bnjit.learn(in_chunks(frame, weights), weights="w")


def test_what_cannot_be_weights(frame, weights):
    wrong = [
        (frame, {"weights": "w"}, "weights='w' is no column of data"),
        (frame, {"weights": weights[:5]}, "weights has 5 values, data has 900 rows"),
        (frame, {"weights": 0 * weights}, "are all 0"),
        (frame, {"weights": weights.astype(str)}, "give one number for each row"),
        (frame, {"weights": frame.columns[0]}, "give one number for each row"),
        (frame.assign(w=weights), {"weights": "w", "discrete": ["w"]}, "discrete names 'w', which has the weights"),
        (frame.assign(w=weights)[["w"]], {"weights": "w"}, "no column but 'w'"),
        (bnjit.Statistics.collect(frame), {"weights": weights}, "give it to bnjit.Statistics.collect"),
        (in_chunks(frame, weights), {"weights": weights}, "are a column of theirs; name it"),
        (in_chunks(frame, 0 * weights), {"weights": "w"}, "are all 0"),
        (in_chunks(frame, weights + 0.5), {"weights": "w"}, "are whole numbers; 'w' is 3.5 in row 0"),
        (in_chunks(frame, weights.astype(str)), {"weights": "w"}, "is a discrete column"),
        (in_chunks(frame, weights), {"weights": "w", "missing": "available"}, 'go with missing="drop" or "error"'),
        (frame, {"weights": weights, "score": OwnScore()}, "do not reach a score of your own"),
    ]
    for data, options, message in wrong:
        with pytest.raises(BnjitError, match=message):
            bnjit.learn(data, **options)


class OwnScore:
    """A score that likes no arc."""

    def local_scores(self, node, parent_sets):
        return [-float(len(parents)) for parents in parent_sets]


def test_command_line(frame, weights, repeated, tmp_path, capsys):
    from bnjit.cli import main

    frame.assign(w=weights).to_csv(tmp_path / "table.csv", index=False)
    repeated.to_csv(tmp_path / "repeated.csv", index=False)
    main(["learn", str(tmp_path / "table.csv"), "--weights", "w", "--out", str(tmp_path / "ours.txt"), "--quiet"])
    main(["learn", str(tmp_path / "repeated.csv"), "--out", str(tmp_path / "theirs.txt"), "--quiet"])
    assert (tmp_path / "ours.txt").read_text() == (tmp_path / "theirs.txt").read_text()
