"""Few rows for many columns: how many arcs a search finds where there are none."""

import math
from collections import Counter
from collections.abc import Sequence

from bnjit.stats.tails import chi_squared_above

ARCS_PER_NODE = 0.5  # by chance, from which on a word is due
MOST_PARAMETERS = 60  # of an arc: with more, chance plays no part


def arcs_by_chance(n: int, levels: Sequence[int]) -> float:
    """Pairs of unrelated columns whose arc BIC would add: those with a likelihood ratio above log(n) a parameter.

    levels : of each column, 0 for a continuous one

    >>> round(arcs_by_chance(20, [0] * 40)), round(arcs_by_chance(20, [3] * 40))
    (65, 14)
    """
    kinds, total = Counter(levels), 0.0
    for a in kinds:
        for b in kinds:
            if a <= b:
                pairs = kinds[a] * (kinds[a] - 1) / 2 if a == b else kinds[a] * kinds[b]
                parameters = (a - 1) * (b - 1) if a else 2 * (b - 1) if b else 1
                if pairs and 0 < parameters <= MOST_PARAMETERS:
                    total += pairs * chi_squared_above(parameters * math.log(max(n, 2)), parameters)
    return total


def few_rows(n: int, levels: Sequence[int]) -> str | None:
    """Say that rows are few: if unrelated columns would come to have half an arc each; None if they are enough.

    levels : of each column, 0 for a continuous one
    """
    expected = arcs_by_chance(n, levels)
    if len(levels) < 2 or expected < ARCS_PER_NODE * len(levels):
        return None
    return (
        f"{n:,} rows are few for {len(levels):,} columns: among columns that have nothing to do with each other, BIC "
        f'finds about {expected:,.0f} arcs by chance. score="ebic" finds fewer, max_parents keeps them few, and '
        "bnjit.arc_strength shows which are there in every sample"
    )
