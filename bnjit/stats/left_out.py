"""Cells that support no regression of their own, for scores that put these together."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints64
from bnjit.stats.cells import Cells, join_all
from bnjit.stats.parent_sets import Candidates


class LeftOut(NamedTuple):
    """Parent sets that leave out the same cells, which support no regression: their keys, int64[m], ascending.

    joined : the rows of these cells as one cell, of fitted and of scored rows, where a table with them was at hand
    """

    node: int
    group: Candidates
    keys: Ints64
    joined: tuple[Cells, Cells] | None = None


def left_out(
    node: int, group: Candidates, which: NDArray[np.bool_], keys: Ints64, tables: tuple[Cells, Cells] | None = None
) -> list[LeftOut]:
    """Parent sets by the cells that they leave out; which : bool[b, m]; keys : int64[m]; tables : with these cells."""
    patterns: dict[bytes, list[int]] = {}
    for i in np.flatnonzero(which.any(axis=1)).tolist():
        patterns.setdefault(which[i].tobytes(), []).append(i)
    found = []
    for some in patterns.values():
        lost = np.flatnonzero(which[some[0]])
        joined = None
        if tables is not None:
            fitted = join_all(tables[0], lost)
            joined = fitted, fitted if tables[1] is tables[0] else join_all(tables[1], lost)
        found.append(LeftOut(node, group.some(np.array(some)), keys[lost], joined))
    return found
