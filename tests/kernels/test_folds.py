"""Scores of all folds at once, against those of each fold from the moments of all others."""

import numpy as np
import pytest

from bnjit.kernels.cgaussian import batch_cells
from bnjit.kernels.folds import FoldSums, score_folds
from bnjit.kernels.folds_one import FoldSets
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import Rule
from bnjit.scores.folds_at_once import addresses
from bnjit.stats.cells import leave_one_out
from bnjit.stats.collect import collect_cells, membership
from tests.kernels.versions import BOTH, version
from tests.strategies import to_table

K, ROWS, PARENTS = 4, 240, [(), (1,), (3, 1)]


def fold_tables(values):
    """Cells of the levels of "Z" in each fold: one level is not in the first fold."""
    rng = np.random.default_rng(1)
    parts = []
    for f in range(K):
        z = rng.integers(f == 0, 4, ROWS // K)
        part = {name: column[f * len(z) : (f + 1) * len(z)].tolist() for name, column in values.items()}
        table = to_table({"Z": (z.tolist(), 4)} | part)
        parts.append(collect_cells(table, table.continuous, membership(table, (0,))))
    return parts


def pairs(y):
    """What the kernel takes of the parent sets of column y, of four columns of which the third is not used."""
    parents = np.array([[*own, *[0] * (2 - len(own))] for own in PARENTS], np.int32)
    used = np.array([0, 1, 3])
    i, j = np.tril_indices(3)
    high, low = used[i], used[j]
    return FoldSets(y, parents, np.array([len(own) for own in PARENTS]), used, i, j, high * (high + 1) // 2 + low)


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize("outlier", [0.0, 1e7])
def test_folds_against_one_at_a_time(which, outlier):
    """The rows outside a fold are far from the mean of all rows where that fold has an extreme value."""
    rng = np.random.default_rng(0)
    values = {name: rng.normal(1e3, 1.0, ROWS) for name in "ABCD"}
    values["A"] += values["B"]
    values["A"][5] += outlier
    values["D"][5] -= outlier
    parts, rule = fold_tables(values), Rule(predictive=True, in_cells=True)
    keys = np.unique(np.concatenate([part.keys for part in parts]))
    at = np.full((len(keys), K), -1, np.int64)
    for f, part in enumerate(parts):
        at[np.searchsorted(keys, part.keys), f] = np.arange(len(part.keys))
    b, m = len(PARENTS), len(keys)
    found = FoldSums(np.zeros((K, b)), np.zeros((K, b), np.int64))
    marks, sets = np.zeros((K, b, m), np.uint8), pairs(0)
    score = version(score_folds, which)
    for first, last in ((0, 1), (1, m)):
        score(first, last, addresses(parts, at), sets, rule, found, marks)
    for f, outside in enumerate(leave_one_out(parts)):
        own = parts[f]
        which_cells = np.searchsorted(outside.keys, own.keys)
        train = Moments(*(array[which_cells] for array in outside.moments))
        sums, flagged, expected = np.empty(b), np.empty(b, np.int64), np.zeros((b, len(own.keys)), np.uint8)
        batch_cells(0, b, train, own.moments, 0, sets.parents, sets.sizes, rule, sums, flagged, expected)
        np.testing.assert_allclose(found.scores[f], sums, rtol=1e-9)
        assert found.flagged[f].tolist() == flagged.tolist()
        assert (marks[f][:, np.searchsorted(keys, own.keys)] == expected).all()
    assert np.isfinite(found.scores).all()


def test_too_few_rows_in_one_fold_are_too_few_in_all():
    parts = fold_tables({name: np.arange(float(ROWS)) ** 0.5 for name in "ABCD"})
    keep = [part._replace(keys=part.keys[:1], moments=Moments(*(a[:1] for a in part.moments))) for part in parts[:2]]
    at = np.array([[0, -1]])  # what is outside the first fold has no row
    found = FoldSums(np.zeros((2, 3)), np.zeros((2, 3), np.int64))
    score_folds(
        0, 1, addresses(keep, at), pairs(0), Rule(predictive=True, in_cells=True), found, np.zeros((2, 3, 1), np.uint8)
    )
    assert (found.scores == -np.inf).all()
