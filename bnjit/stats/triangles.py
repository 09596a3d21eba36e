"""Triangles of the rows of some cells, for regressions whose digits moments cannot vouch for; see the kernels."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bnjit._jit import Ints64, in_threads
from bnjit.data import Table
from bnjit.kernels.triangles import Triangles, add_triangles, merge_triangles
from bnjit.stats.cells import JOINED_APART
from bnjit.stats.collect import membership
from bnjit.stats.sorting import sort_rows

FEW_COLUMNS = 40  # all continuous columns go into a triangle up to this, so that other nodes find theirs there


class CellTriangles(NamedTuple):
    """Triangles of some cells: variables and ascending keys of the cells, the columns, and the numbers."""

    variables: tuple[int, ...]
    keys: Ints64
    columns: tuple[int, ...]
    triangles: Triangles

    def take(self, keys: Ints64) -> "CellTriangles":
        """Return those of some of the cells."""
        at = np.searchsorted(self.keys, keys)
        counts, shifts, R = self.triangles
        return self._replace(keys=keys, triangles=Triangles(counts[at], shifts[at], R[at]))


def no_triangles(variables: tuple[int, ...], keys: Ints64, columns: tuple[int, ...]) -> CellTriangles:
    """Triangles of no rows yet."""
    m, c = len(keys), len(columns)
    return CellTriangles(
        variables, keys, columns, Triangles(np.zeros(m, np.int64), np.zeros((m, c)), np.zeros((m, c + 1, c + 1)))
    )


def add_rows(table: Table, out: CellTriangles) -> None:
    """Add the rows of a table, or of a chunk of one, that are in the cells."""
    found = membership(table, out.variables)
    at = np.minimum(np.searchsorted(out.keys, found.keys), len(out.keys) - 1)
    there = np.flatnonzero(out.keys[at] == found.keys)
    if not len(there):
        return
    rows = sort_rows(table, found, out.columns, there)
    add_triangles(rows.columns, np.array(out.columns, np.int32), rows.starts, at[there].astype(np.int64), out.triangles)


def summed(parts: Sequence[CellTriangles]) -> CellTriangles:
    """Triangles of the rows of all parts, which have the same cells."""
    first = parts[0]
    if len(parts) == 1:
        return first
    counts, shifts, R = first.triangles
    out = Triangles(counts.copy(), shifts.copy(), R.copy())
    m = len(first.keys)
    bounds = [m * piece // JOINED_APART for piece in range(JOINED_APART + 1)]

    def join(a: int, b: int) -> None:
        for part in parts[1:]:
            merge_triangles(out, part.triangles, a, b)

    tasks = [partial(join, a, b) for a, b in pairwise(bounds) if a < b]
    in_threads(tasks, len(parts) * out.R.size * out.R.shape[1])
    return first._replace(triangles=out)


def joined(first: CellTriangles, second: CellTriangles) -> CellTriangles:
    """Triangles of the cells of both; where both have one, that of the first stays."""
    fresh = ~np.isin(second.keys, first.keys)
    keys = np.concatenate([first.keys, second.keys[fresh]])
    order = np.argsort(keys)
    both = zip(first.triangles, second.triangles, strict=True)
    return first._replace(
        keys=keys[order], triangles=Triangles(*(np.concatenate([a, b[fresh]])[order] for a, b in both))
    )
