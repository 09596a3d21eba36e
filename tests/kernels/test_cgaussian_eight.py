"""Scores of many cells, eight at a time, against those of one cell after the other."""

import numpy as np
import pytest

from bnjit.kernels.cgaussian import batch_cells
from bnjit.kernels.cgaussian_eight import batch_eight, needed_pairs
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import Rule
from tests.kernels.versions import BOTH, version

COLUMNS, Y = 5, 2
LOW = np.tril_indices(COLUMNS)
SETS = [(), (0,), (4,), (0, 1), (3, 4), (0, 1, 3), (0, 1, 3, 4)]


def moments_of(rng, m, n, odd):
    """Moments of cells; in the odd ones a column is constant, nearly so, a copy of another, or all but a sum."""
    counts = rng.integers(n - 3, n + 1, m)
    out = Moments(counts, np.empty((m, COLUMNS)), 1e-17 * rng.normal(size=(m, COLUMNS)), np.empty((m, len(LOW[0]))))
    for cell, rows in enumerate(counts.tolist()):
        X = rng.normal(size=(rows, COLUMNS)) + 3.0
        if odd and cell % 8 in (1, 2, 5):
            X[:, 3] = {1: 2.0, 2: X[:, 0], 5: 2.0 + 1e-9 * X[:, 3]}[cell % 8]
        if odd and cell % 8 == 6:
            X[:, Y] = X[:, 0] + X[:, 1] + 1e-6 * X[:, 3]
        out.means[cell] = X.mean(axis=0)
        Z = X - out.means[cell]
        out.crosses[cell] = (Z.T @ Z)[LOW]
    return out


def sets_as_arrays():
    parents = np.zeros((len(SETS), 4), np.int32)
    for row, own in zip(parents, SETS, strict=True):
        row[: len(own)] = own
    return parents, np.array([len(own) for own in SETS])


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("m", [5, 27])
@pytest.mark.parametrize("rows", [6, 40])
@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize(
    "rule",
    [Rule(False, True), Rule(True, True), Rule(True, False), Rule(True, True, True), Rule(False, True, False, True)],
)
def test_eight_at_a_time(which, m, rows, odd, rule):
    """To the bit, whatever the number of cells, with the same cells marked; few rows make sets impossible."""
    rng = np.random.default_rng(1)
    train = moments_of(rng, m, rows, odd)
    test = moments_of(rng, m, 15, odd) if rule.predictive else train
    test.counts[m // 2] = 0 if rule.predictive else test.counts[m // 2]
    parents, sizes = sets_as_arrays()
    found = []
    for kernel in (batch_cells, version(batch_eight, which)):
        out, flagged = np.empty(len(SETS)), np.empty(len(SETS), np.int64)
        marks = np.zeros((len(SETS), m), np.uint8)
        for first, last in ((0, 3), (3, len(SETS))):
            kernel(first, last, train, test, Y, parents, sizes, rule, out, flagged, marks)
        marks[out == -np.inf] = 0
        found.append((out, flagged, marks))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    if not odd and rows == 40:
        assert np.isfinite(found[0][0]).all()
    if odd and rows == 40 and m > 8:
        assert found[0][2].any()


@pytest.mark.parametrize("which", BOTH)
def test_only_pairs_of_some_set_are_needed(which):
    parents = np.array([[0, 3], [4, 0]], np.int32)
    sets = version(needed_pairs, which)(0, 2, 1, parents, np.array([2, 1]), 6)
    assert sets.used.tolist() == [0, 1, 3, 4]
    pairs = {(sets.used[i], sets.used[j]) for i, j in zip(sets.first, sets.second, strict=True)}
    assert pairs == {(0, 0), (1, 1), (3, 3), (4, 4), (1, 0), (3, 0), (3, 1), (4, 1)}
    assert sorted(i * (i + 1) // 2 + j for i, j in pairs) == sets.entry.tolist()
    assert sets.y == 1
    assert sets.parents[0, :2].tolist() == [0, 2]
    assert sets.parents[1, 0] == 3
