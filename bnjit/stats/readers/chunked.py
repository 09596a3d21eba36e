"""Rows that come in chunks: what many readers of the same rows want is collected in one pass."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.data import Column, Table
from bnjit.data.schema import Schema
from bnjit.data.source import Replaced, Source
from bnjit.graph.bits import bits_of
from bnjit.stats.cache import Recent
from bnjit.stats.cells import Cells
from bnjit.stats.collect import membership
from bnjit.stats.counting import Counts
from bnjit.stats.passes import CellRows, Collected, Collection, Extremes, Limits
from bnjit.stats.readers import Compute, Reader
from bnjit.stats.requests import Columns, Findings, Plan, SetBatch, TriangleRequest, Variables
from bnjit.stats.triangles import CellTriangles, add_rows, no_triangles
from bnjit.stats.tuning import (
    CHUNKED_CELLS_PART,
    CHUNKED_RESIDUAL_PART,
    CHUNKED_ROWS_PART,
    LARGER_TABLE_CHUNKED,
    ROWS_PER_KNOWN_CELL,
    ROWS_PER_LARGER_CELL,
)


class _Gathered(NamedTuple):
    """Rows of some cells, brought to memory."""

    cells: CellRows
    table: Table


class ChunkedReader:
    """Rows of a source.

    Parameters
    ----------
    source : Source
        The rows.
    memory : int
        Bytes for everything: chunks, Cells, and rows that are brought to memory.
    rows_memory : int, optional
        Bytes of that for rows; a part of it by default.
    """

    kept_share = 1.0
    counts_share = 1.0
    table = None

    def __init__(self, source: Source, memory: int, rows_memory: int | None = None) -> None:
        self.source, self.all_memory = source, memory
        self.memory = memory // CHUNKED_CELLS_PART
        room = memory // CHUNKED_ROWS_PART if rows_memory is None else rows_memory
        self._gathered: Recent[int, _Gathered] = Recent(room, lambda rows: rows.table.nbytes)

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.source

    @property
    def n(self) -> int:
        """Rows."""
        return self.source.n

    @property
    def most_cells(self) -> int:
        """Cells that a table may have to be made in place of a smaller one."""
        return min(LARGER_TABLE_CHUNKED, self.n // ROWS_PER_LARGER_CELL)

    @property
    def shared_pass(self) -> Hashable:
        """Readers of the same root are read in one pass."""
        return id(self.source.root)

    @property
    def whole(self) -> Cells | None:
        """Cells of the empty set, once they are read."""
        known = self.source.whole
        assert known is None or isinstance(known, Cells)
        return known

    def quick_to_count(self, variables: Variables) -> bool:
        """No: what can be had without a pass is never counted."""
        return False

    def worth_rolling_up(self, cells: Cells) -> bool:
        """Yes: what can be had without a pass is never read."""
        return True

    def count_batch(self, sets: SetBatch) -> Counts | None:
        """Sets are counted one by one, with the rest of a plan."""
        return None

    def extremes(self, column: int) -> Floats:
        """Least and greatest value of a continuous column."""
        task = Extremes(self.source.steps, column)
        (limits,) = self.source.root.run_pass([task], self.source.requires([column]))
        assert isinstance(limits, Limits)
        return limits.values

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> "ChunkedReader":
        """Return a reader of the same rows with other values in one continuous column, computed chunk by chunk."""
        values = _ByCells(variables, compute)
        source = Replaced(self.source, column, (*variables, *columns), values)
        return ChunkedReader(source, self.all_memory // CHUNKED_RESIDUAL_PART)

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Carry out the plans of readers of the same root, in one pass; none if rows in memory are enough."""
        errands = [reader._errand(plan) for reader, plan in plans if isinstance(reader, ChunkedReader)]
        asked = [errand for errand in errands if errand.reads_rows]
        if asked:
            columns = set().union(*(errand.columns() for errand in asked))
            found = self.source.root.run_pass([errand.task for errand in asked], columns)
            for errand, collected in zip(asked, found, strict=True):
                assert isinstance(collected, Collected)
                errand.collected = collected
        return [errand.findings() for errand in errands]

    def _errand(self, plan: Plan) -> "_Errand":
        """Divide a plan into what is answered from rows in memory, and what a pass is for."""
        few = [self._is_few(request) for request in plan.triangles]
        near = [request for request, here in zip(plan.triangles, few, strict=True) if here]
        far = [request for request, here in zip(plan.triangles, few, strict=True) if not here]
        missing = [CellRows(*request[:2]) for request in near if self.find_rows(CellRows(*request[:2])) is None]
        most = self.source.root.most_rows // ROWS_PER_KNOWN_CELL
        keys = {variables: own for variables, own in plan.keys.items() if len(own) <= most}
        task = Collection(self.source.steps, plan._replace(keys=keys, triangles=far), self._to_gather(missing))
        return _Errand(self, plan, task, few)

    def _is_few(self, request: TriangleRequest) -> bool:
        """Whether the rows of some cells are in memory, or few enough to be brought there."""
        if not self.source.root.brings_rows:
            return False
        if self.find_rows(CellRows(*request[:2])) is not None:
            return True
        return request.rows * self._width <= self._gathered.memory // 2

    @property
    def _width(self) -> int:
        """Bytes of a row in memory."""
        return self.source.nbytes // max(1, self.n)

    def find_rows(self, wanted: CellRows, brought: Sequence[_Gathered] = ()) -> Table | None:
        """Return a table in memory, or just brought there, that has all rows of some cells."""
        for gathered in (*brought, *self._gathered.values()):
            if self._covers(gathered.cells, wanted):
                self._gathered.recall(bits_of(gathered.cells.variables))
                return gathered.table
        return None

    def _covers(self, larger: CellRows, smaller: CellRows) -> bool:
        """Whether the rows of some cells are all among those of others."""
        if not set(larger.variables) <= set(smaller.variables):
            return False
        keys = np.zeros(len(smaller.keys), np.int64)
        for v in larger.variables:
            after = self.source.configurations(u for u in smaller.variables if u > v)
            keys = keys * self.source.levels[v] + smaller.keys // after % self.source.levels[v]
        return bool(np.isin(keys, larger.keys).all())

    def _to_gather(self, missing: Sequence[CellRows]) -> list[CellRows]:
        """Cells whose rows cover those of all cells wanted; those that are there of the same variables stay."""
        keys: dict[Variables, Ints64] = {}
        for wanted in missing:
            known = keys.get(wanted.variables, wanted.keys)
            before = self._gathered.recall(bits_of(wanted.variables))
            if before is not None and before.table.nbytes <= self._gathered.memory // 2:
                known = np.union1d(before.cells.keys, known)
            keys[wanted.variables] = np.union1d(known, wanted.keys)
        gather: list[CellRows] = []
        for wanted in sorted((CellRows(*item) for item in keys.items()), key=lambda cells: len(cells.variables)):
            if not any(self._covers(other, wanted) for other in gather):
                gather.append(wanted)
        return gather

    def keep_rows(self, cells: CellRows, parts: list[Table]) -> _Gathered:
        """Keep rows that were brought to memory, while there is room."""
        columns = [
            Column(np.concatenate([part.columns[j].values for part in parts]), labels)
            for j, labels in enumerate(self.source.labels)
        ]
        rows = Table(self.source.names, columns, sum(part.n for part in parts))
        gathered = _Gathered(cells, rows)
        self._gathered.remember(bits_of(cells.variables), gathered)
        return gathered


class _Errand:
    """One reader's part in a pass: its plan, what a pass is for, and which triangles come from rows in memory."""

    def __init__(self, reader: ChunkedReader, plan: Plan, task: Collection, near: list[bool]) -> None:
        self.reader, self.plan, self.task, self.near = reader, plan, task, near
        self.collected: Collected | None = None

    @property
    def reads_rows(self) -> bool:
        """Whether anything is wanted of a pass."""
        wanted = self.task.plan
        return bool(wanted.counts or wanted.tables or wanted.triangles or self.task.gather)

    def columns(self) -> set[int]:
        """Return the columns of the root that are needed."""
        rows = self.reader.source
        return rows.requires(range(len(rows.names)) if self.task.gather else self.task.columns())

    def findings(self) -> Findings:
        """Return what was found, keeping rows that were brought to memory."""
        made: list[CellTriangles] = []
        brought: list[_Gathered] = []
        counts: list[Cells] = []
        tables: dict[Variables, Cells] = {}
        if self.collected is not None:
            gathered = zip(self.task.gather, self.collected.rows, strict=True)
            brought = [self.reader.keep_rows(cells, parts) for cells, parts in gathered]
            made = self.collected.triangles
            counts = [self.collected.total(variables) for variables in self.plan.counts]
            tables = {v: self.collected.total(v, columns) for v, columns in self.plan.tables.items()}
            if () in tables:
                self.reader.source.whole = tables[()]
        far = iter(made)
        triangles = [
            self._from_memory(request, brought) if near else next(far)
            for request, near in zip(self.plan.triangles, self.near, strict=True)
        ]
        return Findings(counts, tables, triangles)

    def _from_memory(self, request: TriangleRequest, brought: Sequence[_Gathered]) -> CellTriangles:
        rows = self.reader.find_rows(CellRows(*request[:2]), brought)
        assert rows is not None
        out = no_triangles(request)
        add_rows(rows, request, out)
        return out


@dataclass(frozen=True)
class _ByCells:
    """Computes values from rows and the cells that they are in; able to travel if `compute` is."""

    variables: Variables
    compute: Compute

    def __call__(self, table: Table) -> Floats:
        return self.compute(table, membership(table, self.variables))
