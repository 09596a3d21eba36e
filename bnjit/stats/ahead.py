"""What is asked for ahead where reading takes a pass: counts and triangles that a search is likely to need."""

import itertools
import math
from collections.abc import Sequence

from bnjit._jit import Ints64
from bnjit.stats.cache import CellCache
from bnjit.stats.requests import Columns, TriangleRequest, Variables
from bnjit.stats.triangles import nbytes_of
from bnjit.stats.tuning import AHEAD_CONFIGURATIONS, CELLS_AHEAD, SETS_AHEAD, TRIANGLE_COLUMNS

BYTES_PER_CELL = 16  # of counts: a key and a number


def sets_to_count(levels: Sequence[int], n: float, memory: int) -> list[Variables]:
    """Sets whose counts say those of all sets of so many variables, as large as fits in memory.

    levels : of the columns, 0 for continuous ones; n : rows; memory : bytes
    """
    discrete = [v for v, own in enumerate(levels) if own > 1]
    chosen: list[Variables] = []
    for size in range(1, len(discrete) + 1):
        if math.comb(len(discrete), size) > SETS_AHEAD:
            break
        candidates = itertools.combinations(discrete, size)
        larger = [s for s in candidates if _configurations(levels, s) <= min(AHEAD_CONFIGURATIONS, n)]
        smaller = [s for s in chosen if not any(set(s) < set(other) for other in larger)]
        if sum(_configurations(levels, s) for s in (*smaller, *larger)) > min(memory // BYTES_PER_CELL, CELLS_AHEAD):
            break
        chosen = [*smaller, *larger]
    return chosen


def _configurations(levels: Sequence[int], variables: Variables) -> int:
    return math.prod(levels[v] for v in variables)


def triangles_ahead(
    cache: CellCache, n: float, room: int, tables: dict[Variables, Columns], keys: dict[Variables, Ints64]
) -> list[TriangleRequest]:
    """Triangles to make in the same pass as tables of all columns: of cells that divide doubtful ones.

    keys : configurations, where they are known; n : rows; room : bytes
    """
    everything = cache.schema.continuous
    c = len(everything)
    ahead = []
    for variables, own in keys.items() if room and c <= TRIANGLE_COLUMNS else ():
        doubtful = cache.has_triangles_within(variables) and not cache.has_triangles(variables)
        size = nbytes_of(len(own), c)
        if doubtful and tables[variables] == everything and n >= c * len(own) and size <= room:
            ahead.append(TriangleRequest(variables, own, everything, int(n)))
            room -= size
    return ahead
