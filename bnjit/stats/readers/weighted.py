"""Rows in memory that count by weights, which need not be whole numbers: counts of cells are sums of weights."""

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, cast

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit._lazy import lazy
from bnjit._threads import in_threads
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.kernels.moments import Moments
from bnjit.kernels.triangles import Triangles
from bnjit.kernels.weighted import add_weighted
from bnjit.stats.budget import Budget
from bnjit.stats.cells import Cells, join_tables, no_moments, table_bytes
from bnjit.stats.collect import Membership, check_size, make_cells, membership
from bnjit.stats.counting import Counts
from bnjit.stats.readers import Compute, Reader
from bnjit.stats.readers.memory import MemoryReader, memory_for
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, TriangleRequest, Variables
from bnjit.stats.triangles import CellTriangles
from bnjit.stats.tuning import (
    RANGES_PER_BATCH,
    RESIDUAL_MEMORY_PART,
    ROLL_UP_FACTOR,
    ROWS_PER_JOINED_CELL,
    ROWS_PER_RANGE,
)


class WeightedReader:
    """Rows of a table, which count by its weights, all above 0."""

    has_rows = True
    base = None
    kept_share = 1.0
    counts_share = 1.0
    most_cells = ahead_memory = 0
    in_passes = False
    read_with: Hashable | None = None
    budget: Budget | None = None

    def __init__(self, table: Table, memory: int | None = None) -> None:
        assert table.weights is not None
        self.table, self.weights = table, table.weights
        self.memory = memory_for(table) if memory is None else memory
        self._members: tuple[Variables, Membership] | None = None  # the last ones

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.table

    @property
    def n(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())

    @lazy
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self._collect((), self.table.continuous)

    def quick_to_count(self, variables: Variables) -> bool:
        """Counts are rolled up where they can be."""
        return False

    def worth_rolling_up(self, cells: Cells) -> bool:
        """Whether a table is so small that rolling it up is faster than reading."""
        return len(cells.keys) * ROLL_UP_FACTOR < self.table.n

    def count_batch(self, sets: SetBatch) -> Counts | None:
        """Sets are counted one by one."""
        return None

    def made_from(self, request: Request) -> None:
        """Rows are read."""

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Carry out a plan; rows in memory share no pass."""
        ((_, plan),) = plans
        counts = [self._count(variables) for variables in plan.counts]
        tables = {variables: self._collect(variables, columns) for variables, columns in plan.tables.items()}
        return [Findings(counts, tables, [self._make_triangles(request) for request in plan.triangles])]

    def _find(self, variables: Variables) -> Membership:
        """Cell of every row."""
        if self._members is None or self._members[0] != variables:
            self._members = variables, membership(self.table, variables)
        return self._members[1]

    def _count(self, variables: Variables) -> Cells:
        found = self._find(variables)
        counts = np.bincount(found.ids, self.weights, len(found.keys))
        nothing = np.empty((len(counts), 0))
        return make_cells(self.table, variables, (), found.keys, Moments(counts, nothing, nothing, nothing))

    def _collect(self, variables: Variables, columns: Columns) -> Cells:
        """Threads over ranges of rows, which depend on the shape of the data alone."""
        found, n = self._find(variables), self.table.n
        m, c = len(found.keys), len(columns)
        ranges = max(1, min(RANGES_PER_BATCH, n // max(ROWS_PER_RANGE, ROWS_PER_JOINED_CELL * m)))
        check_size(self.table, ranges * table_bytes(m, c), variables, m, c)
        parts = [no_moments(m, c, np.float64) for _ in range(ranges)]
        which = np.array(columns, np.int32)
        bounds = list(pairwise(n * i // ranges for i in range(ranges + 1)))
        tasks = [
            partial(add_weighted, self.table.view, which, found.ids, self.weights, a, b, part)
            for (a, b), part in zip(bounds, parts, strict=True)
        ]
        in_threads(tasks, n * max(1, c))
        return make_cells(self.table, variables, columns, found.keys, join_tables(parts))

    def _make_triangles(self, request: TriangleRequest) -> CellTriangles:
        """Triangles of the rows of cells, each row times the root of its weight."""
        found, n = self._find(request.variables), self.table.n
        order, starts = np.arange(n), np.array([0, n])
        if request.variables:
            order = np.argsort(found.ids, kind="stable")
            starts = np.searchsorted(found.ids[order], np.arange(len(found.keys) + 1))
        first, last = (np.searchsorted(found.keys, request.keys, side) for side in ("left", "right"))  # none: the same
        by_cell = [order[starts[a] : starts[b]] for a, b in zip(first, last, strict=True)]
        groups = [np.concatenate(by_cell)] if request.as_one else by_cell
        c = len(request.columns)
        counts, shifts, R = np.zeros(len(groups)), np.zeros((len(groups), c)), np.zeros((len(groups), c + 1, c + 1))
        for g, rows in enumerate(groups):
            if len(rows):
                counts[g] = self.weights[rows].sum()
                shifts[g], R[g] = self._triangle(rows, request.columns)
        keys: Ints64 = request.keys[:1] if request.as_one else request.keys
        return CellTriangles(request.variables, keys, request.columns, Triangles(cast(Any, counts), shifts, R))

    def _triangle(self, rows: Ints64, columns: Columns) -> tuple[Floats, Floats]:
        """Shifts, the first row, and the triangle of the intercept and the columns, R[j, i] in row i of column j."""
        scale = np.ones(len(self.table.names)) if self.table.scale is None else self.table.scale
        values = [self.table.columns[j].values[rows].astype(np.float64) * scale[j] for j in columns]
        X = np.stack([np.ones(len(rows)), *(one - one[0] for one in values)], axis=1)
        made: Floats = np.linalg.qr(X * np.sqrt(self.weights[rows])[:, None], mode="r")  # type: ignore[assignment]
        R = np.zeros((len(columns) + 1, len(columns) + 1))
        R[:, : len(made)] = made.T
        return np.array([one[0] for one in values]), R

    def extremes(self, column: int) -> Floats:
        """Values of a continuous column."""
        values: Floats = self.table.columns[column].values
        return values

    def factors(self) -> Floats:
        """Powers of two by which columns are to be multiplied; see Reader."""
        return MemoryReader(self.table).factors()

    def scaled(self, scale: Floats) -> "WeightedReader":
        """Return a reader of the same rows with continuous columns multiplied by powers of two; see Reader."""
        reader = WeightedReader(self.table.scaled(scale), self.memory)
        reader.whole = self.whole.scaled(scale)
        return reader

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> "WeightedReader":
        """Return a reader of the table with other values in one continuous column; see Reader."""
        values = compute(self.table, membership(self.table, variables))
        return WeightedReader(self.table.replaced(column, values), self.memory // RESIDUAL_MEMORY_PART)


def read_memory(table: Table, memory: int | None = None) -> MemoryReader | WeightedReader:
    """Return the reader of rows in memory."""
    return MemoryReader(table, memory) if table.weights is None else WeightedReader(table, memory)
