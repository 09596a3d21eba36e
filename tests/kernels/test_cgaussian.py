"""Scores of the cells of a continuous node, against plain loops."""

import numpy as np
import pytest

from bnjit.kernels import cgaussian
from bnjit.kernels.rules import Rule
from bnjit.stats.collect import collect_cells, membership
from tests.kernels.versions import BOTH, version
from tests.reference import naive
from tests.strategies import to_table


@pytest.mark.parametrize("which", BOTH)
def test_scores_of_cells(which):
    """The kernels that sum over cells, in plain Python too."""
    rng = np.random.default_rng(0)
    n = 60
    table = {
        "Z": (rng.integers(0, 2, n).tolist(), 2),
        "A": rng.normal(size=n).tolist(),
        "Y": rng.normal(size=n).tolist(),
    }
    whole = to_table(table)
    found = membership(whole, (0,))
    cells = collect_cells(whole, (1, 2), found)
    expected = naive.loglik(table, "Y", ["Z", "A"])
    rule = Rule(False, True)
    parents, sizes = np.array([[0]], np.int32), np.array([1])
    out, flagged, marks = np.empty(1), np.empty(1, np.int64), np.zeros((1, 2), np.uint8)
    score = version(cgaussian.batch_cells, which)
    score(0, 1, cells.moments, cells.moments, 1, parents, sizes, rule, out, flagged, marks)
    assert out[0] == pytest.approx(expected, rel=1e-12)
    assert flagged[0] == marks.sum() == 0
