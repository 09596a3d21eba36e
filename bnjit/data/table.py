"""Table: columns of codes (discrete) and numbers (continuous), in memory, in one order."""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.data.column import Column, relabelled
from bnjit.errors import DataError
from bnjit.kernels.columns import FLOAT32, FLOAT64, UINT8, UINT16, UINT32, Columns

_KIND = {
    np.dtype(np.float64): FLOAT64,
    np.dtype(np.float32): FLOAT32,
    np.dtype(np.uint8): UINT8,
    np.dtype(np.uint16): UINT16,
    np.dtype(np.uint32): UINT32,
}


MAX_ROWS = 2**31 - 1  # rows are numbered by int32


class Table:
    """Named columns of one length, as the statistics read them.

    Attributes
    ----------
    names : tuple
        Column names, in column order.
    columns : tuple of Column
        The values, shared with the data they came from where that was possible.
    discrete : tuple of bool
        Whether each column is discrete.
    continuous : tuple of int
        Positions of the continuous columns.
    levels : tuple of int
        Declared levels of each discrete column, observed or not; 0 for continuous columns.
    n : int
        Rows; the argument is for a table without columns.
    view : Columns
        What kernels take.
    """

    def __init__(self, names: Sequence[Hashable], columns: Sequence[Column], n: int = 0) -> None:
        self.names = tuple(names)
        self.columns = tuple(Column(np.ascontiguousarray(c.values), c.labels) for c in columns)
        self.n = len(self.columns[0].values) if columns else n
        if self.n >= MAX_ROWS:
            raise DataError(f"the table has {self.n:,} rows; more than {MAX_ROWS:,} must be given in parts")
        self.discrete = tuple(c.labels is not None for c in self.columns)
        self.continuous = tuple(j for j, c in enumerate(self.columns) if c.labels is None)
        self.levels = tuple(0 if c.labels is None else len(c.labels) for c in self.columns)
        self.view = Columns(
            np.array([c.values.__array_interface__["data"][0] for c in self.columns], np.int64),
            np.array([_KIND[c.values.dtype] for c in self.columns], np.uint8),
            np.array(self.levels, np.int64),
            self.n,
        )

    def __repr__(self) -> str:
        d = sum(self.discrete)
        return f"Table({self.n:,} rows, {d} discrete and {len(self.names) - d} continuous columns)"

    @property
    def nbytes(self) -> int:
        """Memory that the columns take."""
        return sum(c.values.nbytes for c in self.columns)

    def configurations(self, variables: Iterable[int]) -> int:
        """Declared configurations of some discrete columns, observed or not."""
        return math.prod(self.levels[v] for v in variables)

    def index(self, name: Hashable) -> int:
        """Position of a column."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(f"there is no column {name!r}; the columns are {listing(self.names)}") from None

    def replaced(self, j: int, values: NDArray[np.float64]) -> "Table":
        """Return the table with other values in continuous column j."""
        return Table(self.names, [*self.columns[:j], Column(values, None), *self.columns[j + 1 :]])

    def take(self, rows: NDArray[Any]) -> "Table":
        """Return the table of some rows (a mask or indices), a copy with the same declared levels."""
        return Table(self.names, [Column(c.values[rows], c.labels) for c in self.columns])


def aligned(table: Table, other: Table, what: str) -> tuple[Table, Table]:
    """Give two tables the same columns in the order of the first, and the levels of both.

    `what` names the second in messages; columns that it has beyond those of the first are left out.
    """
    ours, theirs = [], []
    for name, mine in zip(table.names, table.columns, strict=True):
        if name not in other.names:
            raise DataError(f"{what} lacks the column {name!r}; it needs every column of data")
        yours = other.columns[other.index(name)]
        if (mine.labels is None) != (yours.labels is None):
            kinds = ("continuous", "discrete")
            raise DataError(
                f"column {name!r} is {kinds[mine.labels is not None]} in data and "
                f"{kinds[yours.labels is not None]} in {what}; give both the same type"
            )
        if mine.labels is not None and yours.labels is not None:
            labels = tuple(dict.fromkeys((*mine.labels, *yours.labels)))
            if len(labels) == len(mine.labels) + len(yours.labels) and yours.labels:
                raise DataError(
                    f"column {name!r} has no level in common in data and {what} ({mine.labels[0]!r} ... and "
                    f"{yours.labels[0]!r} ...); give both the same labels"
                )
            ours.append(relabelled(mine, labels))
            theirs.append(relabelled(yours, labels))
        else:
            ours.append(mine)
            theirs.append(yours)
    return Table(table.names, ours), Table(table.names, theirs)


def listing(names: Sequence[Hashable], most: int = 12) -> str:
    """Names for a message: all of them, or the first few."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)} in all)"
