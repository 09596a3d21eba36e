"""Tails of distributions, against values computed with 60 digits."""

import json
import math
from pathlib import Path

import pytest

from bnjit.stats import tails

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "tails.json").read_text())


@pytest.mark.parametrize("name", GOLDEN)
def test_values_of_many_digits(name):
    assert len(GOLDEN[name]) >= 10
    for *arguments, expected in GOLDEN[name]:
        if abs(expected) > 1e-290:  # beyond, numbers have fewer digits
            assert getattr(tails, name)(*arguments) == pytest.approx(expected, rel=1e-12, abs=1e-13), arguments


def test_relative_far_in_the_tail():
    for name in ("chi_squared_above", "t_outside"):
        far = [row for row in GOLDEN[name] if 1e-290 < row[-1] < 1e-10]
        assert len(far) > 5
        for x, df, expected in far:
            assert getattr(tails, name)(x, df) == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("degrees", [1e6, 1e8])
def test_many_degrees_are_nearly_normal(degrees):
    assert tails.t_outside(2.0, degrees) == pytest.approx(2.0 * tails.normal_above(2.0), rel=1e-5)
    assert tails.chi_squared_above(degrees, degrees) == pytest.approx(0.5, abs=1e-3)


def test_limits():
    assert tails.chi_squared_above(0.0, 3) == tails.chi_squared_above(-1e-12, 3) == tails.t_outside(0.0, 3) == 1.0
    assert tails.chi_squared_above(math.inf, 3) == tails.t_outside(math.inf, 3) == tails.t_outside(-math.inf, 3) == 0.0
    assert tails.t_outside(-2.5, 9) == tails.t_outside(2.5, 9)
    assert tails.t_outside(1e200, 1) == pytest.approx(2.0 / math.pi * 1e-200)
    assert tails.chi_squared_above(2.0, 0.0) == 1.0


def test_mean_of_a_logarithm():
    # By Simpson's rule on log x, for 6 degrees of freedom.
    steps, low, high = 4000, -15.0, 5.0
    width = (high - low) / steps

    def weighted(u):
        return u * math.exp(3.0 * u - math.exp(u) / 2.0) / (8.0 * math.gamma(3.0))

    inner = sum(weighted(low + i * width) * (4.0 if i % 2 else 2.0) for i in range(1, steps))
    expected = width / 3.0 * (weighted(low) + inner + weighted(high))
    assert tails.mean_log_chi_squared(6.0) == pytest.approx(expected, rel=1e-9)
