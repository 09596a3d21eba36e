"""Running times normalised by QR's, with 95 % confidence intervals, as in the paper's Figures 2 and 3."""

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
BASELINE = "QR"


@functools.lru_cache
def t_quantile(degrees: int, level: float = LEVEL) -> float:
    """Bound t that |T| stays below with probability `level`, for Student's T with so many degrees of freedom.

    Examples
    --------
    >>> round(t_quantile(4), 3)
    2.776
    """
    low, high = 0.0, 1.0
    while _within(high, degrees) < level:
        high *= 2.0
    for _ in range(80):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _within(middle, degrees) < level else (low, middle)
    return high


def _within(t: float, degrees: int) -> float:
    """P(|T| < t): the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = 0.0
    for k in range(odd, degrees - 1, 2):
        total += term
        term *= cosine**2 * (k + 1) / (k + 2)
    return 2.0 / math.pi * (angle + sine * total) if odd else sine * total


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and 95 % confidence interval; a single value has none, which is NaN.

    Examples
    --------
    >>> [round(x, 3) for x in interval([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    n = len(values)
    mean = math.fsum(values) / n
    if n < 2:
        return mean, math.nan, math.nan
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = t_quantile(n - 1) * deviation / math.sqrt(n)
    return mean, mean - half, mean + half


def normalise(measured: "pd.DataFrame", by: str) -> "pd.DataFrame":
    """Running times as shares of QR's.

    For each sample the mean of QR's runs is the denominator. The interval is over samples, each the mean of its runs;
    over runs, if there is only one sample.

    Parameters
    ----------
    measured : DataFrame
        Measurements.
    by : str
        The column that tells the groups of bars apart: "n" or "data".

    Returns
    -------
    DataFrame
        One row for each group and estimator, in the order of `measured`: ratio, low, high, seconds, samples, runs.
    """
    import pandas as pd

    rows = []
    for group, inside in measured.groupby(by, sort=False):
        base = inside[inside["estimator"] == BASELINE].groupby("sample")["seconds"].mean()
        comparable = inside[inside["sample"].isin(base.index)]
        for estimator, own in comparable.groupby("estimator", sort=False):
            ratios = own["seconds"] / own["sample"].map(base)
            samples = own["sample"].nunique()
            values = ratios.groupby(own["sample"]).mean() if samples > 1 else ratios
            mean, low, high = interval(values.tolist())
            runs = len(own) // samples
            rows.append((group, estimator, mean, low, high, own["seconds"].mean(), samples, runs))
    columns = [by, "estimator", "ratio", "low", "high", "seconds", "samples", "runs"]
    return pd.DataFrame(rows, columns=columns)
