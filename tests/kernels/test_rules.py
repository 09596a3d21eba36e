"""The rules that all regressions share, against their definitions."""

import math
from itertools import product

import numpy as np
import pytest

from bnjit.kernels import rules
from bnjit.kernels.rules import TOLERANCE, Rule
from tests.kernels.versions import BOTH, version


def log_density(residuals, variance):
    """Sum of normal log-densities, row by row."""
    return sum(-0.5 * math.log(2 * math.pi * variance) - 0.5 * x * x / variance for x in residuals)


@pytest.mark.parametrize("which", BOTH)
def test_densities(which):
    residuals = np.random.default_rng(0).normal(size=12)
    rss = float(residuals @ residuals)
    loglik, predictive = version(rules.gaussian_loglik, which), version(rules.predictive_loglik, which)
    assert loglik(12, 9, rss) == pytest.approx(log_density(residuals, rss / 9), rel=1e-13)
    assert predictive(12, rss, 2.0) == pytest.approx(log_density(residuals, 2.0), rel=1e-13)
    assert loglik(12, 0, rss) == loglik(12, 9, 0.0) == loglik(12, 9, math.nan) == -math.inf
    assert predictive(12, rss, 0.9 * TOLERANCE**2) == predictive(12, rss, math.nan) == -math.inf


@pytest.mark.parametrize("which", BOTH)
@pytest.mark.parametrize(("predictive", "in_cells", "lenient"), list(product([False, True], repeat=3)))
def test_scores_of_fits(which, predictive, in_cells, lenient):
    """Degrees of freedom are n - g - 1, or n - 1 for test rows without discrete parents."""
    rule = Rule(predictive, in_cells, lenient)
    n, g, rss, scored, error = 20, 3, 4.0, 7, 2.0
    score = version(rules.score_fit, which)
    if not predictive:
        scored, error = n, rss
    variance = rss / (n - 1 if predictive and not in_cells else n - g - 1)
    expected = -0.5 * scored * math.log(2 * math.pi * variance) - 0.5 * error / variance
    assert score(n, g, rss, scored, error, rule) == pytest.approx(expected, rel=1e-13)
    # A singular fit is impossible, or has the smallest variance there is.
    variance = TOLERANCE**2
    singular = -0.5 * scored * math.log(2 * math.pi * variance) - 0.5 * error / variance
    assert score(n, g, 0.0, scored, error, rule) == (pytest.approx(singular) if lenient else -math.inf)


@pytest.mark.parametrize("which", BOTH)
def test_cells_that_need_no_fit(which):
    needs, without = version(rules.needs_fit, which), version(rules.score_without_fit, which)
    for predictive, lenient in product([False, True], repeat=2):
        rule = Rule(predictive, True, lenient)
        assert needs(5, 3, 5, rule)
        assert not needs(4, 3, 5, rule)
        assert needs(5, 3, 0, rule) == (not predictive)
        assert without(5, rule) == (0.0 if lenient else -math.inf)
        assert without(0, rule) == (0.0 if lenient or predictive else -math.inf)


@pytest.mark.parametrize("which", BOTH)
def test_singular_parents(which):
    singular, least = version(rules.is_singular, which), version(rules.least_squares_sum, which)
    assert least(101, True) == TOLERANCE
    assert least(101, False) == 100 * TOLERANCE
    for g in (1, 2):
        assert singular(g, 101, False, 99 * TOLERANCE, 99 * TOLERANCE, 1.0)
        assert not singular(g, 101, True, 99 * TOLERANCE, 99 * TOLERANCE, 1.0)
        assert singular(g, 101, True, 1.0, 1.9 * TOLERANCE, 1.0)  # |cor| above 1 - TOLERANCE
        assert not singular(g, 101, True, 1.0, 2.1 * TOLERANCE, 1.0)
    assert singular(3, 101, True, 1.0, 0.9e4 * TOLERANCE**2, 1e4)
    assert not singular(3, 101, True, 1.0, 1.1e4 * TOLERANCE**2, 1e4)


@pytest.mark.parametrize("which", BOTH)
def test_doubts_begin_before_the_rule_applies(which):
    """What moments are asked must be told to be uncertain on both sides of a limit."""
    nearly, possibly = version(rules.is_nearly_singular, which), version(rules.may_be_singular, which)
    rounding, singular = version(rules.is_rounding, which), version(rules.is_singular, which)
    for left in np.geomspace(1e-18, 1.0, 200):
        if singular(3, 50, False, 1.0, left, 2.0):
            assert nearly(left, 2.0)
        for in_cells in (False, True):
            if any(singular(g, 50, in_cells, left, left, left + 50 * 1e4) for g in (1, 3)):
                assert possibly(50, in_cells, left, left + 50 * 1e4)
    assert not nearly(1e-10, 2.0)
    assert rounding(1e-14, 1.0)
    assert not rounding(1e-12, 1.0)
