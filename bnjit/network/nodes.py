"""Local distributions with their parameters: a probability table, or a regression for each configuration.

Configurations of discrete parents are keys as in Cells: mixed-radix numbers, the first parent most significant. Only
configurations with parameters are there. The others, never observed, with too few rows or without variance, share one
fallback, which is fitted to all rows without the discrete parents. Sampling and prediction use it; it is not shown as a
parameter.
"""

from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64
from bnjit.network.tuning import MOST_DENSE_CONFIGURATIONS


class DiscreteNode(NamedTuple):
    """A multinomial node.

    parents : discrete parents, ascending; keys : int64[m]; probabilities : float64[m, r]; fallback : float64[r]
    """

    parents: tuple[int, ...]
    keys: Ints64
    probabilities: Floats
    fallback: Floats

    def with_fallback(self) -> Floats:
        """Probabilities with the fallback last, float64[m + 1, r]."""
        return np.vstack([self.probabilities, self.fallback])

    def cumulative(self) -> Floats:
        """Cumulative probabilities with the fallback last, float64[m + 1, r]."""
        sums: Floats = np.cumsum(self.with_fallback(), axis=1)
        return sums / sums[:, -1:]


class GaussianNode(NamedTuple):
    """A Gaussian node, with one regression for each configuration of its discrete parents.

    discrete, continuous : parents, ascending; keys : int64[m]; coefficients : float64[m, g + 1], intercept first;
    sd : float64[m]; fallback : float64[g + 2], coefficients and sd
    """

    discrete: tuple[int, ...]
    continuous: tuple[int, ...]
    keys: Ints64
    coefficients: Floats
    sd: Floats
    fallback: Floats

    @property
    def parents(self) -> tuple[int, ...]:
        """All parents, ascending."""
        return tuple(sorted((*self.discrete, *self.continuous)))

    def with_fallback(self) -> tuple[Floats, Floats]:
        """Coefficients and deviations with the fallback last: float64[m + 1, g + 1], float64[m + 1]."""
        return np.vstack([self.coefficients, self.fallback[:-1]]), np.append(self.sd, self.fallback[-1])


Node = DiscreteNode | GaussianNode


def dense_lookup(keys: Ints64, configurations: int) -> Ints32:
    """Cell of every declared configuration, len(keys) for those without one; empty where there are too many."""
    if configurations > MOST_DENSE_CONFIGURATIONS:
        return np.empty(0, np.int32)
    table = np.full(configurations, len(keys), np.int32)
    table[keys] = np.arange(len(keys))
    return table


def find_cells(keys: Ints64, wanted: Ints64) -> Ints64:
    """Cell of each wanted configuration, len(keys) for those without one."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, len(keys))
