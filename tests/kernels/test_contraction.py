"""Products of tables against einsum, whatever their axes are and however large they are."""

import numpy as np
import pytest

from bnjit.kernels.contraction import contract_tables
from bnjit.network.queries import contraction
from tests.kernels.versions import BOTH, version

SIZES = {-1: 3, 0: 2, 1: 4, 2: 3, 3: 5, 4: 2}
CASES = [
    ((-1, 0, 1), (1, 2), (-1, 0, 2)),
    ((0, 1, 2), (1, 2, 3), (0, 3)),
    ((0, 1, 2), (1, 2, 3), (1,)),
    ((0,), (1,), (0, 1)),
    ((0, 1, 4), (1, 3), (3,)),
    ((2, 3), (2, 3), ()),
    ((-1, 2, 3), (-1, 1, 3, 4), (-1, 2, 4)),
]


def made(scope, rng):
    return rng.random([SIZES[v] for v in scope])


@pytest.mark.parametrize(("a", "b", "scope"), CASES)
@pytest.mark.parametrize("compiled", [True, False])
def test_products(a, b, scope, compiled, monkeypatch):
    monkeypatch.setattr(contraction, "COMPILED_ENTRIES", 0 if compiled else 1 << 30)
    rng = np.random.default_rng(1)
    left, right = made(a, rng), made(b, rng)
    left[left < 0.2] = 0.0
    letters = {v: "abcdefgh"[i] for i, v in enumerate(SIZES)}
    text = [["".join(letters[v] for v in part)] for part in (a, b, scope)]
    expected = np.einsum(f"{text[0][0]},{text[1][0]}->{text[2][0]}", left, right)
    for first, p, second, q in ((left, a, right, b), (right, b, left, a)):
        np.testing.assert_allclose(contraction.multiply(first, p, second, q, scope), expected, rtol=1e-13)
        with np.errstate(divide="ignore"):
            logs = contraction.multiply_logs(np.log(first), p, np.log(second), q, scope)
        np.testing.assert_allclose(np.exp(logs), expected, rtol=1e-12)


@pytest.mark.parametrize("which", BOTH)
def test_kernel_by_ranges(which):
    rng = np.random.default_rng(2)
    left, right, out = rng.random((3, 4, 5)), rng.random((3, 5, 2)), np.full((3, 4, 2), np.nan)
    version(contract_tables, which)(0, 7, left, right, out)
    assert np.isnan(out.reshape(12, 2)[7:]).all()
    version(contract_tables, which)(7, 12, left, right, out)
    np.testing.assert_allclose(out, left @ right, rtol=1e-13)
