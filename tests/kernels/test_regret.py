"""The regret of a multinomial, against its definition and its limits."""

import itertools
import math

import numpy as np
import pytest

from bnjit.kernels import regret as kernels
from tests.kernels.versions import BOTH, version
from tests.reference import naive


@pytest.mark.parametrize("which", BOTH)
def test_few_rows_and_values_by_all_sequences(which):
    for n, k in itertools.product(range(1, 7), range(1, 5)):
        expected = naive.summed_over_sequences(n, k)
        assert version(kernels.regret, which)(n, float(k)) == pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize(
    ("n", "k"),
    [
        (12, 9), (40, 100), (150, 3), (1000, 2), (999, 3), (1, 101), (2, 101), (40, 101), (1000, 101), (1001, 2),
        (1001, 46), (1001, 47), (1001, 100), (20_000, 3), (20_000, 160), (20_000, 170), (5_000_000, 12), (900, 10**6),
    ],
)  # fmt: skip
def test_other_rows_and_values_by_plain_formulas(which, n, k):
    assert version(kernels.regret, which)(n, float(k)) == pytest.approx(naive.regret(n, k), rel=1e-10)


# bnlearn's own function, as bnlearn-port has it; by rows and values.
RECORDED = {
    (2, 2): 0.9162907318741551,
    (20, 30): 20.23490467601632,
    (1000, 100): 174.05944109331122,
    (2000, 135): 259.3632468870074,
    (20000, 30): 109.3085097771821,
    (20000, 500): 1196.3236817936968,
    (1000, 1000000): 6909.252117968818,
}


@pytest.mark.parametrize(("rows_and_values", "expected"), RECORDED.items())
def test_regrets_of_bnlearn(rows_and_values, expected):
    n, k = rows_and_values
    assert kernels.regret(n, float(k)) == pytest.approx(expected, rel=1e-10)


def test_closed_forms_are_close_to_what_is_exact():
    """What scores may jump by where one takes over from the other."""
    for n, k in itertools.product([1001, 5000, 100_000], [2, 3, 10, 45, 46, 47, 48, 100]):
        exact = kernels._exact(n, k)
        assert 0.0 <= kernels.regret(n, float(k)) - exact + 1e-9 < 0.004


@pytest.mark.parametrize("n", [1, 2, 30, 1000, 1001, 10_000_000])
def test_very_many_values(n):
    """More values are more regret; and beyond all rows, n log(k / n): every row has a value of its own."""
    values = np.unique(np.round(np.logspace(0.0, 18.6, 400)))
    regrets = [kernels.regret(n, k) for k in values]
    assert np.all(np.diff(regrets) > 0.0)
    assert regrets[-1] == pytest.approx(n * math.log(values[-1] / n), rel=1e-9)


def test_regrets_by_rows():
    out = np.empty(1001)
    kernels.regrets_by_rows(4, out)
    assert out.tolist() == [0.0, *(kernels.regret(n, 4.0) for n in range(1, 1001))]
