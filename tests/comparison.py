"""What two results of a search, or two tables of Cells, have to agree in; local scores of one node."""

import numpy as np
import pytest

from bnjit.stats.parent_sets import batch_of, make_sets


def local_scores(scorer, node, sets):
    """Scores of a node with each of some parent sets, in the units of its column."""
    return scores_of_a_search(scorer, node, sets) + scorer.shifts[node]


def scores_of_a_search(scorer, node, sets):
    """Scores of a node with each of some parent sets, in the units of a search."""
    return scorer.local_scores(batch_of(node, make_sets(sets)))


def local_score(scorer, node, parents):
    """Score of a node with one parent set."""
    return float(local_scores(scorer, node, [parents])[0])


def assert_same_search(ours, theirs, rel=1e-10):
    """Assert that two searches took the same way to the same graph."""
    assert list(ours.dag.edges) == list(theirs.dag.edges)
    assert ours.dag.nodes(data=True) == theirs.dag.nodes(data=True)
    assert ours.score == pytest.approx(theirs.score, rel=rel)
    assert ours.n_local_scores == theirs.n_local_scores
    assert ours.trace[["move", "source", "target"]].equals(theirs.trace[["move", "source", "target"]])


def assert_same_cells(ours, theirs, rel=1e-12):
    """Equal, relative to each cell's scale: means to their size or spread, cross-products to both spreads."""
    assert (ours.variables, ours.levels, ours.columns) == (theirs.variables, theirs.levels, theirs.columns)
    np.testing.assert_array_equal(ours.keys, theirs.keys)
    np.testing.assert_array_equal(ours.counts, theirs.counts)
    i, j = np.tril_indices(len(ours.columns))
    squares = np.sqrt(theirs.crosses[:, i == j])
    size = np.maximum(np.abs(theirs.means), squares / np.sqrt(theirs.counts)[:, None])
    assert np.all(np.abs(ours.means - theirs.means) <= rel * size)
    # Values that differ by no more than their rounding have no spread to speak of.
    spread = np.maximum(squares, 1e-15 * np.sqrt(theirs.counts)[:, None] * np.abs(theirs.means))
    assert np.all(np.abs(ours.crosses - theirs.crosses) <= rel * spread[:, i] * spread[:, j])
