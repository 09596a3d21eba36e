"""RowsToCount in memory: counted, collected and fitted again where they are."""

from collections.abc import Hashable, Iterator, Sequence
from functools import partial

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._lazy import lazy
from bnjit._threads import VALUES_PER_THREAD, in_threads
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.graph.bits import bits_of
from bnjit.stats.bitmaps import make_bitmaps
from bnjit.stats.budget import Budget
from bnjit.stats.cache import Recent
from bnjit.stats.cells import Cells
from bnjit.stats.collapse import collapse
from bnjit.stats.collect import (
    Membership,
    Scratch,
    TableTask,
    check_size,
    collect_batch,
    collect_cells,
    membership,
    ranked,
)
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
    ROWS_WORTH_THREADS,
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
    base = None
    kept_share = 1.0
    counts_share = COUNTS_SHARE
    ahead_memory = 0
    in_passes = False
    read_with: Hashable = "memory"  # folds, or training and test rows
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
        """Carry out plans of this reader and of others in memory; threads work for all of them at a time."""
        parts = [(reader, plan) for reader, plan in plans if isinstance(reader, MemoryReader)]
        few = all(reader.n * len(plan.counts) < ROWS_WORTH_THREADS for reader, plan in parts)
        tasks = [partial(reader._count, plan) for reader, plan in parts]
        values = sum(reader.n * len(plan.counts) for reader, plan in parts) if few else 0  # else threads divide each
        counts = in_threads(tasks, values)
        triangles = _make_triangles([(reader, request) for reader, plan in parts for request in plan.triangles])
        tables: list[dict[Variables, Cells]] = [{} for _ in parts]
        todo = [(i, table) for i, (_, plan) in enumerate(parts) for table in plan.tables]
        step = TABLES_AT_A_TIME * len(parts)
        for first in range(0, len(todo), step):
            some = todo[first : first + step]
            asked = [parts[i][0]._table_task(parts[i][1], variables) for i, variables in some]
            for (i, variables), cells in zip(some, collect_batch(asked, self._scratch), strict=True):
                tables[i][variables] = cells
        return [
            Findings(own, made, [next(triangles) for _ in plan.triangles])
            for (_, plan), own, made in zip(parts, counts, tables, strict=True)
        ]

    def _count(self, plan: Plan) -> list[Cells]:
        return count_cells(self.table, plan.counts, self._to_count(len(plan.counts))) if plan.counts else []

    def _table_task(self, plan: Plan, variables: Variables) -> TableTask:
        found = self._cells_of_rows(variables, plan.keys.get(variables))
        return TableTask(self.table, plan.tables[variables], found)

    def _cells_of_rows(self, variables: Variables, keys: Ints64 | None) -> Membership:
        """Return how to find the cell of a row, without a list of them all where that can be spared."""
        found = None if not variables or keys is None else ranked(self.table, variables, keys)
        return found or self.members(variables)

    def make_triangles(self, request: TriangleRequest) -> CellTriangles:
        """Make triangles of some cells."""
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


def _make_triangles(asked: Sequence[tuple[MemoryReader, TriangleRequest]]) -> Iterator[CellTriangles]:
    """Triangles in the order asked; small ones side by side, and threads inside each large one."""
    sizes = [request.rows * len(request.columns) for _, request in asked]
    small = [i for i, size in enumerate(sizes) if size < VALUES_PER_THREAD]
    made = in_threads([partial(asked[i][0].make_triangles, asked[i][1]) for i in small], sum(sizes[i] for i in small))
    found = dict(zip(small, made, strict=True))
    return iter([found[i] if i in found else reader.make_triangles(one) for i, (reader, one) in enumerate(asked)])
