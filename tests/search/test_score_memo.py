"""The memo of local scores: what is estimated, remembered, counted and forgotten."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.data.schema import Schema
from bnjit.graph.bits import bits_of, members_of
from bnjit.scores import make_scorer
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.tuning import BYTES_PER_SCORE
from tests.comparison import scores_of_a_search
from tests.search.by_loops import random_table
from tests.strategies import to_table


@pytest.mark.parametrize("score", ["loglik", "aic", "bic", "ebic"])
@given(seed=st.integers(0, 10**6), wild=st.booleans())
@settings(max_examples=10)
def test_scores_from_moments_are_those_of_the_scorer(score, seed, wild):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(40, 6))
    x[:, 3] = x[:, 0] + (1e-9 if wild else 1.0) * rng.normal(size=40)  # no moments vouch for that
    x[:, 4] += 1e5
    scorer = make_scorer(to_table({f"X{j}": x[:, j].tolist() for j in range(6)}), score)
    fast = ScoreMemo(scorer)
    assert scorer.is_quick
    requests = []
    for v in range(6):
        others = [u for u in range(6) if u != v]
        parents = rng.choice(others, rng.integers(0, 5), replace=False).tolist()
        requests.append(Toggle(v, bits_of(parents), others))
    for (v, parents, which), values in zip(requests, fast.toggled(requests), strict=True):
        sets = [members_of(parents ^ 1 << x) for x in which]
        # Where moments vouch for no fit, the scorer may turn to residuals from one batch to the next: other roundings.
        np.testing.assert_allclose(values, scores_of_a_search(scorer, v, sets), rtol=1e-13)
        np.testing.assert_allclose(values, fast.get([(v, bits_of(members)) for members in sets]), rtol=1e-13)
    assert fast.n_local_scores == 60


def test_remembered_scores_are_estimated_once():
    scorer = make_scorer(to_table(random_table(np.random.default_rng(0), "discrete", 30)), "bde")
    assert not scorer.is_quick
    scores = ScoreMemo(scorer)
    keys = [(0, 0), (0, 2), (0, 6), (0, 2)]
    first = scores.get(keys)
    assert scores.n_local_scores == 3
    np.testing.assert_array_equal(scores.get(keys), first)
    assert scores.n_local_scores == 3
    few = ScoreMemo(scorer, memory=3 * BYTES_PER_SCORE)
    for sets in ([0, 2], [4, 6], [0, 2, 4, 6], [2]):
        expected = scores_of_a_search(scorer, 0, [members_of(s) for s in sets])
        np.testing.assert_array_equal(few.get([(0, s) for s in sets]), expected)
        np.testing.assert_array_equal(few.toggled([Toggle(0, 0, [1, 2])])[0], scores_of_a_search(scorer, 0, [[1], [2]]))


class Recording:
    """A scorer that makes scores up and records the sets that it is asked for."""

    equivalent = is_users_own = False

    def __init__(self, columns=5, is_quick=False, in_passes=False):
        self.schema = Schema([f"X{j}" for j in range(columns)], [None] * columns)
        self.shifts = np.zeros(columns)
        self.is_quick, self.in_passes = is_quick, in_passes
        self.estimated, self.batches = [], 0

    def local_scores(self, batch):
        self.batches += 1
        keys = [(node, bits_of(s)) for node, s in zip(batch.nodes.tolist(), batch.sets.tuples(), strict=True)]
        self.estimated += keys
        return np.array([score_of(*key) for key in keys])


def score_of(node, parents):
    """Any number that tells nodes and sets of parents apart."""
    return -1.0 - node - sum(math.sqrt(v + 2) for v in members_of(parents)) / 7


class Kept:
    """A checkpoint in memory."""

    def __init__(self, known=()):
        self.known, self.saved = dict(known), 0

    def load(self, N):
        return self.known

    def save_sometimes(self, known):
        self.known = {(node, parents): score for node, own in enumerate(known) for parents, score in own.items()}

    def save(self, known):
        self.save_sometimes(known)
        self.saved += 1


KEYS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 31)), max_size=8)
TOGGLES = st.lists(
    st.builds(Toggle, st.integers(0, 4), st.integers(0, 31), st.lists(st.integers(0, 4), unique=True)), max_size=4
)


def toggled_keys(requests):
    return [(r.node, r.parents ^ 1 << x) for r in requests for x in r.which]


def assert_answers(memo, asked):
    """Ask for keys or toggles, and compare with the scores that were made up; return the keys."""
    if asked and isinstance(asked[0], Toggle):
        found = memo.toggled(asked)
        assert [len(values) for values in found] == [len(request.which) for request in asked]
        keys = toggled_keys(asked)
        assert [v for values in found for v in values.tolist()] == [score_of(*key) for key in keys]
        return keys
    assert memo.get(asked).tolist() == [score_of(*key) for key in asked]
    return asked


@given(requests=st.lists(st.one_of(KEYS, TOGGLES), max_size=6))
def test_each_set_is_estimated_once_in_any_order(requests):
    for order in (requests, requests[::-1]):
        scorer = Recording()
        memo = ScoreMemo(scorer)
        keys = [key for asked in order for key in assert_answers(memo, asked)]
        assert len(scorer.estimated) == len(set(scorer.estimated))
        assert set(scorer.estimated) == set(keys)
        assert memo.n_local_scores == len(set(keys))


@given(requests=st.lists(st.one_of(KEYS, TOGGLES), max_size=6), room=st.integers(0, 6))
def test_little_memory_forgets_but_answers(requests, room):
    scorer = Recording()
    memo = ScoreMemo(scorer, memory=room * BYTES_PER_SCORE)
    keys = [key for asked in requests for key in assert_answers(memo, asked)]
    assert set(scorer.estimated) == set(keys)
    assert memo.n_local_scores >= len(set(keys))


def test_sets_of_one_call_are_estimated_in_one_batch():
    scorer = Recording()
    memo = ScoreMemo(scorer)
    memo.get([(0, 2), (3, 1), (0, 4)])
    assert scorer.batches == 1
    memo.toggled([Toggle(0, 2, [2, 3]), Toggle(3, 1, [0, 1]), Toggle(0, 4, [3])])
    assert scorer.batches == 2
    memo.toggled([Toggle(0, 2, [2, 3]), Toggle(4, 0, [])])
    assert scorer.batches == 2


def test_likely_sets_are_asked_for_only_when_a_pass_is_needed():
    calls = []

    def likely():
        calls.append(1)
        return [Toggle(1, 0, [0, 2]), Toggle(0, 0, [1])]

    in_memory = ScoreMemo(Recording())
    in_memory.toggled([Toggle(0, 0, [1, 2])], likely)
    assert calls == []
    scorer = Recording(in_passes=True)
    memo = ScoreMemo(scorer)
    memo.toggled([Toggle(0, 0, [1, 2])], likely)
    assert len(calls) == 1
    assert sorted(scorer.estimated) == [(0, 2), (0, 4), (1, 1), (1, 4)]
    memo.toggled([Toggle(0, 0, [2, 1])], likely)
    memo.toggled([Toggle(1, 0, [0])], likely)
    assert len(calls) == 1  # all of it was known
    assert scorer.batches == 1
    memo.toggled([Toggle(1, 0, [0, 3])], likely)
    assert len(calls) == 2


def test_scores_that_nobody_asked_for_are_not_counted():
    memo = ScoreMemo(Recording(in_passes=True))
    memo.toggled([Toggle(0, 0, [1, 2])], lambda: [Toggle(1, 0, [0, 2]), Toggle(0, 0, [1, 3])])
    assert memo.n_local_scores == 2
    memo.get([(1, 1), (1, 1)])
    assert memo.n_local_scores == 3
    memo.toggled([Toggle(0, 0, [1, 3]), Toggle(1, 0, [0, 2])])
    assert memo.n_local_scores == 5
    memo.get([(0, 8), (1, 4)])
    assert memo.n_local_scores == 5


def test_toggled_sets_of_quick_scores_are_not_remembered_without_a_file():
    scorer = Recording(is_quick=True)
    memo = ScoreMemo(scorer)
    for _ in range(2):
        assert_answers(memo, [(0, 2), (1, 0)])
        assert_answers(memo, [Toggle(0, 0, [1, 2]), Toggle(1, 4, [])])
    assert len(scorer.estimated) == memo.n_local_scores == 6
    assert memo.toggled([]) == []
    with_file = ScoreMemo(scorer := Recording(is_quick=True), Kept())
    for _ in range(2):
        assert_answers(with_file, [(0, 2), (1, 0)])
        assert_answers(with_file, [Toggle(0, 0, [1, 2])])
    assert len(scorer.estimated) == with_file.n_local_scores == 3


def test_scores_of_a_file_are_counted_when_they_are_asked_for():
    file = Kept({(0, 2): score_of(0, 2), (3, 5): score_of(3, 5)})
    scorer = Recording()
    memo = ScoreMemo(scorer, file, memory=0)
    assert memo.n_local_scores == 0
    with memo.kept():
        assert_answers(memo, [(0, 2), (0, 2), (0, 4)])
        assert memo.n_local_scores == 2
        assert scorer.estimated == [(0, 4)]
        assert_answers(memo, [(3, 5), (0, 2), (0, 4)])
        assert memo.n_local_scores == 3
        assert scorer.estimated == [(0, 4)]  # however little memory: what a checkpoint has is never forgotten
        assert file.saved == 0
    assert file.saved == 1
    assert file.known == {key: score_of(*key) for key in [(0, 2), (3, 5), (0, 4)]}


class PenalisedCount:
    """A score of one's own: each parent costs something."""

    name = "count"

    def __init__(self, each):
        self.each = each

    def local_scores(self, node, parent_sets):
        return [self.each * len(parents) for parents in parent_sets]


def test_a_checkpoint_of_another_own_score_is_refused(tmp_path):
    table = {"x": [1.0, 2.0, 4.0, 3.0], "y": [2.0, 1.0, 0.0, 5.0]}
    first = bnjit.learn(table, PenalisedCount(1.0), checkpoint=tmp_path / "scores.npz")
    again = bnjit.learn(table, PenalisedCount(1.0), checkpoint=tmp_path / "scores.npz")
    assert list(again.dag.edges) == list(first.dag.edges)
    with pytest.raises(bnjit.ArgumentError, match="other local scores than this score of your own gives"):
        bnjit.learn(table, PenalisedCount(-1.0), checkpoint=tmp_path / "scores.npz")


@given(requests=st.lists(st.one_of(KEYS, TOGGLES), max_size=6), likely=TOGGLES, before=KEYS)
def test_what_was_asked_for_is_told_from_what_is_known(requests, likely, before):
    """Whatever a checkpoint had, and whatever was estimated ahead, in the order of asking."""
    memo = ScoreMemo(Recording(in_passes=True), Kept({key: score_of(*key) for key in before}))
    expected = [{} for _ in range(5)]
    for asked in requests:
        if asked and isinstance(asked[0], Toggle):
            memo.toggled(asked, lambda: likely)
            keys = toggled_keys(asked)
        else:
            keys = assert_answers(memo, asked)
        for node, bits in keys:
            expected[node][bits] = score_of(node, bits)
    for node in range(5):
        found = memo.asked(node)
        assert len(found) == len(expected[node])
        assert dict(found) == expected[node]
        assert memo.asked(node, 2) == found[2:]


def test_nobody_is_told_after_a_search():
    told = []
    memo = ScoreMemo(Recording(), memory=2 * BYTES_PER_SCORE)
    with memo.remembering():
        memo.before_forgetting = lambda: told.append([len(memo.asked(node)) for node in range(5)])
        for node in range(4):
            memo.get([(node, 0)])
    assert told == [[1, 1, 0, 0, 0]]
    for node in range(4):
        memo.get([(node, 2)])
    assert len(told) == 1
