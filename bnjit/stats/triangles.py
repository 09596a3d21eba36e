"""Triangles of the rows of some cells, for regressions that moments do not give accurately; see the kernels."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._threads import in_ranges, in_threads
from bnjit.data import Table
from bnjit.kernels.triangles import (
    Triangles,
    add_triangles,
    leave_out_triangles,
    merge_triangles,
    shorten_triangles,
)
from bnjit.stats.collect import ONE_CELL, membership, ranked
from bnjit.stats.sorting import SortedRows, sort_rows
from bnjit.stats.tuning import FEW_CELLS, JOINED_APART, MOST_SPLIT_CELLS, ROWS_PER_SPLIT, SPLIT_CELL

if TYPE_CHECKING:
    from bnjit.stats.requests import TriangleRequest


class CellTriangles(NamedTuple):
    """Triangles of some cells: variables and ascending keys of the cells, the columns, and the numbers."""

    variables: tuple[int, ...]
    keys: Ints64
    columns: tuple[int, ...]
    triangles: Triangles

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return self.keys.nbytes + sum(array.nbytes for array in self.triangles)

    def take(self, keys: Ints64) -> "CellTriangles":
        """Return those of some of the cells, which are all there."""
        if len(keys) == len(self.keys):
            return self
        at = np.searchsorted(self.keys, keys)
        counts, shifts, R = self.triangles
        return self._replace(keys=keys, triangles=Triangles(counts[at], shifts[at], R[at]))

    def part(self, first: int, last: int) -> "CellTriangles":
        """Return a view of some of the cells."""
        return self._replace(keys=self.keys[first:last], triangles=_part(self.triangles, first, last))

    def scaled(self, scale: Floats) -> "CellTriangles":
        """Return the same cells with columns multiplied by powers of two, float64[N]."""
        own = scale[list(self.columns)]
        counts, shifts, R = self.triangles
        factors = np.concatenate([[1.0], own])
        return self._replace(triangles=Triangles(counts, shifts * own, R * factors[:, None]))

    def narrow(self, columns: tuple[int, ...]) -> "CellTriangles":
        """Return the same cells with some of the columns; all rows of R stay."""
        if columns == self.columns:
            return self
        at = np.array([self.columns.index(j) for j in columns], np.intp)
        counts, shifts, R = self.triangles
        some = Triangles(counts, np.ascontiguousarray(shifts[:, at]), np.ascontiguousarray(R[:, [0, *(at + 1)]]))
        return self._replace(columns=columns, triangles=some)


def nbytes_of(m: int, c: int) -> int:
    """Memory of the triangles of m cells and c columns."""
    return 8 * m * (2 + c + (c + 1) ** 2)


def no_triangles(request: "TriangleRequest") -> CellTriangles:
    """Triangles of no rows yet; all cells as one have the key of the first."""
    keys = request.keys[:1] if request.as_one else request.keys
    return CellTriangles(request.variables, keys, request.columns, _zeros(len(keys), len(request.columns)))


def _zeros(m: int, c: int) -> Triangles:
    return Triangles(np.zeros(m, np.int64), np.zeros((m, c)), np.zeros((m, c + 1, c + 1)))


def are_few_and_large(cells: int, rows: int) -> bool:
    """Whether threads share the rows of each cell, in place of cells."""
    return cells <= MOST_SPLIT_CELLS and rows > SPLIT_CELL


def add_in_parts(table: Table, request: "TriangleRequest", counts: Ints64, most: int, out: CellTriangles) -> None:
    """Add the rows of a table in the cells, which have so many each; copies of at most so many rows at a time.

    Each cell's rows are added at once, so that the parts change no digit. A cell that has more is a part by itself.
    """
    split = are_few_and_large(len(counts), int(counts.sum()))
    ends = np.cumsum(counts)
    first = 0
    while first < len(counts):
        before = ends[first] - counts[first]
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        some = request._replace(keys=request.keys[first:last])
        add_rows(table, some, out.part(first, last), split)
        first = last


def add_rows(table: Table, request: "TriangleRequest", out: CellTriangles, split: bool | None = None) -> None:
    """Add the rows of a table, or of a chunk of one, that are in the cells.

    split : whether threads share the rows of each cell; by default they do if cells are few and large
    """
    rows, slots = _rows_of_cells(table, request)
    starts = rows.starts
    if request.as_one:
        starts, slots = starts[[0, -1]], slots[:1] * 0
    if are_few_and_large(len(slots), starts[-1]) if split is None else split:
        _add_split(rows, starts, slots, out)
    elif len(slots):
        which = np.array(out.columns, np.int32)
        in_ranges(add_triangles, len(slots), rows.columns, which, starts, slots, out.triangles)


def _rows_of_cells(table: Table, request: "TriangleRequest") -> tuple[SortedRows, Ints64]:
    """Rows that are in the cells, sorted by these, and which cells of the request they are."""
    variables, keys = request.variables, request.keys
    if not variables:
        return sort_rows(table, ONE_CELL, request.columns), np.zeros(1, np.int64)
    found = ranked(table, variables, keys, others=1)
    if found is not None:
        slots = np.arange(len(keys))
        return sort_rows(table, found, request.columns, slots + 1), slots
    found = membership(table, variables)
    at = np.minimum(np.searchsorted(keys, found.keys), len(keys) - 1)
    there = np.flatnonzero(keys[at] == found.keys)
    return sort_rows(table, found, request.columns, there), at[there].astype(np.int64)


def _add_split(rows: SortedRows, starts: Ints64, slots: Ints64, out: CellTriangles) -> None:
    """Add few and large cells, each in parts that threads share; the parts depend on the number of rows alone."""
    which, c = np.array(out.columns, np.int32), len(out.columns)
    for first, last, slot in zip(starts[:-1].tolist(), starts[1:].tolist(), slots.tolist(), strict=True):
        parts = max(1, (last - first) // ROWS_PER_SPLIT)
        bounds = np.array([first + (last - first) * part // parts for part in range(parts + 1)], np.int64)
        made = _zeros(parts, c)
        in_ranges(add_triangles, parts, rows.columns, which, bounds, np.arange(parts), made)
        target = _one(out.triangles, slot)
        for part in range(parts):
            merge_triangles(target, _one(made, part), 0, 1)


def _one(triangles: Triangles, cell: int) -> Triangles:
    """View of one cell."""
    return _part(triangles, cell, cell + 1)


def _part(triangles: Triangles, first: int, last: int) -> Triangles:
    """View of some cells."""
    counts, shifts, R = triangles
    return Triangles(counts[first:last], shifts[first:last], R[first:last])


def summed(parts: Sequence[CellTriangles]) -> CellTriangles:
    """Triangles of the rows of all parts, which have the same cells."""
    first = parts[0]
    if len(parts) == 1:
        return first
    counts, shifts, R = first.triangles
    out = Triangles(counts.copy(), shifts.copy(), R.copy())
    m = len(first.keys)
    bounds = [m * part // JOINED_APART for part in range(JOINED_APART + 1)]

    def join(a: int, b: int) -> None:
        for part in parts[1:]:
            merge_triangles(out, part.triangles, a, b)

    tasks = [partial(join, a, b) for a, b in pairwise(bounds) if a < b]
    in_threads(tasks, len(parts) * out.R.size * out.R.shape[1])
    return first._replace(triangles=out)


def leave_one_out(parts: Sequence[CellTriangles]) -> list[CellTriangles]:
    """Triangles of the rows of all parts but one, for each of them; all have the same cells and columns."""
    first, k = parts[0], len(parts)
    m, c = len(first.keys), len(first.columns)
    short = [_shortened(part.triangles) for part in parts]
    stacked = Triangles(
        np.concatenate([one.counts for one in short]), np.concatenate([one.shifts for one in short]),
        np.concatenate([one.R for one in short]),
    )  # fmt: skip
    out = _zeros(k * m, c)
    in_ranges(leave_out_triangles, m, k, stacked, _zeros(2 * m, c), out, threaded=k * m > FEW_CELLS)
    each = [slice(part * m, (part + 1) * m) for part in range(k)]
    return [first._replace(triangles=Triangles(out.counts[some], out.shifts[some], out.R[some])) for some in each]


def _shortened(cells: Triangles) -> Triangles:
    """Triangles of as many rows as columns, which those of some of the columns need not have."""
    m, q, p = cells.R.shape
    if p == q:
        return cells
    short = cells._replace(R=np.zeros((m, q, q)))
    in_ranges(shorten_triangles, m, cells, short, threaded=m > FEW_CELLS)
    return short


def joined(first: CellTriangles, second: CellTriangles) -> CellTriangles:
    """Triangles of the cells of both; where both have one, that of the first stays."""
    fresh = ~np.isin(second.keys, first.keys)
    keys = np.concatenate([first.keys, second.keys[fresh]])
    order = np.argsort(keys)
    both = zip(first.triangles, second.triangles, strict=True)
    return first._replace(
        keys=keys[order], triangles=Triangles(*(np.concatenate([a, b[fresh]])[order] for a, b in both))
    )
