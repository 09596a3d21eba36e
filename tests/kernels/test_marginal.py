"""Marginal likelihoods of cells: compiled, in threads and as Python; from moments and from triangles."""

import numpy as np

from bnjit.kernels import marginal
from bnjit.kernels.cgaussian import Task
from tests.kernels.test_evidence import PARENTS, SIZES, cells

PRIOR = marginal.CellPrior(np.array([0.1, -0.2, 0.5]), np.array([0.5, 0.6, 3.0]), 1.0, 2.0)


def scored(score, moments):
    out, flagged, marks = np.empty(3), np.empty(3, np.int64), np.empty((3, len(moments.counts)), np.uint8)
    score(0, 3, moments, 2, PARENTS, SIZES, PRIOR, out, flagged, marks)
    assert not flagged.any()
    assert not marks.any()
    return out


def test_versions_agree_and_triangles_give_the_same():
    moments, triangles = cells(1)
    compiled = scored(marginal.batch_marginals, moments)
    np.testing.assert_allclose(compiled, scored(marginal.batch_marginals.py_func, moments), rtol=1e-13)
    out = np.empty((len(moments.counts), 3))
    marginal.marginal_triangles(0, len(out), triangles, Task(2, PARENTS, SIZES), PRIOR, out)
    np.testing.assert_allclose(out.sum(axis=0), compiled, rtol=1e-11)
