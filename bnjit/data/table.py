"""Schema: names and declared levels of columns. Table: their codes (discrete) and numbers (continuous), in memory."""

import math
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.data.column import Column, relabelled
from bnjit.errors import BnjitWarning, DataError
from bnjit.kernels.columns import FLOAT32, FLOAT64, UINT8, UINT16, UINT32, Columns

_KIND = {
    np.dtype(np.float64): FLOAT64,
    np.dtype(np.float32): FLOAT32,
    np.dtype(np.uint8): UINT8,
    np.dtype(np.uint16): UINT16,
    np.dtype(np.uint32): UINT32,
}


Labels = tuple[Hashable, ...] | None
MIN_ROWS = 2  # to learn from
MAX_ROWS = 2**31 - 1  # rows are numbered by int32


class Schema:
    """What columns are called and which levels they have, whether their rows are in memory or come in chunks.

    Attributes
    ----------
    names : tuple
        Column names, in column order.
    labels : tuple
        Levels of each discrete column, None for continuous ones.
    discrete : tuple of bool
        Whether each column is discrete.
    continuous : tuple of int
        Positions of the continuous columns.
    levels : tuple of int
        Declared levels of each discrete column, observed or not; 0 for continuous columns.
    n : int
        Rows.
    constants : bool
        Whether continuous columns may be constant, as they may be in a part of the rows.
    """

    n: int
    constants = False

    def __init__(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        self.names, self.labels = tuple(names), tuple(labels)
        self.discrete = tuple(labels is not None for labels in self.labels)
        self.continuous = tuple(j for j, labels in enumerate(self.labels) if labels is None)
        self.levels = tuple(0 if labels is None else len(labels) for labels in self.labels)

    def __repr__(self) -> str:
        d = sum(self.discrete)
        kinds = f"{d} discrete and {len(self.names) - d} continuous columns"
        return f"{type(self).__name__}({self.n:,} rows, {kinds})"

    @property
    def nbytes(self) -> int:
        """Memory that the columns take, or would take."""
        raise NotImplementedError

    def configurations(self, variables: Iterable[int]) -> int:
        """Declared configurations of some discrete columns, observed or not."""
        return math.prod(self.levels[v] for v in variables)

    def index(self, name: Hashable) -> int:
        """Position of a column."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(f"there is no column {name!r}; the columns are {listing(self.names)}") from None


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
    """

    def __init__(self, names: Sequence[Hashable], columns: Sequence[Column], n: int | None = None) -> None:
        super().__init__(names, [c.labels for c in columns])
        self.columns = tuple(Column(np.ascontiguousarray(c.values), c.labels) for c in columns)
        self.n = n if n is not None else len(self.columns[0].values) if columns else 0
        if self.n >= MAX_ROWS:
            raise DataError(f"the table has {self.n:,} rows; more than {MAX_ROWS:,} must be given in parts")
        self.view = Columns(
            np.array([c.values.__array_interface__["data"][0] for c in self.columns], np.int64),
            np.array([_KIND[c.values.dtype] for c in self.columns], np.uint8),
            np.array(self.levels, np.int64),
            self.n,
        )

    @property
    def nbytes(self) -> int:
        """Memory that the columns take."""
        return sum(c.values.nbytes for c in self.columns)

    def replaced(self, j: int, values: NDArray[np.float64]) -> "Table":
        """Return the table with other values in continuous column j."""
        return Table(self.names, [*self.columns[:j], Column(values, None), *self.columns[j + 1 :]], self.n)

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return the table of some rows (a mask or indices), a copy with the same declared levels."""
        columns = [Column(c.values[rows] if len(c.values) else c.values, c.labels) for c in self.columns]
        taken = Table(self.names, columns, int(rows.sum()) if rows.dtype == bool else len(rows))
        taken.constants = self.constants
        return taken


def check_rows(layout: Schema) -> None:
    """Raise where there are too few rows to learn from."""
    if layout.n < MIN_ROWS:
        raise DataError(f"data has {layout.n} row{'s' if layout.n != 1 else ''}; at least {MIN_ROWS} are needed")


def warn_of_single_levels(layout: Schema, stacklevel: int) -> None:
    """Warn of discrete columns that are constant."""
    single = [name for name, levels in zip(layout.names, layout.levels, strict=True) if levels == 1]
    if single:
        warnings.warn(
            f"discrete column{'s' if len(single) > 1 else ''} with one level: {listing(single)}; "
            "nothing can depend on a constant",
            BnjitWarning,
            stacklevel=stacklevel + 1,
        )


def aligned_labels(table: Schema, other: Schema, what: str) -> list[Labels]:
    """Levels that two tables have together, in the order of the first one's columns.

    `what` names the second in messages; columns that it has beyond those of the first are left out.
    """
    together: list[Labels] = []
    for name, mine in zip(table.names, table.labels, strict=True):
        if name not in other.names:
            raise DataError(f"{what} lacks the column {name!r}; it needs every column of data")
        yours = other.labels[other.index(name)]
        if (mine is None) != (yours is None):
            kinds = ("continuous", "discrete")
            raise DataError(
                f"column {name!r} is {kinds[mine is not None]} in data and {kinds[yours is not None]} in {what}; "
                "give both the same type"
            )
        if mine is None or yours is None:
            together.append(None)
            continue
        labels = tuple(dict.fromkeys((*mine, *yours)))
        if len(labels) == len(mine) + len(yours) and yours:
            raise DataError(
                f"column {name!r} has no level in common in data and {what} ({mine[0]!r} ... and {yours[0]!r} ...); "
                "give both the same labels"
            )
        together.append(labels)
    return together


def relabelled_table(table: Table, names: Sequence[Hashable], labels: Sequence[Labels]) -> Table:
    """Return some columns of a table in terms of other labels, which include their own."""
    columns = [relabelled(table.columns[table.index(name)], own or ()) for name, own in zip(names, labels, strict=True)]
    return Table(names, columns, table.n)


def listing(names: Sequence[Hashable], most: int = 12) -> str:
    """Names for a message: all of them, or the first few."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"
