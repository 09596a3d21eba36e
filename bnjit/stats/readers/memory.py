"""RowsToCount in memory: counted, collected and fitted again where they are."""

from collections.abc import Hashable, Sequence

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._lazy import lazy
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.graph.bits import bits_of
from bnjit.stats.bitmaps import make_bitmaps
from bnjit.stats.budget import Budget
from bnjit.stats.cache import Recent
from bnjit.stats.cells import Cells
from bnjit.stats.collapse import collapse
from bnjit.stats.collect import Membership, Scratch, check_size, collect_batch, collect_cells, membership, ranked
from bnjit.stats.counting import Counts, RowsToCount, all_rows, count_batch, count_cells
from bnjit.stats.readers import Compute, Reader
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, TriangleRequest, Variables
from bnjit.stats.triangles import CellTriangles, add_in_parts, add_rows, no_triangles
from bnjit.stats.tuning import (
    COLLAPSE_AFTER,
    COUNTS_SHARE,
    GAPS_MEMORY_SHARE,
    LARGER_TABLE,
    LEAST_GAPS_MEMORY,
    LEAST_MEMORY,
    MEMBERSHIP_SHARE,
    MEMORY_SHARE,
    QUICK_COUNT,
    RESIDUAL_MEMORY_PART,
    ROLL_UP_FACTOR,
    ROWS_PER_LARGER_CELL,
    TABLES_AT_A_TIME,
    TRIANGLE_ROWS,
    TRIANGLE_ROWS_SHARE,
)
from bnjit.stats.units import factors_of_table


def memory_for(table: Table) -> int:
    """Bytes of Cells to keep of a table; less where columns with gaps, or filled ones, take memory as well."""
    if table.has_copies:
        return max(LEAST_GAPS_MEMORY, int(GAPS_MEMORY_SHARE * table.nbytes))
    return max(LEAST_MEMORY, int(MEMORY_SHARE * table.nbytes))


class MemoryReader:
    """RowsToCount of a table.

    Parameters
    ----------
    table : Table
        The rows.
    memory : int, optional
        Bytes of Cells that a store may keep, and about half of it for the cells that rows belong to; by default in
        proportion to the table.
    origin : MemoryReader, optional
        A reader of the same discrete columns, which knows the cells of their rows.
    """

    has_rows = True
    kept_share = 1.0
    counts_share = COUNTS_SHARE
    ahead_memory = 0
    shared_pass: Hashable | None = None
    budget: Budget | None = None

    def __init__(self, table: Table, memory: int | None = None, origin: "MemoryReader | None" = None) -> None:
        self.table = table
        self.memory = memory_for(table) if memory is None else memory
        self._rows, self._sets_counted = all_rows(table), 0
        self._scratch = Scratch()
        self._members: Recent[int, Membership] = Recent(
            int(MEMBERSHIP_SHARE * self.memory), lambda found: found.ids.nbytes + found.keys.nbytes
        )
        if origin is not None:
            self._scratch, self._members = origin._scratch, origin._members

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.table

    @property
    def n(self) -> int:
        """RowsToCount."""
        return self.table.n

    @property
    def most_cells(self) -> int:
        """Cells that a table may have to be made in place of a smaller one."""
        return min(LARGER_TABLE, self.n // ROWS_PER_LARGER_CELL)

    @lazy
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return collect_cells(self.table, self.table.continuous, self.members(()))

    def quick_to_count(self, variables: Variables) -> bool:
        """Whether counting a set is faster than looking for a larger table to roll up."""
        return self._rows.columns.n * len(variables) < QUICK_COUNT

    def worth_rolling_up(self, cells: Cells) -> bool:
        """Whether a table is so small that rolling it up is faster than reading."""
        return len(cells.keys) * ROLL_UP_FACTOR < self.n

    def members(self, variables: Variables) -> Membership:
        """Return the cell of every row."""
        key = bits_of(variables)
        found = self._members.recall(key)
        if found is None:
            found = membership(self.table, variables)
            self._members.remember(key, found)
        return found

    def count_batch(self, sets: SetBatch) -> Counts:
        """Count many sets at once."""
        return count_batch(self.table, sets.members, sets.sizes, self._to_count(len(sets.sizes)))

    def _to_count(self, sets: int) -> RowsToCount:
        """RowsToCount to count some more sets in; collapsed, or as bits, once so many were counted that it pays."""
        before, self._sets_counted = self._sets_counted, self._sets_counted + sets
        if before < COLLAPSE_AFTER <= self._sets_counted:
            collapsed = collapse(self.table)  # few rows are counted faster than the bits of all
            self._rows = collapsed or self._rows._replace(bitmaps=make_bitmaps(self.table))
        return self._rows

    def made_from(self, request: Request) -> None:
        """Rows are read."""

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Carry out a plan; rows in memory share no pass."""
        ((_, plan),) = plans
        counts: list[Cells] = []
        if plan.counts:
            counts = count_cells(self.table, plan.counts, self._to_count(len(plan.counts)))
        triangles = [self._make_triangles(request) for request in plan.triangles]
        return [Findings(counts, self._collect(plan), triangles)]

    def _collect(self, plan: Plan) -> dict[Variables, Cells]:
        tables: dict[Variables, Cells] = {}
        todo = list(plan.tables.items())
        for first in range(0, len(todo), TABLES_AT_A_TIME):
            some = todo[first : first + TABLES_AT_A_TIME]
            asked = [(columns, self._cells_of_rows(variables, plan.keys.get(variables))) for variables, columns in some]
            made = collect_batch(self.table, asked, self._scratch)
            tables.update((cells.variables, cells) for cells in made)
        return tables

    def _cells_of_rows(self, variables: Variables, keys: Ints64 | None) -> Membership:
        """Return how to find the cell of a row, without a list of them all where that can be spared."""
        found = None if not variables or keys is None else ranked(self.table, variables, keys)
        return found or self.members(variables)

    def _make_triangles(self, request: TriangleRequest) -> CellTriangles:
        cells, columns = len(request.keys), len(request.columns)
        check_size(self.table, 8 * cells * (columns + 1) ** 2, request.variables, cells, columns)
        out = no_triangles(request)
        most = max(TRIANGLE_ROWS, int(TRIANGLE_ROWS_SHARE * self.table.nbytes)) // (8 * columns)
        if request.as_one or not request.variables or request.rows <= most:
            add_rows(self.table, request, out)
        else:
            (counted,) = count_cells(self.table, [request.variables], self._rows)
            at = np.minimum(np.searchsorted(counted.keys, request.keys), len(counted.keys) - 1)
            counts = np.where(counted.keys[at] == request.keys, counted.counts[at], 0)  # a fold may have no such rows
            add_in_parts(self.table, request, counts, most, out)
        return out

    def extremes(self, column: int) -> Floats:
        """Values of a continuous column."""
        values: Floats = self.table.columns[column].numbers()
        return values

    def factors(self) -> Floats:
        """Powers of two by which columns are to be multiplied; see Reader."""
        return factors_of_table(self.table, self.whole)

    def scaled(self, scale: Floats) -> "MemoryReader":
        """Return a reader of the same rows with continuous columns multiplied by powers of two; see Reader."""
        reader = MemoryReader(self.table.scaled(scale), self.memory)
        reader.whole = self.whole.scaled(scale)
        return reader

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> "MemoryReader":
        """Return a reader of the table with other values in one continuous column; see Reader."""
        values = compute(self.table, self.members(variables))
        return MemoryReader(self.table.replaced(column, values), self.memory // RESIDUAL_MEMORY_PART, origin=self)
