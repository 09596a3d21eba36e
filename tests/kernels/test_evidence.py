"""Scores of cells by their own rows: compiled, in threads and as Python; from moments and from triangles."""

import numpy as np
import pytest

from bnjit.data import read_table
from bnjit.kernels import evidence
from bnjit.kernels.cgaussian import Task
from bnjit.kernels.rules import FINE, UNSUPPORTED
from bnjit.stats import Request
from bnjit.stats.opening import make_store
from bnjit.stats.regressions import request_triangles
from bnjit.stats.store import triangles_for
from tests.kernels.versions import BOTH, version

PARENTS, SIZES = np.array([[0, 0], [0, 0], [0, 1]], np.int32), np.array([0, 1, 2])


def cells(seed, n=400):
    """Moments and triangles of three columns, the node last, in eight cells of which the last is small."""
    rng = np.random.default_rng(seed)
    z = np.minimum(rng.integers(0, 16, n), 7)
    z[z == 7] = 6
    z[:3] = 7
    x, w, e = rng.normal(size=(3, n))
    table = read_table({"z": [str(k) for k in z], "x": x, "w": w, "y": x * (1 + z) - w + e})
    store = make_store(table)
    (made,) = store.get([Request((0,), (1, 2, 3))])
    (triangles,) = triangles_for([(store, request_triangles(store, (0,), made.keys, (1, 2, 3)))])
    return made.narrow((1, 2, 3)).moments, triangles.triangles


def scored(score, pair, rule):
    m = len(pair[0].counts)
    out, flagged, marks = np.empty(3), np.empty(3, np.int64), np.empty((3, m), np.uint8)
    score(0, 3, *pair, 2, PARENTS, SIZES, rule, out, flagged, marks)
    return out, flagged, marks


@pytest.mark.parametrize(
    ("kind", "predictive"), [(evidence.LOCAL, False), (evidence.REFERENCE, False), (evidence.REFERENCE, True)]
)
def test_versions_agree_and_triangles_give_the_same(kind, predictive):
    (train, fitted), (test, held_out) = cells(1), cells(2)
    pair, triangles = ((train, test), (fitted, held_out)) if predictive else ((train, train), (fitted, fitted))
    rule = evidence.Evidence(kind, predictive, in_cells=True)
    compiled = scored(evidence.batch_evidence, pair, rule)
    for one, loop in zip(compiled, scored(evidence.batch_evidence.py_func, pair, rule), strict=True):
        np.testing.assert_allclose(one, loop, rtol=1e-13)
    sums, flagged, marks = compiled
    assert marks[2].tolist() == [FINE] * 7 + [UNSUPPORTED]
    assert flagged.tolist() == (marks != FINE).sum(axis=1).tolist()
    out = np.empty((8, 3))
    evidence.evidence_triangles(0, 8, *triangles, Task(2, PARENTS, SIZES), rule, out)
    assert np.isnan(out.T).tolist() == (marks == UNSUPPORTED).tolist()
    np.testing.assert_allclose(np.nansum(out, axis=0), sums, rtol=1e-10)


@pytest.mark.parametrize("which", BOTH)
def test_one_cell_by_hand(which):
    log_evidence = version(evidence.log_evidence, which)
    n, rss = 10, 5.0
    local = log_evidence(n, 2, 1, rss, 0.0, evidence.LOCAL)
    assert local == pytest.approx(-5.0 * (np.log(2 * np.pi * 0.5) + 1.0) - 1.5 * np.log(10.0))
    # Eight degrees of freedom: lgamma(4) = log 6.
    reference = log_evidence(n, 2, 1, rss, 3.0, evidence.REFERENCE)
    assert reference == pytest.approx(np.log(6.0) - 4.0 * np.log(np.pi * rss) - 1.5)


@pytest.mark.parametrize("which", BOTH)
def test_rows_that_a_regression_needs(which):
    has_rows = version(evidence.has_rows, which)
    in_cells, alone = (evidence.Evidence(evidence.LOCAL, False, flag) for flag in (True, False))
    assert [has_rows(n, 2, in_cells) for n in (4, 5)] == [False, True]
    assert [has_rows(n, 2, alone) for n in (3, 4)] == [False, True]
