"""What is the same about two results of a search; local scores of one node, as tests ask for them."""

import pytest

from bnjit.stats.parent_sets import batch_of, make_sets


def local_scores(scorer, node, sets):
    """Scores of a node with each of some parent sets."""
    return scorer.local_scores(batch_of(node, make_sets(sets)))


def local_score(scorer, node, parents):
    """Score of a node with one parent set."""
    return float(local_scores(scorer, node, [parents])[0])


def same(ours, theirs, rel=1e-10):
    """Assert that two searches took the same way to the same graph."""
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.dag.nodes(data=True) == theirs.dag.nodes(data=True)
    assert ours.score == pytest.approx(theirs.score, rel=rel)
    assert ours.n_local_scores == theirs.n_local_scores
    assert ours.trace[["move", "source", "target"]].equals(theirs.trace[["move", "source", "target"]])
