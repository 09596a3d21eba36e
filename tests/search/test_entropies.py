"""Sums of n log n that all nodes share: scores by their definition, each set counted once, exact search the same."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnjit.graph.bits import bits_of, members_of
from bnjit.scores import make_scorer
from bnjit.scores.bounds import ScoreBounds
from bnjit.search import Search, State
from bnjit.search import exact as module
from bnjit.search.candidates import NodeCandidates
from bnjit.search.constraints import make_constraints
from bnjit.search.entropies import Entropies
from bnjit.search.exact import ExactSearch
from bnjit.search.score_memo import ScoreMemo
from tests.search.by_loops import random_table
from tests.strategies import to_table


def entropies_of(frame, score):
    """Entropies of the discrete columns of a table, which are not all columns of one that has both kinds."""
    table = to_table(frame)
    scorer = make_scorer(table, score)
    discrete = [v for v, is_discrete in enumerate(table.discrete) if is_discrete]
    return Entropies(ScoreMemo(scorer), ScoreBounds(scorer), discrete), scorer


@given(
    kind=st.sampled_from(["discrete", "cgaussian"]), seed=st.integers(0, 10_000), n=st.sampled_from([12, 60, 400]),
    score=st.sampled_from(["bic", "aic", "ebic", "loglik"]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_scores_are_those_of_the_memo(kind, seed, n, score):
    found, scorer = entropies_of(random_table(np.random.default_rng(seed), kind, n, columns=7), score)
    plain = ScoreMemo(scorer)
    for v in reversed(found.columns):
        others = [u for u in found.columns if u != v]
        sets = [bits_of(some) for size in (2, 0, 1, 3) for some in combinations(others, size)]
        expected = plain.get([(v, bits) for bits in sets])
        assert np.abs(found.scores_of(v, sets) - expected).max() < 0.01 * found.rounding


def test_each_set_is_counted_once():
    found, _ = entropies_of(random_table(np.random.default_rng(1), "discrete", 100, columns=6), "bic")
    for v in range(6):
        others = [u for u in range(6) if u != v]
        found.scores_of(v, [bits_of(some) for size in range(6) for some in combinations(others, size)])
    assert found.scores.n_local_scores == 2**6 - 1


def test_sets_beyond_all_numbers_are_unknown(monkeypatch):
    """A score that is impossible is no likelihood, and says nothing of others."""
    found, _ = entropies_of(random_table(np.random.default_rng(1), "discrete", 100, columns=4), "bic")
    get = found.scores.get
    monkeypatch.setattr(found.scores, "get", lambda keys: np.where([bits == 6 for _, bits in keys], -np.inf, get(keys)))
    assert np.isnan(found.scores_of(0, [2, 4, 6])).tolist() == [False, False, True]


@pytest.mark.parametrize("score", ["bic", "aic", "loglik"])
@pytest.mark.parametrize(("kind", "known"), [("discrete", {}), ("discrete", {"max_parents": 2}), ("cgaussian", {})])
def test_exact_search_fills_the_same_tables_to_the_bit(score, kind, known, monkeypatch):
    frame = random_table(np.random.default_rng(5), kind, 300, columns=8)
    table = to_table(frame)
    discrete = [name for name, is_discrete in zip(frame, table.discrete, strict=True) if is_discrete]
    asked, tables = [], []
    for shares in (True, False):
        if not shares:
            monkeypatch.setattr(module, "Entropies", lambda *_: None)
        constraints = make_constraints(table.names, table.discrete, whitelist=[discrete[:2]], **known)
        search = Search(State(ScoreMemo(make_scorer(table, score)), constraints), None, lambda step: None)
        tables.append(ExactSearch(search).tables())
        asked.append(search.state.scores.n_local_scores)
    np.testing.assert_array_equal(tables[0], tables[1])
    assert score == "loglik" or asked[0] < asked[1]  # by which every set gains, and is scored


def test_what_may_improve_is_scored_as_ever():
    """Sets that gain something have the score of the memo, to the bit, and not one up to rounding."""
    frame = random_table(np.random.default_rng(2), "discrete", 400, columns=7)
    found, scorer = entropies_of(frame, "aic")
    limits = make_constraints(list(frame), [True] * 7).limits
    for v in range(7):
        sets = NodeCandidates(found.scores, limits, found.bounds, v, 1e-9, found).run()
        plain = NodeCandidates(ScoreMemo(scorer), limits, found.bounds, v, 1e-9).run()
        assert sets == plain
        assert len(sets) > 1
        assert all(v not in members_of(bits) for bits, _ in sets)
