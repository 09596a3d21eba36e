"""Scorers choose by kind of node, and divide batches that memory does not hold."""

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest

import bnjit
from bnjit._simd import SIMD_WIDTH
from bnjit.data import read_table
from bnjit.errors import DataError
from bnjit.scores import make_scorer
from bnjit.stats.parent_sets import make_batch
from tests.comparison import local_score
from tests.stats.forms import in_chunks
from tests.strategies import to_table


def test_mixed_network_reduces_to_gaussian_and_to_discrete():
    rng = np.random.default_rng(5)
    n = 300
    numbers = {"X": rng.normal(size=n).tolist(), "Y": rng.normal(size=n).tolist()}
    codes = {"A": (rng.integers(0, 3, n).tolist(), 3), "B": (rng.integers(0, 2, n).tolist(), 2)}
    mixed = make_scorer(to_table({**codes, **numbers}), "bic")
    assert local_score(mixed, 3, [2]) == local_score(make_scorer(to_table(numbers), "bic"), 1, [0])
    assert local_score(mixed, 1, [0]) == local_score(make_scorer(to_table(codes), "bic"), 1, [0])
    assert local_score(mixed, 0, [2]) == -math.inf


def mixed_columns_with_levels(levels, n=400):
    rng = np.random.default_rng(3)
    columns = {f"D{i}": (np.arange(n) * (i + 1) // 3 % levels).astype(str) for i in range(4)}
    return {**columns, **{f"X{i}": rng.normal(size=n) for i in range(3)}}


def all_pairs(names):
    """Every node with all sets of up to two parents."""
    for node in range(len(names)):
        others = [v for v in range(len(names)) if v != node]
        for size in range(3):
            yield from ((node, parents) for parents in itertools.combinations(others, size))


@pytest.mark.parametrize("score", ["bic", "aic"])
def test_batches_of_any_order_and_size_have_the_same_scores(score):
    table = read_table(mixed_columns_with_levels(4))
    pairs = list(all_pairs(table.names))
    expected = make_scorer(table, score).local_scores(make_batch(pairs))
    assert 0 < np.isneginf(expected).sum() < len(expected)
    order = np.random.default_rng(0).permutation(len(pairs))
    shuffled = make_scorer(table, score).local_scores(make_batch([pairs[i] for i in order]))
    np.testing.assert_allclose(shuffled, expected[order], rtol=1e-12)
    scorer = make_scorer(table, score)
    np.testing.assert_allclose([scorer.local_scores(make_batch([pair]))[0] for pair in pairs], expected, rtol=1e-12)
    assert scorer.local_scores(make_batch([])).tolist() == []


def test_one_pass_for_the_counts_of_a_batch_that_fits_in_memory():
    arrow = pa.table(mixed_columns_with_levels(4))
    batch = make_batch(list(all_pairs(arrow.column_names)))
    expected = make_scorer(read_table(arrow), "bic").local_scores(batch)
    source = in_chunks(lambda: arrow.to_batches(max_chunksize=90), 100)
    scorer = make_scorer(source, "bic")
    assert scorer.in_passes
    before = source.passes
    np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-10)
    assert source.passes == before + 2  # counts, then moments
    scorer.local_scores(batch)
    assert source.passes == before + 2


def test_the_next_parent_takes_no_pass():
    """The table of a few columns has the best parents of the node, as far as sets of them were compared."""
    rng = np.random.default_rng(6)
    codes = {name: rng.choice(list("pq"), 400) for name in "abc"}
    X = rng.normal(size=(400, 2 * SIMD_WIDTH))
    X[:, 0] = X[:, 5] + 0.1 * X[:, 0]
    arrow = pa.table({**codes, **{f"x{j:02}": X[:, j] for j in range(X.shape[1])}})
    source = in_chunks(lambda: arrow.to_batches(max_chunksize=90), 100)
    scorer, whole = make_scorer(source, "bic"), make_scorer(read_table(arrow), "bic")
    scorer.local_scores(make_batch([(3, [v]) for v in range(4, len(arrow.column_names))] + [(3, ())] * 2))
    local_score(scorer, 3, [0, 1, 2])
    for parents, passes in (([0, 1, 2, 8], 0), ([0, 1, 2, 4, 5, 6, 7], 1)):
        before = source.passes
        assert local_score(scorer, 3, parents) == pytest.approx(local_score(whole, 3, parents))
        assert source.passes == before + passes


@pytest.mark.parametrize(("memory", "passes"), [("1MB", 1), ("100MB", 0)])
def test_no_column_for_the_next_parent_where_memory_is_short(memory, passes):
    rng = np.random.default_rng(6)
    codes = {name: rng.choice(list("abcdefghij"), 12_000) for name in "abc"}  # a thousand cells
    X = rng.normal(size=(12_000, 2 * SIMD_WIDTH))
    X[:, 0] = X[:, 5] + 0.1 * X[:, 0]
    arrow = pa.table({**codes, **{f"x{j:02}": X[:, j] for j in range(X.shape[1])}})
    source = in_chunks(lambda: arrow.to_batches(max_chunksize=3000), 3000)
    scorer = make_scorer(source, bnjit.BIC(sparse="pool"), max_memory=memory)
    scorer.local_scores(make_batch([(3, [v]) for v in range(4, len(arrow.column_names))] + [(3, ())] * 2))
    local_score(scorer, 3, [0, 1, 2])
    before = source.passes
    local_score(scorer, 3, [0, 1, 2, 8])
    assert source.passes == before + passes


def test_batches_that_memory_does_not_hold_are_divided():
    """Hundreds of levels and a megabyte: counts of a part at a time, and the same scores."""
    arrow = pa.table(mixed_columns_with_levels(150, n=3000))
    batch = make_batch(list(all_pairs(arrow.column_names)))
    expected = make_scorer(read_table(arrow), "bic").local_scores(batch)
    source = in_chunks(lambda: arrow.to_batches(max_chunksize=900), 1000)
    scorer = make_scorer(source, "bic", max_memory="1MB")
    before = source.passes
    np.testing.assert_allclose(scorer.local_scores(batch), expected, rtol=1e-10)
    assert source.passes > before + 2


def test_what_a_score_is_for():
    table = read_table({"a": list("uvuv"), "x": [1.0, 2.0, 4.0, 8.0]})
    for score, kind in (
        ("bge", "continuous"),
        ("bde", "discrete"),
        ("k2", "discrete"),
        ("qnml", "discrete"),
        ("fnml", "discrete"),
    ):
        with pytest.raises(DataError, match=f"score='{score}' is for {kind} columns alone"):
            make_scorer(table, score)
    continuous, discrete = read_table({"x": [1.0, 2.0, 4.0]}), read_table({"a": list("uvu")})
    quick = {score: make_scorer(continuous, score).is_quick for score in ("bic", "bge")}
    assert quick == {"bic": True, "bge": False}
    assert not make_scorer(discrete, "bic").is_quick
    equivalent = {
        score: make_scorer(discrete, score).equivalent for score in ("bic", "bde", "bds", "k2", "qnml", "fnml")
    }
    assert equivalent == {"bic": True, "bde": True, "bds": False, "k2": False, "qnml": True, "fnml": False}
    assert not make_scorer(table, "bic").equivalent
