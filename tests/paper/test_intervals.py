"""Intervals of a few ratios, against hand computation."""

import math

import pytest

from bnjit.paper.intervals import interval_of_ratios, t_quantile


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (9, 2.2622), (24, 2.0639), (100, 1.9840)],
)
def test_quantiles_are_those_of_the_tables(degrees, expected):
    assert t_quantile(degrees) == pytest.approx(expected, abs=5e-5)


def test_interval_of_logarithms():
    # Logarithms 0 and 2: mean 1, standard error 1.
    mean, low, high = interval_of_ratios([0.0, 2.0])
    assert mean == pytest.approx(math.e)
    assert low == pytest.approx(math.exp(1 - 12.7062), rel=1e-4)
    assert high == pytest.approx(math.exp(1 + 12.7062), rel=1e-4)
    assert low > 0


def test_one_ratio_has_no_interval():
    mean, low, high = interval_of_ratios([math.log(0.5)])
    assert mean == pytest.approx(0.5)
    assert math.isnan(low)
    assert math.isnan(high)
