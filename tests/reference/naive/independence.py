"""Tests of independence that are right where rows are few, by plain loops."""

import numpy as np
import pandas as pd


def pearson_by_strata(table: pd.DataFrame, x: str, y: str, given: list[str]) -> tuple[float, float]:
    """X2, scaled by (n - 1) / n in each configuration of `given`, and its degrees of freedom by observed levels."""
    statistic = df = 0.0
    for part in _strata(table, given):
        n, levels_x, levels_y = len(part), part[x].unique(), part[y].unique()
        terms = 0.0
        for a in levels_x:
            for b in levels_y:
                expected = (part[x] == a).sum() * (part[y] == b).sum() / n
                terms += (((part[x] == a) & (part[y] == b)).sum() - expected) ** 2 / expected
        statistic += terms * (n - 1) / n
        df += (len(levels_x) - 1) * (len(levels_y) - 1)
    return statistic, df


def adjusted_ratio(table: pd.DataFrame, x: str, y: str, given: list[str]) -> tuple[float, float, int]:
    """Likelihood ratio of regressions of x, scaled to the mean of a chi-squared variable; df; and rows used."""
    continuous = [name for name in given if table[name].dtype == float]
    discrete = [name for name in given if name not in continuous]
    ratio = mean = df = 0.0
    used = 0
    p = len(continuous) + 1
    for part in _strata(table, discrete):
        if table[y].dtype == float:
            if len(part) > p + 1:
                ratio += _deviance(part, x, continuous) - _deviance(part, x, [*continuous, y])
                mean += _mean(len(part), p) - _mean(len(part), p + 1)
                df, used = df + 1.0, used + len(part)
            continue
        cells = [cell for cell in _strata(part, [y]) if len(cell) > p]
        if cells:
            together = pd.concat(cells)
            ratio += _deviance(together, x, continuous) - sum(_deviance(cell, x, continuous) for cell in cells)
            mean += _mean(len(together), p) - sum(_mean(len(cell), p) for cell in cells)
            df, used = df + (len(cells) - 1) * (p + 1), used + len(together)
    return ratio * df / mean, df, used


def _strata(table: pd.DataFrame, names: list[str]) -> list[pd.DataFrame]:
    return [part for _, part in table.groupby(names, observed=True)] if names else [table]


def _deviance(part: pd.DataFrame, x: str, parents: list[str]) -> float:
    design = np.column_stack([np.ones(len(part)), *(part[name] for name in parents)])
    coefficients = np.linalg.lstsq(design, part[x], rcond=None)[0]
    rss = float(((part[x] - design @ coefficients) ** 2).sum())
    return len(part) * np.log(rss / len(part))


def _mean(n: int, p: int) -> float:
    """Mean of n log(RSS / n) with variance one: log chi-squared by numerical integration."""
    half = (n - p) / 2.0
    u = np.linspace(-60.0 / half if half < 1 else -30.0, np.log(2 * half + 40.0 * np.sqrt(half) + 60.0), 200_001)
    log_density = half * u - np.exp(u) / 2.0
    weights = np.exp(log_density - log_density.max())
    return n * (float((u * weights).sum() / weights.sum()) - np.log(n))
