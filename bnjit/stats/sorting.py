"""Rows of a Table sorted by cell, for what is fitted from rows."""

from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64
from bnjit._threads import in_threads
from bnjit.data import Table
from bnjit.kernels.columns import FLOAT64, Columns
from bnjit.kernels.sorting import choose_rows, scatter_column, sorted_positions
from bnjit.stats.collect import Membership
from bnjit.stats.tuning import CHOSEN_RANGES


class SortedRows(NamedTuple):
    """Columns whose rows are sorted by cell.

    columns : what kernels take; starts : int64[m + 1], where each cell begins; values : keeps the columns alive
    """

    columns: Columns
    starts: Ints64
    values: Floats

    @property
    def spans(self) -> Ints64:
        """Where each cell begins and ends, int64[m, 2]."""
        return np.stack([self.starts[:-1], self.starts[1:]], axis=1)


def chosen_rows(table: Table, found: Membership, cells: NDArray[np.intp]) -> tuple[Ints32, Ints32]:
    """Rows of some cells, and which of these each is in."""
    slots = np.full(len(found.keys) + 1, -1, np.int32)
    slots[cells] = np.arange(len(cells))
    bounds = [table.n * i // CHOSEN_RANGES for i in range(CHOSEN_RANGES + 1)]
    tasks = [partial(choose_rows, table.view, found.numbering, slots, a, b) for a, b in pairwise(bounds)]
    rows, ids = zip(*in_threads(tasks, table.n * len(found.variables)), strict=True)
    return np.concatenate(rows), np.concatenate(ids)


def sort_rows(
    table: Table, found: Membership, columns: tuple[int, ...], cells: NDArray[np.intp] | None = None
) -> SortedRows:
    """Sort the rows of some cells, in the order given, or of all; other columns than `columns` are not there.

    Where all rows are one cell they stay where they are.
    """
    if not found.variables:
        return SortedRows(table.view, np.array([0, table.n]), np.empty((0, 0)))
    rows, ids, m = found.ids[:0], found.ids, len(found.keys)
    if not len(ids) or (cells is not None and len(cells) < m):
        which = np.arange(m) if cells is None else cells
        rows, ids = chosen_rows(table, found, which)
        m = len(which)
    position, starts = sorted_positions(ids, m)
    values = np.empty((len(columns), starts[-1]))
    tasks = [partial(scatter_column, table.view, j, 0, rows, position, values[i]) for i, j in enumerate(columns)]
    in_threads(tasks, values.size)
    address = np.zeros(len(table.names), np.int64)
    address[list(columns)] = values.ctypes.data + np.arange(len(columns)) * values.strides[0]
    kind = np.full(len(table.names), FLOAT64, np.uint8)
    view = Columns(address, kind, table.view.levels, np.ones(len(kind)), table.view.fill, int(starts[-1]))
    return SortedRows(view, starts, values)
