"""What is asked of a store: Cells, counts of batches of sets, triangles; and the plan that a reader carries out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Ints32, Ints64
from bnjit.stats.cells import Cells
from bnjit.stats.triangles import CellTriangles

Variables = tuple[int, ...]  # discrete, ascending
Columns = tuple[int, ...]  # continuous, ascending


class Request(NamedTuple):
    """Cells of some discrete variables with some continuous columns; no columns: counts alone."""

    variables: Variables
    columns: Columns = ()


class TriangleRequest(NamedTuple):
    """Triangles of some cells, which have so many rows in all.

    Attributes
    ----------
    variables, columns : tuple of int
        The discrete variables of the cells, and the continuous columns that the triangles must have.
    keys : int64[m]
        The cells, ascending.
    rows : int
        How many rows they have in all.
    as_one : bool
        Whether all rows together make one triangle, in place of one for each cell.
    """

    variables: Variables
    keys: Ints64
    columns: Columns
    rows: int
    as_one: bool = False

    def with_cells_of(self, other: "TriangleRequest") -> "TriangleRequest":
        """Return a request for the cells and columns of two, which have the same variables."""
        keys, columns = np.union1d(self.keys, other.keys), tuple(sorted({*self.columns, *other.columns}))
        return TriangleRequest(self.variables, keys, columns, self.rows + other.rows)


class SetBatch(NamedTuple):
    """Sets of discrete variables to count, all with the variable `node`.

    members : int32[b, d], ascending and then anything; sizes : int64[b]
    """

    node: int
    members: Ints32
    sizes: Ints64

    def requests(self) -> list[Request]:
        """Return the same sets one by one."""
        return [Request(tuple(row[:d])) for row, d in zip(self.members.tolist(), self.sizes.tolist(), strict=True)]


class Plan(NamedTuple):
    """What a reader is to read.

    Attributes
    ----------
    counts : list of Variables
        Sets to count.
    tables : dict
        Tables of Cells to make: columns by variables.
    keys : dict
        Observed configurations of sets of `tables`, where they are known.
    triangles : list of TriangleRequest
        Triangles to make.
    """

    counts: Sequence[Variables] = ()
    tables: dict[Variables, Columns] = {}  # noqa: RUF012 - a NamedTuple's default, which is never changed
    keys: dict[Variables, Ints64] = {}  # noqa: RUF012
    triangles: Sequence[TriangleRequest] = ()


class Findings(NamedTuple):
    """What a reader has read: counts and triangles in the order of the plan, tables by their variables."""

    counts: Sequence[Cells]
    tables: dict[Variables, Cells]
    triangles: Sequence[CellTriangles]
