"""What every regression of a continuous node has in common, whatever it is estimated from.

Axis legend: n rows of a cell; g continuous parents.

Singular parents are dropped by one rule, which is bnlearn's, so that a score does not depend on the estimator:
- up to two parents: a parent is dropped if its variance is below TOLERANCE (with discrete parents, if its sum of
  squares in the cell is), and so is the second where |cor| > 1 - TOLERANCE, whatever became of the first;
- three and more: a parent is dropped when what the parents before it leave of it is less than TOLERANCE of its norm.
The degrees of freedom count the dropped parents. A residual standard deviation below TOLERANCE makes a model singular.
"""

import math
from typing import NamedTuple

import numpy as np

from bnjit._jit import jit

TOLERANCE = math.sqrt(np.finfo(np.float64).eps)
CLOSE = 2.0 * TOLERANCE - TOLERANCE**2  # 1 - cor^2 where |cor| = 1 - TOLERANCE
# Moments are used while rounding may change a residual sum of squares by at most about 1e-10 of itself.
GUARD = 1e-5
# How far from the limit of the rule for three and more parents moments must be to apply it: twice in a norm.
MARGIN = 4.0

# Whether a fit from moments is accurate; or whether its rows support none, where a score leaves such cells out.
FINE, NEEDS_ROWS, UNSUPPORTED = 0, 1, 2


class Rule(NamedTuple):
    """What is scored: test rows or the fitted ones; whether rows are grouped by discrete parents.

    A predictive variance divides by n - g - 1 in the cells of discrete parents, and by n - 1 without them. Cells with
    fewer than g + 2 fitted rows, or with a residual deviation below TOLERANCE, make a model impossible; a lenient rule
    leaves out the first, for scores/sparse.py to score, and takes TOLERANCE for the second. The node's values may be
    the residuals that some of its parents left: a fit that drops a parent as singular then needs the rows, since what
    that parent explains was subtracted already.
    """

    predictive: bool
    in_cells: bool
    lenient: bool = False
    residual: bool = False


@jit
def gaussian_loglik(n: float, degrees: float, rss: float) -> float:
    """Log-likelihood of n residuals with variance rss / degrees; -inf where the fit is singular.

    -(n / 2) log(2 pi s^2) - RSS / (2 s^2), and RSS / s^2 is the degrees of freedom.
    """
    if degrees <= 0:
        return -np.inf
    variance = rss / degrees
    if not variance >= TOLERANCE * TOLERANCE:
        return -np.inf
    return -0.5 * n * math.log(2.0 * math.pi * variance) - 0.5 * degrees


@jit
def predictive_loglik(n: float, rss: float, variance: float) -> float:
    """Log-density of n new residuals with sum of squares rss, given the variance that training found (eq. 12)."""
    if not variance >= TOLERANCE * TOLERANCE:
        return -np.inf
    return -0.5 * n * math.log(2.0 * math.pi * variance) - 0.5 * rss / variance


@jit
def needs_fit(n: int, g: int, scored: int, rule: Rule) -> bool:
    """Whether a cell needs a regression to be scored; n, scored : its fitted and its scored rows."""
    return n > g + 1 and not (rule.predictive and scored == 0)


@jit
def score_without_fit(scored: int, rule: Rule) -> float:
    """Score of a cell that needs no regression: nothing to score, or too few fitted rows."""
    return 0.0 if rule.lenient or (rule.predictive and scored == 0) else -np.inf


@jit
def score_fit(n: int, g: int, rss: float, scored: int, error: float, rule: Rule) -> float:
    """Log-density of a cell's scored rows under a regression with residual sum of squares rss on its n fitted rows.

    error : sum of squared residuals of the `scored` rows, which counts where they are test rows or the rule is lenient
    """
    degrees = n - 1 if rule.predictive and not rule.in_cells else n - g - 1
    if rule.lenient and not rss >= TOLERANCE * TOLERANCE * degrees:
        return predictive_loglik(scored, error, TOLERANCE * TOLERANCE)
    if rule.predictive:
        return predictive_loglik(scored, error, rss / degrees)
    return gaussian_loglik(scored, degrees, rss)


@jit
def least_squares_sum(n: float, in_cells: bool) -> float:
    """Centred sum of squares below which one of up to two parents is constant."""
    return TOLERANCE if in_cells else TOLERANCE * (n - 1)


@jit
def is_singular(g: int, n: float, in_cells: bool, total: float, left: float, raw: float) -> bool:
    """Whether a parent is to be dropped; see the top of this file.

    in_cells : whether the n rows are a cell of discrete parents; total : the parent's centred sum of squares;
    left : what is left of it given the parents before it (of two, given the first even if that was dropped);
    raw : its sum of squares about zero
    """
    if g <= 2:
        return total < least_squares_sum(n, in_cells) or left < CLOSE * total
    return left <= TOLERANCE * TOLERANCE * raw


@jit
def is_rounding(left: float, total: float) -> bool:
    """Whether what moments leave of a column, given others, may be rounding of its centred sum of squares `total`."""
    return left < GUARD * TOLERANCE * total


@jit
def is_nearly_singular(left: float, raw: float) -> bool:
    """Whether a parent is too near the limit of the rule for three and more parents to tell from moments."""
    return left < MARGIN * TOLERANCE * TOLERANCE * raw


@jit
def may_be_singular(n: float, in_cells: bool, total: float, raw: float) -> bool:
    """Whether some regression might drop a parent as singular by itself, with a margin; arguments as in is_singular."""
    return total < MARGIN * least_squares_sum(n, in_cells) or total < MARGIN * MARGIN * TOLERANCE * TOLERANCE * raw
