"""Tests of a continuous column, from regressions in the cells of what is given: correlations and likelihood ratios.

The statistics are those of the regressions that scores and fitted networks use, with the same care for what moments do
not give accurately.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats
from bnjit.kernels.moments import Moments
from bnjit.kernels.rules import TOLERANCE
from bnjit.markov.outcome import OF_CORRELATIONS, Outcome, chi_squared_outcome
from bnjit.stats import Cells, Store, roll_up
from bnjit.stats.parent_sets import Indices
from bnjit.stats.regressions import CellFits, Regression, fit_regressions, fit_smoothed
from bnjit.stats.tails import mean_log_chi_squared, normal_above, t_outside


class Comparison(NamedTuple):
    """Regressions that a test compares, in the cells of what is given.

    x, y : columns, x continuous; continuous : continuous columns given; cells : of the discrete columns given, and of y
    if that is discrete; y_discrete : whether it is; test : one of TESTS
    """

    x: int
    y: int
    continuous: tuple[int, ...]
    cells: Cells
    y_discrete: bool
    test: str

    def discrete(self) -> tuple[int, ...]:
        """Return the discrete columns given."""
        return tuple(v for v in self.cells.variables if v != self.y)

    def configurations(self) -> float:
        """Return the declared configurations of the discrete columns given."""
        pairs = zip(self.cells.variables, self.cells.levels, strict=True)
        return float(np.prod([levels for v, levels in pairs if v != self.y]))


class Fit(NamedTuple):
    """Residual sums of squares of one regression in some cells, and what they rest on.

    rows : float64[m]; parameters : coefficients, the intercept among them; rss : float64[m]
    """

    rows: Floats
    parameters: int
    rss: Floats

    def is_fine(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which cells have enough rows, and a variance."""
        degrees = self.rows - self.parameters
        return (degrees >= 1) & (self.rss >= TOLERANCE**2 * np.maximum(degrees, 1.0))

    def loglik(self) -> Floats:
        """Log-likelihood with unbiased variances, without the constant, as in the scores."""
        degrees = self.rows - self.parameters
        return -0.5 * (self.rows * np.log(self.rss / degrees) + degrees)

    def deviance(self) -> Floats:
        """-2 log-likelihood at its maximum, without the constant."""
        return self.rows * np.log(self.rss / self.rows)

    def mean_deviance(self) -> Floats:
        """Mean of the deviance where the regression holds, without its true variance."""
        logs = np.array([_mean_log(m - self.parameters) for m in self.rows.tolist()])
        return self.rows * (logs - np.log(self.rows))


@lru_cache(maxsize=10_000)
def _mean_log(degrees: float) -> float:
    return mean_log_chi_squared(degrees)


def compare_regressions(store: Store, comparisons: Sequence[Comparison]) -> list[Outcome]:
    """Test whether x and y are independent given the rest, for all comparisons of a store at once."""
    asked: list[Regression] = []
    for one in comparisons:
        asked += _regressions(one)
    fits = iter(zip(asked, fit_regressions(store, asked), strict=True))
    return [
        _compare_cells(one, next(fits), next(fits)) if one.y_discrete else _correlate(one, [next(fits) for _ in "xyb"])
        for one in comparisons
    ]


def _regressions(one: Comparison) -> list[Regression]:
    """Regressions of a comparison: of x without y and with it, and of y if that is continuous."""
    x, y, given, cells = one.x, one.y, one.continuous, one.cells
    narrow = cells.narrow(tuple(sorted((*given, x))))
    if one.y_discrete:
        return [Regression(x, given, narrow), Regression(x, given, roll_up(narrow, one.discrete()))]
    of_y = cells.narrow(tuple(sorted((*given, y))))
    return [Regression(x, given, narrow), Regression(y, given, of_y), Regression(x, (*given, y), cells)]


def _correlate(one: Comparison, fits: Sequence[tuple[Regression, CellFits]]) -> Outcome:
    """Partial correlations in every cell, b sqrt(RSS_y / RSS_x), which lose no digits where they are small."""
    (_, of_x), (_, of_y), (_, both) = fits
    rows, g = one.cells.counts.astype(np.float64), len(one.continuous)
    fine = Fit(rows, g + 1, of_x.rss).is_fine() & Fit(rows, g + 1, of_y.rss).is_fine() & (rows > g + 2)
    ratio = np.sqrt(of_y.rss[fine] / of_x.rss[fine])
    r = np.clip(both.coefficients[fine, -1] * ratio, -1.0, 1.0)
    n = rows[fine]
    if one.test in OF_CORRELATIONS:
        return _of_one_correlation(float(r[0]) if len(r) else 0.0, int(rows[0]), g, one.test)
    with np.errstate(divide="ignore"):
        gains = -n * np.log1p(-r * r)
    if one.test == "mi-cg" and not (g or one.cells.variables):  # bnlearn's formula where nothing is given
        return _of_one_correlation(float(r[0]) if len(r) else 0.0, int(rows[0]), g, "mi-g")
    if one.test == "mi-cg":
        statistic = float((gains + n * np.log((n - g - 2) / (n - g - 1)) + 1.0).sum())
        df = max(1.0, one.configurations())
        return chi_squared_outcome(statistic, df, int(n.sum()))
    logs = np.array([_mean_log(m - g - 1) - _mean_log(m - g - 2) for m in n.tolist()])
    return _scaled(float(gains.sum()), float((n * logs).sum()), float(len(n)), int(n.sum()))


def _of_one_correlation(r: float, n: int, g: int, test: str) -> Outcome:
    ratio = -n * math.log1p(-r * r) if abs(r) < 1.0 else math.inf
    if test == "mi-g":
        return chi_squared_outcome(ratio, 1.0, n)
    df = float(n - g - (2 if test == "cor" else 3))
    if df < 1.0:
        return Outcome(r, df, 1.0, 0.0, n)
    if abs(r) == 1.0:
        return Outcome(r if test == "cor" else math.copysign(math.inf, r), df, 0.0, ratio - 1.0, n)
    if test == "cor":
        return Outcome(r, df, t_outside(r * math.sqrt(df / ((1.0 - r) * (1.0 + r))), df), ratio - 1.0, n)
    z = math.atanh(r) * math.sqrt(df)
    return Outcome(z, df, 2.0 * normal_above(abs(z)), ratio - 1.0, n)


def _compare_cells(
    one: Comparison, with_y: tuple[Regression, CellFits], without: tuple[Regression, CellFits]
) -> Outcome:
    """Likelihood ratio of regressions of x in the cells of y and what is given, and in those of what is given alone.

    Cells in which a regression has no degrees of freedom, or no residuals, are left out of both.
    """
    cells, p = with_y[0].cells, len(one.continuous) + 1
    apart = Fit(cells.counts.astype(np.float64), p, with_y[1].rss)
    fine = apart.is_fine()
    pooled, together = without[0].cells, without[1]
    if not fine.all():
        if not fine.any():
            return Outcome(0.0, 0.0, 1.0, 0.0, 0)
        kept = _take(cells, np.flatnonzero(fine))
        pooled = roll_up(kept, one.discrete())
        together = fit_smoothed(Regression(one.x, one.continuous, pooled))
        cells, apart = kept, Fit(apart.rows[fine], p, apart.rss[fine])
    joint = Fit(pooled.counts.astype(np.float64), p, together.rss)
    n = int(joint.rows.sum())
    if one.test == "mi-cg":
        statistic = 2.0 * float(apart.loglik().sum() - joint.loglik().sum())
        levels = cells.levels[cells.variables.index(one.y)]
        df = (levels - 1.0) * one.configurations() * (p + 1)
        return chi_squared_outcome(statistic, df, n)
    ratio = float(joint.deviance().sum() - apart.deviance().sum())
    mean = float(joint.mean_deviance().sum() - apart.mean_deviance().sum())
    return _scaled(ratio, mean, float((len(apart.rows) - len(joint.rows)) * (p + 1)), n)


def _scaled(ratio: float, mean: float, df: float, n: int) -> Outcome:
    """Likelihood ratio, scaled so that it has the mean of a chi-squared variable, however few the rows are."""
    if df <= 0.0:
        return Outcome(0.0, 0.0, 1.0, 0.0, n)
    return chi_squared_outcome(max(0.0, ratio) * df / mean, df, n)


def _take(cells: Cells, which: Indices) -> Cells:
    counts, means, corrections, crosses = cells.moments
    return cells._replace(
        keys=cells.keys[which], moments=Moments(counts[which], means[which], corrections[which], crosses[which])
    )
