"""What is the same about two results of a search."""

import pytest


def same(ours, theirs, rel=1e-10):
    """Assert that two searches took the same way to the same graph."""
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.dag.nodes(data=True) == theirs.dag.nodes(data=True)
    assert ours.score == pytest.approx(theirs.score, rel=rel)
    assert ours.n_local_scores == theirs.n_local_scores
    assert ours.trace[["move", "source", "target"]].equals(theirs.trace[["move", "source", "target"]])
