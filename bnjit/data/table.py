"""Table: typed columns in memory, codes where they are discrete and numbers where they are continuous."""

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit._threads import in_threads
from bnjit.data.column import Column, relabelled
from bnjit.data.schema import Labels, Schema
from bnjit.errors import DataError
from bnjit.kernels.columns import FILLED32, FILLED64, FLOAT32, FLOAT64, UINT8, UINT16, UINT32, Columns

MAX_ROWS = 2**31 - 1  # rows are numbered by int32

_KIND = {
    np.dtype(np.float64): FLOAT64,
    np.dtype(np.float32): FLOAT32,
    np.dtype(np.uint8): UINT8,
    np.dtype(np.uint16): UINT16,
    np.dtype(np.uint32): UINT32,
}
_FILLED = {FLOAT64: FILLED64, FLOAT32: FILLED32}


class Table(Schema):
    """Named columns of one length, as the statistics read them.

    Attributes
    ----------
    columns : tuple of Column
        The values, shared with the data they came from where that was possible. In a chunk, those that nobody asked
        for are empty.
    n : int
        Rows; the argument is for a table whose first column does not say it.
    view : Columns
        What kernels take.
    is_filled : bool
        Whether values were drawn for the gaps of another table, in columns of their own.
    weights : float64[n], optional
        How often each row counts, where that is not once; all are above 0.
    """

    is_filled = False
    weights: NDArray[np.float64] | None = None

    def __init__(
        self, names: Sequence[Hashable], columns: Sequence[Column], n: int | None = None,
        scale: NDArray[np.float64] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(names, [c.labels for c in columns])
        self.scale = scale
        self.columns = tuple(c._replace(values=np.ascontiguousarray(c.values)) for c in columns)
        self.n = n if n is not None else len(self.columns[0].values) if columns else 0
        if self.n >= MAX_ROWS:
            raise DataError(f"the table has {self.n:,} rows; more than {MAX_ROWS:,} must be given in parts")
        self.view = Columns(
            np.array([c.values.__array_interface__["data"][0] for c in self.columns], np.int64),
            np.array([_kind_of(c) for c in self.columns], np.uint8),
            np.array(self.levels, np.int64),
            np.ones(len(self.columns)) if scale is None else scale,
            np.array([0.0 if c.fill is None else c.values.dtype.type(c.fill) for c in self.columns], np.float64),
            self.n,
        )

    @property
    def nbytes(self) -> int:
        """Memory that the columns take."""
        return sum(c.values.nbytes for c in self.columns)

    @property
    def has_copies(self) -> bool:
        """Whether columns were made beside the user's own, which leave less memory for statistics."""
        return self.is_filled or self.gaps is not None

    def replaced(self, j: int, values: NDArray[np.float64]) -> "Table":
        """Return the table with other values in continuous column j, which are not multiplied by anything."""
        scale = None if self.scale is None else np.where(np.arange(len(self.names)) == j, 1.0, self.scale)
        table = Table(self.names, [*self.columns[:j], Column(values, None), *self.columns[j + 1 :]], self.n, scale)
        table.gaps, table.weights = self.gaps, self.weights
        return table

    def scaled(self, scale: NDArray[np.float64]) -> "Table":
        """Return the same values, multiplied by powers of two when they are read."""
        table = Table(self.names, self.columns, self.n, scale)
        table.constants, table.gaps, table.weights = self.constants, self.gaps, self.weights
        table.is_filled = self.is_filled
        return table

    def rows(self, first: int, last: int) -> "Table":
        """Return the table of rows first ... last - 1, without a copy; columns that nobody asked for stay empty."""
        columns = [column._replace(values=column.values[first:last]) for column in self.columns]
        some = Table(self.names, columns, last - first, self.scale)
        some.constants, some.gaps = self.constants, self.gaps
        some.weights = None if self.weights is None else self.weights[first:last]
        some.is_filled = self.is_filled
        return some

    def only(self, columns: AbstractSet[int]) -> "Table":
        """Return the table with other columns empty, as where nobody asked for them."""
        some = [c if j in columns else c._replace(values=c.values[:0]) for j, c in enumerate(self.columns)]
        table = Table(self.names, some, self.n, self.scale)
        table.constants, table.gaps, table.weights = self.constants, self.gaps, self.weights
        table.is_filled = self.is_filled
        return table

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return the table of some rows (a mask or indices), a copy with the same declared levels."""
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)  # once, which numpy would do for every column
        tasks = [partial(_take, column, rows) for column in self.columns]
        columns = in_threads(tasks, len(rows) * len(tasks))
        taken = Table(self.names, columns, len(rows), self.scale)
        taken.constants, taken.gaps = self.constants, self.gaps
        taken.weights = None if self.weights is None else self.weights[rows]
        return taken


def _take(column: Column, rows: NDArray[Any]) -> Column:
    return column._replace(values=column.values[rows] if len(column.values) else column.values)


def _kind_of(column: Column) -> int:
    kind = _KIND[column.values.dtype]
    return kind if column.fill is None else _FILLED[kind]


def relabelled_table(table: Table, names: Sequence[Hashable], labels: Sequence[Labels]) -> Table:
    """Return some columns of a table in terms of other labels, which include their own."""
    columns = [relabelled(table.columns[table.index(name)], own or ()) for name, own in zip(names, labels, strict=True)]
    out = Table(names, columns, table.n)
    out.weights = table.weights
    return out
