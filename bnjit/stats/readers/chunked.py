"""Rows that come in chunks: what many readers of the same rows want is collected in one pass."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.data import Column, Table
from bnjit.data.chunked.memory import give_back
from bnjit.data.schema import Schema
from bnjit.data.source import Replaced, Scaled, Source
from bnjit.graph.bits import bits_of
from bnjit.stats.budget import budget_of
from bnjit.stats.cache import Recent
from bnjit.stats.cells import Cells, table_bytes
from bnjit.stats.collect import membership
from bnjit.stats.counting import Counts
from bnjit.stats.first_passes import Extremes, ValueRange
from bnjit.stats.passes import CellRows, Collected, Collection
from bnjit.stats.readers import Compute, Reader
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, TriangleRequest, Variables
from bnjit.stats.triangles import CellTriangles, add_rows, nbytes_of, no_triangles
from bnjit.stats.tuning import (
    AHEAD_PART,
    BYTES_PER_COUNTED,
    CHUNKED_CELLS_PART,
    CHUNKED_FILLED_PART,
    CHUNKED_RESIDUAL_PART,
    CHUNKED_ROWS_PART,
    LARGER_TABLE_CHUNKED,
    ROWS_PER_KNOWN_CELL,
    ROWS_PER_LARGER_CELL,
    SENT_AHEAD,
    TABLES_BYTES,
    UNKNOWN_CELLS,
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
        Bytes for everything: chunks, Cells, and rows that are brought to memory. All readers of a root share them.
    rows_memory : int, optional
        Bytes of that for rows; a part of it by default.
    """

    has_rows = in_passes = True
    base = None
    kept_share = 1.0
    counts_share = 1.0
    table = None

    def __init__(self, source: Source, memory: int, rows_memory: int | None = None) -> None:
        self.source, self.all_memory = source, memory
        self.memory = memory // CHUNKED_CELLS_PART
        self.budget = budget_of(source.root, memory)
        room = memory // CHUNKED_ROWS_PART if rows_memory is None else rows_memory
        self._gathered: Recent[int, _Gathered] = Recent(room, lambda rows: rows.table.nbytes, self.budget)

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
    def ahead_memory(self) -> int:
        """Bytes of counts, and of triangles, that are worth reading ahead: few where each partition sends as many."""
        room = self.memory // AHEAD_PART
        return room if self.source.root.brings_rows else min(room, SENT_AHEAD)

    @property
    def read_with(self) -> Hashable:
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
        assert isinstance(limits, ValueRange)
        return limits.values

    def factors(self) -> Floats:
        """Powers of two by which columns are to be multiplied; see Reader."""
        known = self.source.root.factors
        assert known is not None  # since the first pass
        return known[: len(self.source.names)]  # without indicators of gaps, where these are filled

    def scaled(self, scale: Floats) -> "ChunkedReader":
        """Return a reader of the same rows with continuous columns multiplied by powers of two; see Reader."""
        source = Scaled(self.source, scale)
        source.whole = None if self.whole is None else self.whole.scaled(scale)
        return ChunkedReader(source, self.all_memory)

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> "ChunkedReader":
        """Return a reader of the same rows with other values in one continuous column, computed chunk by chunk."""
        values = _ByCells(variables, compute)
        source = Replaced(self.source, column, (*variables, *columns), values)
        return ChunkedReader(source, self.all_memory // CHUNKED_RESIDUAL_PART)

    def made_from(self, request: Request) -> None:
        """Rows are read."""

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Carry out the plans of readers of the same root, in one pass; none if rows in memory are enough."""
        parts = [reader._part_of_pass(plan) for reader, plan in plans if isinstance(reader, ChunkedReader)]
        asked = [part for part in parts if part.reads_rows]
        if asked:
            size = sum(part.made_bytes for part in asked) + max(part.copied_bytes for part in asked)
            if self.budget.make_room(size):
                give_back()
            columns = set().union(*(part.columns() for part in asked))
            found = self.source.root.run_pass([part.task for part in asked], columns)
            for part, collected in zip(asked, found, strict=True):
                assert isinstance(collected, Collected)
                part.collected = collected
        return [part.findings() for part in parts]

    def _part_of_pass(self, plan: Plan) -> "_PassPart":
        """Divide a plan into what is answered from rows in memory, and what a pass is for."""
        here = [self._find_rows(CellRows(*request[:2])) for request in plan.triangles]
        missing = [i for i, rows in enumerate(here) if rows is None]
        wide = self._of_all_cells({i: plan.triangles[i] for i in missing}, plan.keys)
        few = [CellRows(*plan.triangles[i][:2]) for i in missing if self._is_few(plan.triangles[i])]
        made = {i: wide.get(i, plan.triangles[i]) for i in missing if i in wide or not self._is_few(plan.triangles[i])}
        keys, brings_rows = plan.keys, self.source.root.brings_rows
        if not brings_rows:  # partitions do not send cells without rows
            most = self.source.root.most_rows // ROWS_PER_KNOWN_CELL
            keys = {variables: own for variables, own in keys.items() if len(own) <= most}
        task = plan._replace(keys=keys, triangles=list(made.values()))
        gather = self._to_gather(few)
        most = self.all_memory // CHUNKED_FILLED_PART
        collection = Collection(self.source.steps, task, gather, min(TABLES_BYTES, most), most, brings_rows)
        return _PassPart(self, plan, collection, here, list(made))

    def _is_few(self, request: TriangleRequest) -> bool:
        """Whether the rows of some cells are few enough to be brought to memory."""
        return self.source.root.brings_rows and request.rows * self._width <= self._gathered.memory // 2

    def _of_all_cells(
        self, requests: dict[int, TriangleRequest], keys: dict[Variables, Ints64]
    ) -> dict[int, TriangleRequest]:
        """Ask for all cells where their triangles fit in memory: others are likely to be asked for in another pass.

        Those that do not fit with the ones before them stay as they are asked for.
        """
        wide, room = {}, self.ahead_memory
        for i, request in requests.items():
            own = None if request.as_one else keys.get(request.variables)
            size = 0 if own is None else nbytes_of(len(own), len(request.columns))
            if own is not None and size <= min(room, self.ahead_memory // 2):
                wide[i] = request._replace(keys=np.union1d(own, request.keys))
                room -= size
        return wide

    @property
    def _width(self) -> int:
        """Bytes of a row in memory."""
        return self.source.nbytes // max(1, self.n)

    def _find_rows(self, wanted: CellRows) -> Table | None:
        """Return a table in memory that has all rows of some cells."""
        for bits, gathered in self._gathered.items():
            if self.covers(gathered.cells, wanted):
                self._gathered.recall(bits)
                return gathered.table
        return None

    def covers(self, larger: CellRows, smaller: CellRows) -> bool:
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
            if not any(self.covers(other, wanted) for other in gather):
                gather.append(wanted)
        return gather

    def keep_rows(self, cells: CellRows, parts: list[Table]) -> _Gathered:
        """Keep rows that were brought to memory, while there is room."""
        columns = [
            Column(np.concatenate([part.columns[j].values for part in parts]), labels, parts[0].columns[j].fill)
            for j, labels in enumerate(self.source.labels)
        ]
        rows = Table(
            self.source.names,
            columns,
            sum(part.n for part in parts),
            next((part.scale for part in parts if part.n), None),
        )
        gathered = _Gathered(cells, rows)
        self._gathered.remember(bits_of(cells.variables), gathered)
        return gathered


class _PassPart:
    """One reader's part in a pass: its plan, what the pass is for, and which triangles it makes.

    here : rows in memory for each of the triangles, if they are there; made : places of those made by the pass
    """

    def __init__(
        self, reader: ChunkedReader, plan: Plan, task: Collection, here: list[Table | None], made: list[int]
    ) -> None:
        self.reader, self.plan, self.task, self.here, self.made = reader, plan, task, here, made
        self.collected: Collected | None = None

    @property
    def reads_rows(self) -> bool:
        """Whether anything is wanted of a pass."""
        wanted = self.task.plan
        return bool(wanted.counts or wanted.tables or wanted.triangles or self.task.gather)

    @property
    def made_bytes(self) -> int:
        """Memory that everything takes that the pass makes, about."""
        wanted, rows = self.task.plan, self.reader.source
        most = min(rows.n, UNKNOWN_CELLS)
        size = sum(2 * rows.nbytes // rows.n * one.rows for one in self.plan.triangles if self.task.gather)
        size = min(size, self.reader.all_memory // CHUNKED_ROWS_PART)
        for variables, columns in wanted.tables.items():
            size += table_bytes(self._cells_in(variables), len(columns))
        counted = sum(min(most, rows.configurations(variables)) for variables in wanted.counts)
        size += min(BYTES_PER_COUNTED * counted, self.reader.memory // 2)
        return size + sum(nbytes_of(len(one.keys), len(one.columns)) for one in wanted.triangles)

    @property
    def copied_bytes(self) -> int:
        """Memory that it takes meanwhile: copies of a chunk's rows, its tables, or what triangles are made of."""
        rows, wanted = self.reader.source, self.task.plan
        if not rows.root.brings_rows:
            return 0
        most = rows.root.most_rows
        size = max((8 * (len(one.columns) + 1) * most for one in wanted.triangles), default=0)
        for variables, columns in wanted.tables.items():
            own = table_bytes(min(self._cells_in(variables), most), len(columns))
            size = max(size, self.task.filled, self.task.filled_bytes(variables, own, len(columns)))
        return size + (8 * len(self.task.columns()) * most if rows.copies else 0)

    def _cells_in(self, variables: Variables) -> int:
        """Cells of a table, about."""
        keys, rows = self.plan.keys.get(variables), self.reader.source
        return min(rows.n, UNKNOWN_CELLS, rows.configurations(variables)) if keys is None else len(keys)

    def columns(self) -> set[int]:
        """Return the columns of the root that are needed."""
        rows = self.reader.source
        return rows.requires(range(len(rows.names)) if self.task.gather else self.task.columns())

    def findings(self) -> Findings:
        """Return what was found, keeping rows that were brought to memory."""
        if self.collected is None:
            return Findings([], {}, self._triangles([], []))
        gathered = zip(self.task.gather, self.collected.rows, strict=True)
        brought = [self.reader.keep_rows(cells, parts) for cells, parts in gathered]
        counts = [self.collected.total(variables) for variables in self.plan.counts]
        tables = {v: self.collected.total(v, columns) for v, columns in self.plan.tables.items()}
        if () in tables:
            self.reader.source.whole = tables[()]
        return Findings(counts, tables, self._triangles(brought, self.collected.triangles))

    def _triangles(self, brought: list[_Gathered], collected: list[CellTriangles]) -> list[CellTriangles]:
        """Triangles in the order of the plan: from rows in memory, or just brought there, or from the pass."""
        of_the_pass = dict(zip(self.made, collected, strict=True)) if self.collected else {}
        made = []
        for i, (request, here) in enumerate(zip(self.plan.triangles, self.here, strict=True)):
            if i in of_the_pass:
                made.append(of_the_pass[i])
                continue
            wanted = CellRows(*request[:2])
            just_brought = (one.table for one in brought if self.reader.covers(one.cells, wanted))
            out = no_triangles(request)
            add_rows(next(just_brought) if here is None else here, request, out)
            made.append(out)
        return made


@dataclass(frozen=True)
class _ByCells:
    """Computes values from rows and the cells that they are in; able to travel if `compute` is."""

    variables: Variables
    compute: Compute

    def __call__(self, table: Table) -> Floats:
        return self.compute(table, membership(table, self.variables))
