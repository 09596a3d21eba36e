"""Few rows for many columns: how many arcs a search finds where there are none."""

import math

ARCS_PER_NODE = 0.5  # by chance, from which on a word is due


def arcs_by_chance(n: int, columns: int) -> float:
    """Pairs of unrelated columns whose arc BIC would add: those with a likelihood ratio above log(n), chi-squared.

    >>> round(arcs_by_chance(20, 40)), round(arcs_by_chance(100_000, 40))
    (65, 1)
    """
    return columns * (columns - 1) / 2 * math.erfc(math.sqrt(math.log(max(n, 2)) / 2))


def few_rows(n: int, columns: int) -> str | None:
    """Say that rows are few: if unrelated columns would come to have half an arc each; None if they are enough."""
    expected = arcs_by_chance(n, columns)
    if expected < ARCS_PER_NODE * columns:
        return None
    return (
        f"{n:,} rows are few for {columns:,} columns: among columns that have nothing to do with each other, BIC finds "
        f'about {expected:,.0f} arcs by chance. score="ebic" finds fewer, max_parents keeps them few, and '
        "bnjit.arc_strength shows which are there in every sample"
    )
