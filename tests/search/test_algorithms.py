"""Algorithms as a user chooses them, with a score of the user's own, against all graphs of four nodes."""

import numpy as np
import pytest

import bnjit
from bnjit.errors import ArgumentError
from bnjit.options import BIC, CrossValidation
from bnjit.search.algorithms import make_searches
from bnjit.search.prune import prune
from tests.search.made_up import MadeUp, all_graphs, best_graph, neighbours

TABLE = {name: np.random.default_rng(0).normal(size=10) for name in "abcd"}
MIXED = {**TABLE, "b": list("uvuvuvuvuu"), "d": list("uuvvuuvvuv")}
ALGORITHMS = [
    "hc", "tabu", "boss", bnjit.HillClimbing(restarts=3, perturb=2), bnjit.Tabu(restarts=2, perturb=2),
    bnjit.Boss(restarts=2), bnjit.HillClimbing(exchange=True),
]  # fmt: skip


def arcs_of(result):
    return frozenset(("abcd".index(a), "abcd".index(b)) for a, b in result.dag.edges)


def test_all_graphs_of_four_nodes():
    assert len(all_graphs()) == 543


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_a_score_of_ones_own_leads_to_the_best_of_all_graphs(algorithm, seed):
    score = MadeUp(seed, interaction=0.05)
    best = best_graph(score)
    result = bnjit.learn(TABLE, score, algorithm)
    assert arcs_of(result) == best
    assert result.score == pytest.approx(score.score(best), rel=1e-12)
    assert len(set(score.asked)) == len(score.asked) > 0  # each set once
    assert result.arguments["score"] == "made up"


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_required_arcs_and_numbers_of_parents(algorithm, seed):
    """The required arc goes against the hidden order; other arcs give way."""
    score = MadeUp(seed, interaction=0.05)
    a, b = sorted(best_graph(score))[0]
    required = [(b, a)]
    best = best_graph(score, required)
    assert best != best_graph(score)
    names = [("abcd"[b], "abcd"[a])]
    result = bnjit.learn(TABLE, score, algorithm, whitelist=names)
    assert set(required) <= arcs_of(result)
    assert result.score == pytest.approx(score.score(arcs_of(result)), rel=1e-12)
    assert result.score == pytest.approx(score.score(best), rel=1e-12)
    one = bnjit.learn(TABLE, score, algorithm, max_parents=1)
    assert max(dict(one.dag.in_degree()).values()) == 1
    assert one.score <= score.score(best_graph(score, most=1)) + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_searches_that_leave_hills_find_the_best_of_rugged_scores(seed):
    """Climbing ends where no arc more, less or the other way round is better; tabu and restarts go on from there."""
    score = MadeUp(seed, interaction=1.5)
    climbed = arcs_of(bnjit.learn(TABLE, score))
    assert all(score.score(other) <= score.score(climbed) + 1e-9 for other in neighbours(climbed))
    best = score.score(best_graph(score))
    for algorithm in (bnjit.Tabu(length=40, patience=40), bnjit.HillClimbing(restarts=40, perturb=3)):
        assert bnjit.learn(TABLE, score, algorithm, seed=1).score == pytest.approx(best, rel=1e-12)


def test_discrete_nodes_take_any_parent_that_the_score_allows():
    """Arcs from continuous to discrete columns stay forbidden, whatever a score says."""
    score = MadeUp(1, interaction=0.05)
    found = arcs_of(bnjit.learn(MIXED, score))
    allowed = [arcs for arcs in all_graphs() if not any(a in (0, 2) and b in (1, 3) for a, b in arcs)]
    assert found == max(allowed, key=score.score)


def test_what_runs():
    def names(algorithm, score=None):
        runs = make_searches(algorithm, score or BIC(), "stats", 1)
        return [getattr(getattr(run, "func", run), "__name__", "") for run in runs]

    assert names(bnjit.HillClimbing()) == ["hill_climbing"]
    assert names(bnjit.HillClimbing(restarts=2)) == ["random_restarts"]
    assert names(bnjit.HillClimbing(exchange=True)) == ["with_exchanges"]
    assert names(bnjit.Tabu()) == ["tabu_search"]
    assert names(bnjit.Boss()) == ["order_search"]
    assert names(bnjit.GES()) == ["equivalence_search"]
    assert names(bnjit.GES(), CrossValidation(one_se=True)) == ["equivalence_search", "prune"]
    assert make_searches(bnjit.Boss(), CrossValidation(one_se=True), "stats", 1)[1] is prune
    tabu = make_searches(bnjit.Tabu(length=7), BIC(), "stats", None)[0].keywords
    assert tabu == {"tabu": 7, "max_tabu": 7}


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([1.0, 2.0], "gave 2 local scores for 1 parent sets; local_scores must give one number for each"),
        ([float("nan")], r"gave no finite local score for node 0 with parents \(\)"),
        ([float("inf")], "-inf is for what is impossible"),
    ],
)
def test_scores_that_are_none_are_refused(found, message):
    class Wrong:
        def local_scores(self, node, parent_sets):
            return found

    with pytest.raises(ArgumentError, match=message):
        bnjit.score([], {"x": [1.0, 2.0, 4.0]}, Wrong())
