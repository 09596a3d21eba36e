"""BGe, against plain loops."""

import numpy as np
import pytest

from bnjit.kernels import gaussian
from tests.kernels.versions import BOTH, version
from tests.reference import naive


@pytest.mark.parametrize("which", BOTH)
def test_bge(which):
    rng = np.random.default_rng(2)
    table = {name: rng.normal(size=30).tolist() for name in "ABC"}
    _, _, crosses = naive.cells(table, [], list("ABC"))[()]
    prior = gaussian.Prior(np.array(crosses) + 0.5 * np.eye(3), 30, 3, 0.5, 1.0, 5.0)
    out = np.empty(2)
    version(gaussian.batch_bge, which)(prior, 2, np.array([[0, 1], [1, 0]], np.int32), np.array([2, 1]), out)
    assert out[0] == pytest.approx(naive.bge(table, "C", ["A", "B"]), rel=1e-12)
    assert out[1] == pytest.approx(naive.bge(table, "C", ["B"]), rel=1e-12)
