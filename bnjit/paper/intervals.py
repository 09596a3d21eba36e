"""Student's t, and the interval of a few ratios."""

import functools
import math
from collections.abc import Sequence

from bnjit.stats.tails import t_outside

LEVEL = 0.95


@functools.lru_cache
def t_quantile(degrees: int, level: float = LEVEL) -> float:
    """Bound t that |T| stays below with probability `level`, for Student's T with so many degrees of freedom.

    Examples
    --------
    >>> round(t_quantile(4), 3)
    2.776
    """
    low, high = 0.0, 1.0
    while 1.0 - t_outside(high, degrees) < level:
        high *= 2.0
    for _ in range(80):
        middle = (low + high) / 2.0
        low, high = (middle, high) if 1.0 - t_outside(middle, degrees) < level else (low, middle)
    return high


def interval_of_ratios(logs: Sequence[float]) -> tuple[float, float, float]:
    """Geometric mean and 95 % confidence interval of ratios, by Student's t of their logarithms.

    It is never below zero. A single ratio has no interval, which is NaN.

    Examples
    --------
    >>> [round(x, 3) for x in interval_of_ratios([math.log(0.5), math.log(0.6), math.log(0.7)])]
    [0.594, 0.391, 0.903]
    """
    n = len(logs)
    mean = math.fsum(logs) / n
    if n < 2:
        return math.exp(mean), math.nan, math.nan
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in logs) / (n - 1))
    half = t_quantile(n - 1) * deviation / math.sqrt(n)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)
