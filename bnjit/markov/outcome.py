"""What a test of independence gives, and which tests there are."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from bnjit.graph.separation import Independence
from bnjit.stats.tails import chi_squared_above

# Names are those of bnlearn, where it has the test; "adj" are adjusted for few rows.
OF_LEVELS = ("x2-adj", "x2", "x2-adf", "mi", "mi-adf")
OF_CORRELATIONS = ("cor", "zf", "mi-g")
OF_REGRESSIONS = ("mi-cg-adj", "mi-cg")
TESTS = (*OF_LEVELS, *OF_CORRELATIONS, *OF_REGRESSIONS)


class Outcome(NamedTuple):
    """Statistic, degrees of freedom, p-value; what is beyond chance in a likelihood ratio; and rows.

    beyond : the likelihood ratio, or what is as large, less its degrees of freedom, which are its mean by chance
    """

    statistic: float
    df: float
    p_value: float
    beyond: float
    n: int

    def effect(self) -> float:
        """How large the dependence is, from 0 to 1: the partial correlation that would say as much."""
        return math.sqrt(-math.expm1(-max(0.0, self.beyond) / max(self.n, 1)))


def chi_squared_outcome(statistic: float, df: float, n: int) -> Outcome:
    """Outcome of a statistic that is a chi-squared variable if x and y are independent."""
    return Outcome(statistic, df, chi_squared_above(statistic, df), statistic - df, n)


@dataclass(frozen=True)
class IndependenceTest:
    """A test of the independence of two columns given others.

    Attributes
    ----------
    x, y : name
        The two columns.
    given : tuple of names
        What they are independent of each other given.
    test : str
        Which test it is; see `bnjit.independence`.
    statistic, df, p_value : float
        Its statistic, its degrees of freedom, and the chance of such a statistic if x and y were independent.
    effect : float
        How large the dependence is, from 0 to 1: the partial correlation that would say as much. With millions of rows
        the slightest dependence is significant.
    n : int
        Rows.
    """

    x: Hashable
    y: Hashable
    given: tuple[Hashable, ...]
    test: str
    statistic: float
    df: float
    p_value: float
    effect: float
    n: int

    def __repr__(self) -> str:
        return (
            f"{Independence(self.x, self.y, self.given)}: {self.test} {self.statistic:.6g}, df {self.df:g}, "
            f"{p_in_words(self.p_value)}, effect {self.effect:.3f}, {self.n:,} rows"
        )


def p_text(p: float) -> str:
    """Write a p-value.

    >>> p_text(0.04217), p_text(3.2e-20), p_text(0.0)
    ('0.0422', '3.2e-20', '< 1e-300')
    """
    return "< 1e-300" if p < 1e-300 else f"{p:.3g}"


def p_in_words(p: float, what: str = "p") -> str:
    """Write what a p-value is.

    >>> p_in_words(0.04217), p_in_words(0.0)
    ('p = 0.0422', 'p < 1e-300')
    """
    return f"{what} {p_text(p)}" if p < 1e-300 else f"{what} = {p_text(p)}"
