"""Rows sorted by cell, so that what a cell needs lies together.

Axis legend: n rows; m cells; c columns.

Columns are read from top to bottom and written to as many ranges as there are cells, each of which fills from its
start: that stays in cache for thousands of cells, where reading the rows of one cell after the other would not.
"""

import numpy as np

from bnjit._jit import Floats, Ints32, Ints64, carray, jit, pointer
from bnjit.kernels.columns import FLOAT64, Columns, read_values
from bnjit.kernels.configurations import Numbering, find_cells
from bnjit.kernels.tuning import KEYED_ROWS


@jit
def choose_rows(columns: Columns, numbering: Numbering, slots: Ints32, first: int, last: int) -> tuple[Ints32, Ints32]:
    """Rows of chosen cells among rows first ... last - 1, and their cells by new numbers. O(n d).

    slots : int32[m], the new number of each cell, or -1 -> rows, new : int32[rows chosen]
    """
    rows, new = np.empty(last - first, np.int32), np.empty(last - first, np.int32)
    cells = np.empty(KEYED_ROWS, np.int32)
    k = 0
    for start in range(first, last, KEYED_ROWS):
        length = min(KEYED_ROWS, last - start)
        find_cells(columns, numbering, start, length, cells)
        for r in range(length):
            slot = slots[cells[r]]
            rows[k] = start + r
            new[k] = slot
            k += slot >= 0
    return rows[:k].copy(), new[:k].copy()


@jit
def _place_rows(ids: Ints32, starts: Ints64, position: Ints32) -> None:
    """Give every row the next place of its cell.

    starts : int64[m + 1], entry cell + 1 is where the cell begins, and then where the next one does (out)
    """
    for r in range(ids.shape[0]):
        at = starts[ids[r] + 1]
        position[r] = at
        starts[ids[r] + 1] = at + 1


@jit
def find_positions(ids: Ints32, starts: Ints64, position: Ints32) -> None:
    """Where every row goes when rows are sorted by cell, those of one cell in their order: a counting sort. O(n + m).

    ids : int32[n], cells of the rows; starts : int64[m + 1] (out), where each cell begins; position : int32[>= n] (out)
    """
    m = starts.shape[0] - 1
    for cell in range(m + 1):
        starts[cell] = 0
    for r in range(ids.shape[0]):
        starts[ids[r] + 1] += 1
    total = 0
    for cell in range(m):
        count = starts[cell + 1]
        starts[cell + 1] = total
        total += count
    _place_rows(ids, starts, position)


@jit
def sorted_positions(ids: Ints32, m: int) -> tuple[Ints32, Ints64]:
    """Where every row goes when rows are sorted by cell, and where each cell begins; see find_positions. O(n + m).

    ids : int32[n] -> position : int32[n]; starts : int64[m + 1]
    """
    position, starts = np.empty(ids.shape[0], np.int32), np.empty(m + 1, np.int64)
    find_positions(ids, starts, position)
    return position, starts


@jit
def counted_positions(ids: Ints32, counts: Ints64) -> tuple[Ints32, Ints64]:
    """Do what sorted_positions does for rows that have been counted, counts : int64[m]. O(n + m)."""
    m = counts.shape[0]
    position, starts = np.empty(ids.shape[0], np.int32), np.zeros(m + 1, np.int64)
    for cell in range(m - 1):
        starts[cell + 2] = starts[cell + 1] + counts[cell]
    _place_rows(ids, starts, position)
    return position, starts


@jit
def list_rows(ids: Ints32, counts: Ints64, wanted: Ints32) -> tuple[Ints32, Ints64]:
    """Rows of the wanted cells, cell by cell and in their order. O(n + m).

    Rows of other cells are written to a place of their own, again and again: a branch would often be guessed wrong.

    ids : int32[n]; counts : int64[m]; wanted : int32[m], 1 or 0 -> order : int32[their rows]; starts : int64[m + 1],
    order[starts[cell] : starts[cell + 1]] are a cell's
    """
    m = counts.shape[0]
    starts = np.zeros(m + 1, np.int64)
    for cell in range(m):
        starts[cell + 1] = starts[cell] + wanted[cell] * counts[cell]
    free = np.empty(m, np.int64)
    for cell in range(m):
        free[cell] = starts[cell] if wanted[cell] == 1 else starts[m]
    order = np.empty(starts[m] + 1, np.int32)
    for r in range(ids.shape[0]):
        cell = ids[r]
        at = free[cell]
        order[at] = r
        free[cell] = at + wanted[cell]
    return order[: starts[m]], starts


@jit
def scatter_column(columns: Columns, j: int, first: int, rows: Ints32, position: Ints32, out: Floats) -> None:
    """Write rows of column j to their positions, float64[rows written] (out): rows first ..., or those given. O(n)."""
    scale = columns.scale[j]
    if columns.kind[j] == FLOAT64:
        wide = carray(pointer(columns.address[j]), (columns.n,), np.float64)
        if rows.shape[0] == 0:
            for r in range(position.shape[0]):
                out[position[r]] = wide[first + r] * scale
        else:
            for r in range(position.shape[0]):
                out[position[r]] = wide[rows[r]] * scale
    else:
        for r in range(position.shape[0]):
            at = position[r]
            read_values(columns, j, first + r if rows.shape[0] == 0 else rows[r], out[at : at + 1], 1)
