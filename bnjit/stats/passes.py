"""What one pass over rows finds out: tasks start where the rows are, and their accumulators merge in row order.

Counts, Cells and triangles are additive, so that rows may be read chunk after chunk, or each chunk on another machine.
"""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints64
from bnjit.data import Table
from bnjit.data.passes import Step
from bnjit.data.schema import Schema
from bnjit.data.source import derive
from bnjit.kernels.configurations import append_keys
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import Cells, add, add_to, no_moments, table_bytes
from bnjit.stats.collect import ONE_CELL, Membership, Scratch, TableTask, collect_batch, membership, ranked
from bnjit.stats.count_totals import CountTotals, in_families, with_few_configurations
from bnjit.stats.counting import count_cells
from bnjit.stats.requests import Columns, Plan, Request, Variables
from bnjit.stats.sorting import chosen_rows
from bnjit.stats.triangles import CellTriangles, add_rows, no_triangles, summed
from bnjit.stats.tuning import (
    LEAST_PART_ROWS,
    PARTS_AT_A_TIME,
    ROWS_PER_KNOWN_CELL,
    TABLES_AT_A_TIME,
    TABLES_BYTES,
    TOTALS_PER_ROW,
)

NO_COUNTS = np.empty((2, 0), np.int64)


class CellRows(NamedTuple):
    """All rows of some cells: the discrete variables, and the keys of the cells, ascending."""

    variables: Variables
    keys: Ints64


class Collection(NamedTuple):
    """What one reader wants of a pass.

    Attributes
    ----------
    steps : tuple of Step
        How the reader's rows are made of those of the root.
    plan : Plan
        What to count and to collect.
    gather : list of CellRows
        Cells whose rows are to be brought to memory.
    filled : int
        Bytes of tables of a chunk that are filled at a time, before they are added to the totals.
    most_filled : int
        Bytes of one table of a chunk that is filled as a whole; a larger one is filled in parts of the rows, where
        totals have room for the cells of all rows.
    all_cells : bool
        Whether totals have room for the cells of all rows from the start, where these are known.
    """

    steps: tuple[Step, ...]
    plan: Plan
    gather: Sequence[CellRows] = ()
    filled: int = TABLES_BYTES
    most_filled: int = sys.maxsize
    all_cells: bool = False

    def columns(self) -> set[int]:
        """Return the columns of the reader's rows that are needed, but for rows to gather: these have all."""
        sets = [*self.plan.counts, *self.plan.tables, *self.plan.tables.values()]
        for request in self.plan.triangles:
            sets += [request.variables, request.columns]
        return set().union(*sets)

    def rows_of(self, first: int, chunk: Table) -> Table:
        """Return the reader's rows of a chunk of the root, with the columns that are needed: copies take no others."""
        if self.steps and not self.gather:
            needed = self.columns()
            for step in reversed(self.steps):
                needed = step.requires(needed)
            chunk = chunk.only(needed)
        return derive(self.steps, first, chunk)

    def rows_of_parts(self, columns: int) -> int:
        """Rows of each part that a table of a chunk is filled in: in as many cells at most."""
        return max(LEAST_PART_ROWS, self.most_filled // table_bytes(PARTS_AT_A_TIME, columns))

    def filled_bytes(self, variables: Variables, size: int, columns: int) -> int:
        """Bytes of a table of a chunk, of so many in all, that are filled at a time."""
        if size <= self.most_filled or self.known_cells(variables) is None:
            return size
        return min(size, table_bytes(PARTS_AT_A_TIME * self.rows_of_parts(columns), columns))

    def known_cells(self, variables: Variables) -> Ints64 | None:
        """Cells of all rows, for which totals have room from the start, if these are known."""
        return self.plan.keys.get(variables) if self.all_cells else None

    def start(self) -> "Collected":
        """Begin, with no row seen."""
        return Collected(self)


class Collected:
    """What was collected so far: totals of Cells by request, triangles, and rows brought to memory."""

    def __init__(self, task: Collection | None) -> None:
        self._task = task
        self._counts: CountTotals | None = None  # of sets with few configurations; since there was a chunk
        self._families: list[list[Variables]] = []  # of the others
        self._found: dict[Variables, Membership | None] = {}
        self._scratch = Scratch()
        self._totals: dict[Request, Cells] = {}
        self.rows: list[list[Table]] = [[] for _ in (task.gather if task else ())]
        self.triangles: list[CellTriangles] = [no_triangles(one) for one in (task.plan.triangles if task else ())]

    @property
    def nbytes(self) -> int:
        """Memory that the tables take."""
        self._add_counts()
        return sum(made.nbytes for made in self.triangles) + sum(cells.nbytes for cells in self._totals.values())

    def total(self, variables: Variables, columns: tuple[int, ...] = ()) -> Cells:
        """Cells of all rows seen."""
        self._add_counts()
        return self._totals[Request(variables, columns)]

    def finish(self) -> None:
        """Let go of what only seeing more would need."""
        self._add_counts()
        self._task, self._families, self._found, self._scratch = None, [], {}, Scratch()

    def merged(self, others: Sequence["Collected"]) -> "Collected":
        """Return what was collected from these rows and from those that follow."""
        everything = [self, *others]
        out = Collected(None)
        parts: dict[Request, list[Cells]] = {}
        for one in everything:
            for request, cells in one._totals.items():
                parts.setdefault(request, []).append(cells)
        out._totals = {request: add(some) for request, some in parts.items()}
        rows = zip(*(one.rows for one in everything), strict=True)
        out.rows = [[table for tables in some for table in tables] for some in rows]
        out.triangles = [summed(some) for some in zip(*(one.triangles for one in everything), strict=True)]
        return out

    def __getstate__(self) -> dict[str, Any]:
        """What travels: hundreds of small counts as one array, which is sent much faster."""
        counted = [cells for cells in self._totals.values() if not cells.columns]
        return {
            "sets": [(cells.variables, cells.levels, len(cells.keys)) for cells in counted],
            "counts": np.concatenate([*((cells.keys, cells.counts) for cells in counted), NO_COUNTS], axis=1),
            "tables": [cells for cells in self._totals.values() if cells.columns],
            "triangles": self.triangles,
            "rows": self.rows,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(None)  # type: ignore[misc]
        self.rows, self.triangles = state["rows"], state["triangles"]
        at = 0
        for variables, levels, m in state["sets"]:
            keys, counts = state["counts"][:, at : at + m]
            self._keep(Cells(variables, levels, (), keys, Moments(counts, *(np.empty((m, 0)),) * 3)))
            at += m
        for cells in state["tables"]:
            self._keep(cells)

    def _keep(self, cells: Cells) -> None:
        self._totals[Request(cells.variables, cells.columns)] = cells

    def _add(self, cells: Cells) -> None:
        request = Request(cells.variables, cells.columns)
        before = self._totals.get(request)
        if before is None:
            keys = self._task.known_cells(cells.variables) if self._task is not None else None
            if keys is None or len(keys) == len(cells.keys):
                self._totals[request] = cells
                return
            # Room for the cells of all rows: to make some for those of each chunk takes as much again.
            before = cells._replace(keys=keys, moments=no_moments(len(keys), len(cells.columns), cells.counts.dtype))
        self._totals[request] = add_to(before, cells)

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Add a chunk of the root."""
        assert self._task is not None
        table = self._task.rows_of(first, chunk)
        for cells, parts in zip(self._task.gather, self.rows, strict=True):
            parts.append(table.take(_rows_in(table, cells)))
        if table.n == 0:
            return
        for request, made in zip(self._task.plan.triangles, self.triangles, strict=True):
            add_rows(table, request, made)
        self._count(table, self._task.plan.counts)
        self._add_tables(table, self._task.plan)

    def _count(self, table: Table, sets: Sequence[Variables]) -> None:
        """Count the rows of a chunk."""
        if self._counts is None:
            few = dict.fromkeys(with_few_configurations(table, sets, TOTALS_PER_ROW * table.n))
            self._counts = CountTotals(Schema(table.names, table.labels), list(few))
            self._families = in_families([s for s in sets if s not in few])
        self._counts.add_chunk(table)
        for family in self._families:
            for counted in count_cells(table, family):
                self._add(counted)

    def _add_counts(self) -> None:
        """Add to the totals what was counted so far."""
        if self._counts is not None:
            for counted in self._counts.cells():
                self._add(counted)
            self._counts = None

    def _add_tables(self, table: Table, plan: Plan) -> None:
        """Add the rows of a chunk to the tables of the plan."""
        assert self._task is not None
        unknown = [v for v in plan.tables if v and self._cells_of_all_rows(table, v) is None]
        counted = dict(zip(unknown, count_cells(table, unknown) if unknown else (), strict=True))
        asked: list[TableTask] = []
        size = 0
        for variables, columns in plan.tables.items():
            found = ONE_CELL if not variables else self._cells_of_all_rows(table, variables)
            keys = counted[variables].keys if found is None else found.keys
            own = table_bytes(len(keys), len(columns))
            if self._task.filled_bytes(variables, own, len(columns)) < own:
                self._add_in_parts(table, variables, columns)
                continue
            if found is None:
                found = ranked(table, variables, keys) or membership(table, variables)
            if asked and (len(asked) == TABLES_AT_A_TIME or size + own > self._task.filled):
                self._collect(asked)
                asked, size = [], 0
            asked.append(TableTask(table, columns, found))
            size += own
        if asked:
            self._collect(asked)

    def _add_in_parts(self, table: Table, variables: Variables, columns: Columns) -> None:
        """Add the rows of a chunk to one table, so many at a time that there is room for as many cells."""
        assert self._task is not None
        rows = self._task.rows_of_parts(len(columns))
        parts = [table.rows(first, min(table.n, first + rows)) for first in range(0, table.n, rows)]
        for at in range(0, len(parts), PARTS_AT_A_TIME):
            some = parts[at : at + PARTS_AT_A_TIME]
            self._collect([TableTask(part, columns, membership(part, variables)) for part in some])

    def _collect(self, asked: Sequence[TableTask]) -> None:
        """Add the rows of a chunk to some tables at a time."""
        for cells in collect_batch(asked, self._scratch):
            self._add(cells)

    def _cells_of_all_rows(self, table: Table, variables: Variables) -> Membership | None:
        """Numbers of the cells of all rows, if these are known and not many for a chunk."""
        assert self._task is not None
        if variables not in self._found:
            keys = self._task.plan.keys.get(variables)
            few = keys is not None and len(keys) * ROWS_PER_KNOWN_CELL <= table.n
            self._found[variables] = ranked(table, variables, keys) if few and keys is not None else None
        return self._found[variables]


def _rows_in(table: Table, cells: CellRows) -> NDArray[np.intp]:
    """Rows that are in some cells."""
    variables, wanted = cells
    if not variables:
        return np.arange(table.n)
    found = ranked(table, variables, wanted, others=1)
    if found is not None:
        return chosen_rows(table, found, np.arange(len(wanted)) + 1)[0].astype(np.intp)
    keys = np.zeros(table.n, np.int64)
    append_keys(table.view, np.array(variables, np.int32), keys)
    at = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    return np.flatnonzero(wanted[at] == keys)
