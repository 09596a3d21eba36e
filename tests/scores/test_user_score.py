"""A user's own score as the score of nodes of either kind."""

import numpy as np
import pytest

import bnjit
from bnjit.data import read_table
from bnjit.errors import ArgumentError
from bnjit.scores import make_scorer
from bnjit.scores.user_score import UserScore
from bnjit.stats.parent_sets import make_batch

PAIRS = [(2, (0, 1)), (2, ()), (0, (1,)), (1, (0, 2)), (1, ())]


class Recorded:
    """Minus the number of parents, -inf for three of them; records what it is asked."""

    def __init__(self):
        self.asked = []

    def local_scores(self, node, parent_sets):
        self.asked.append((node, list(parent_sets)))
        return (float("-inf") if len(parents) == 3 else node - 10.0 * len(parents) for parents in parent_sets)


def test_nodes_are_asked_for_one_by_one_with_all_their_sets():
    score = Recorded()
    own = UserScore(score)
    batch = make_batch(PAIRS)
    assert own.counts_needed(batch) == ()
    assert own.local_scores(batch).tolist() == [node - 10.0 * len(parents) for node, parents in PAIRS]
    assert score.asked == [(2, [(0, 1), ()]), (0, [(1,)]), (1, [(0, 2), ()])]


def test_both_kinds_of_nodes_and_what_is_impossible():
    table = read_table({"a": list("uvuv"), "x": [1.0, 2.0, 4.0, 8.0], "b": list("uuvv"), "y": [1.0, 0.0, 2.0, 0.0]})
    scorer = make_scorer(table, Recorded())
    assert not scorer.equivalent
    assert not scorer.is_quick
    pairs = [(0, (1,)), (1, (0, 2)), (3, (0, 1, 2)), (2, ())]
    assert scorer.local_scores(make_batch(pairs)).tolist() == [-10.0, -19.0, -np.inf, 2.0]


def test_score_sums_the_local_scores_by_name():
    table = {"x": [1.0, 2.0, 4.0], "y": [1.0, 3.0, 2.0]}
    found = bnjit.score([("x", "y")], table, Recorded(), by_node=True)
    assert found.to_dict() == {"x": 0.0, "y": -9.0}
    assert bnjit.score([("x", "y")], table, Recorded()) == -9.0


def test_estimators_belong_to_scores_of_bnjit():
    with pytest.raises(ArgumentError, match="estimator"):
        make_scorer(read_table({"x": [1.0, 2.0, 4.0]}), Recorded(), "qr")
