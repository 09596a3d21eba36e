"""Scores of toggled sets that are kept without listing them, against a list of them all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnjit.search import score_memo
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.toggled_scores import ToggledScores, recall_toggled
from bnjit.search.tuning import BYTES_PER_SCORE, MANY_COLUMNS, MOST_KEPT_SETS
from tests.search.test_score_memo import KEYS, TOGGLES, Recording, assert_answers, score_of, toggled_keys

N = 5
SETS = st.integers(0, 2**N - 1)


@pytest.fixture(autouse=True, scope="module")
def few_columns_are_many():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_memo, "MANY_COLUMNS", 1)
        yield


@given(listed=st.lists(SETS, max_size=8), kept=st.lists(st.tuples(SETS, SETS), max_size=4), parents=SETS)
def test_what_is_known_is_found(listed, kept, parents):
    known = {bits: score_of(0, bits) for bits in listed}
    some = [
        ToggledScores(base, np.array([score_of(0, base ^ 1 << x) if own >> x & 1 else np.nan for x in range(N)]))
        for base, own in kept
    ]
    found = np.full(N, np.nan)
    recall_toggled(known, some, parents, np.arange(N), found)
    for one in some:
        one.list_in(known)
    expected = [known.get(parents ^ 1 << x, np.nan) for x in range(N)]
    np.testing.assert_array_equal(found, expected)


@given(requests=st.lists(st.one_of(KEYS, TOGGLES), max_size=6))
def test_each_set_is_estimated_once_in_any_order(requests):
    for order in (requests, requests[::-1]):
        memo = ScoreMemo(scorer := Recording())
        keys = [key for asked in order for key in assert_answers(memo, asked)]
        assert len(scorer.estimated) == len(set(scorer.estimated)) == memo.n_local_scores
        assert set(scorer.estimated) == set(keys)


@given(requests=st.lists(st.one_of(KEYS, TOGGLES), max_size=6), room=st.integers(0, 6))
def test_little_memory_forgets_but_answers(requests, room):
    memo = ScoreMemo(scorer := Recording(), memory=room * BYTES_PER_SCORE)
    keys = [key for asked in requests for key in assert_answers(memo, asked)]
    assert set(scorer.estimated) == set(keys)
    assert memo.n_local_scores >= len(set(keys))


def test_few_columns_are_listed_at_once(monkeypatch):
    monkeypatch.setattr(score_memo, "MANY_COLUMNS", MANY_COLUMNS)
    memo = ScoreMemo(Recording(MANY_COLUMNS - 1))
    assert_answers(memo, [Toggle(0, 0, list(range(1, MANY_COLUMNS - 1)))])
    assert len(memo._known[0]) == MANY_COLUMNS - 2
    memo = ScoreMemo(Recording(MANY_COLUMNS))
    assert_answers(memo, [Toggle(0, 0, list(range(1, MANY_COLUMNS)))])
    assert len(memo._known[0]) == 0


def climb(memo, steps):
    """Ask for all toggles of one node, whose parents change by one at a time."""
    parents, asked = 0, []
    for step in range(steps):
        asked.append(Toggle(0, parents, [1, 2, 3, 4]))
        assert_answers(memo, asked[-1:])
        parents ^= 2 << step % 4
    return asked


def test_sets_are_known_in_the_order_in_which_they_were_estimated():
    memo = ScoreMemo(scorer := Recording())
    asked = climb(memo, 6)
    assert memo.n_local_scores == len(scorer.estimated) == len(set(toggled_keys(asked)))
    memo.get([(0, 30), (1, 1)])
    climb(memo, 6)
    assert list(dict(memo.asked(0))) == [bits for node, bits in scorer.estimated if node == 0]
    assert memo.asked(0) == [(bits, score_of(0, bits)) for bits, _ in memo.asked(0)]
    assert len(scorer.estimated) == len(set(scorer.estimated))


@pytest.mark.parametrize("columns", [2, 40])
def test_toggles_of_few_columns_are_listed_at_once(columns):
    """An array of all columns would be empty for the most part."""
    memo = ScoreMemo(Recording(columns))
    assert_answers(memo, [Toggle(0, 0, [1])])
    assert len(memo._known[0]) == (columns == 40)
    assert len(memo._toggled[0]) == (columns == 2)


def test_many_sets_of_a_node_are_listed():
    rng = np.random.default_rng(0)
    memo = ScoreMemo(scorer := Recording(60))
    for bits in rng.integers(0, 2**60, 3 * MOST_KEPT_SETS).tolist():
        assert_answers(memo, [Toggle(0, bits, list(range(1, 60)))])
        assert len(memo._toggled[0]) <= MOST_KEPT_SETS
    assert len(memo.asked(0)) == len(set(scorer.estimated)) == len(scorer.estimated)
