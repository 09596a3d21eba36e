"""Folds: statistics of the rows of each fold, and of all rows outside it, from one pass over the rows.

Each fold has a store of its own rows. What lies outside a fold is the sum of the other folds' Cells: no row is read
again. In memory, rows are kept sorted by fold and once more behind that, so that the rows outside a fold stand together
too, for what must be fitted from rows. Where rows come in chunks, each chunk is divided as it is read.
"""

from collections.abc import Hashable, Sequence
from functools import partial

import numpy as np

from bnjit._jit import Floats
from bnjit._threads import in_threads
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.data.source import fold_sources
from bnjit.data.split import row_numbers
from bnjit.errors import DataError
from bnjit.kernels.count_folds import FoldCounts, leave_counts_out, merge_counts
from bnjit.stats.cache import Recent
from bnjit.stats.cells import Cells, leave_one_out
from bnjit.stats.counting import Counts
from bnjit.stats.readers import Compute, Reader
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.readers.memory import MemoryReader, memory_for
from bnjit.stats.readers.weighted import WeightedReader, read_memory
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, Variables
from bnjit.stats.store import Store, cells_for, constant_columns
from bnjit.stats.tuning import FOLDS_MEMORY, LARGEST_OF_FOLDS, OUTSIDE_MEMORY

FEWEST = 2  # rows of a fold


class Folds:
    """Stores of k folds (`tests`), of what is outside each of them (`trains`), and of all rows (`everything`).

    Each row is in a fold drawn at random, by `seed` and its number alone.
    """

    def __init__(self, table: Table, k: int, seed: int | None) -> None:
        fold = (row_numbers(table.n, seed) * k).astype(np.int64)
        sizes = np.bincount(fold, minlength=k)
        _check_sizes(table.n, sizes.tolist())
        ends = np.cumsum(sizes)
        starts = ends - sizes
        order = np.argsort(fold, kind="stable")
        twice = table.take(np.concatenate([order, order[: starts[-1]]]))
        memory = memory_for(table)
        own, most = FOLDS_MEMORY * memory // k, LARGEST_OF_FOLDS * memory
        self.tests = [Store(read_memory(twice.rows(starts[f], ends[f]), own)) for f in range(k)]
        tables = LeaveOneOut(self.tests, OUTSIDE_MEMORY * memory)
        outside = [read_memory(twice.rows(ends[f], table.n + starts[f]), most) for f in range(k)]
        self.trains = [Store(OutsideFold(tables, f, rows)) for f, rows in enumerate(outside)]
        self.everything = Store(read_memory(twice.rows(0, table.n)))
        if not table.constants:
            _check_constants(self.everything, self.trains)


class FoldsInChunks:
    """The same of the rows of a source, within the memory of the store that has all of them."""

    def __init__(self, everything: Store, k: int, seed: int | None) -> None:
        whole = everything.reader
        assert isinstance(whole, ChunkedReader)
        parts = fold_sources(whole.source, k, seed)
        _check_sizes(whole.n, [part.n for part in parts])
        memory = whole.all_memory // k
        self.everything = everything
        self.tests = [Store(ChunkedReader(part, memory)) for part in parts]
        tables = LeaveOneOut(self.tests, whole.memory)
        outside = [ChunkedReader(part.others(), memory) for part in parts]
        self.trains = [Store(OutsideFold(tables, f, rows)) for f, rows in enumerate(outside)]
        if not whole.source.constants:
            _check_constants(self.everything, self.trains)


def make_folds(everything: Store, k: int, seed: int | None) -> "Folds | FoldsInChunks":
    """Divide the rows of a store, in memory or not, into k folds."""
    table = everything.reader.table
    return FoldsInChunks(everything, k, seed) if table is None else Folds(table, k, seed)


def _check_sizes(n: int, sizes: Sequence[int]) -> None:
    if min(sizes) < FEWEST:
        raise DataError(f"{n} rows are too few for {len(sizes)} folds; ask for fewer folds")


def _check_constants(everything: Store, trains: Sequence[Store]) -> None:
    """Raise for a column that is constant outside some fold, but not everywhere."""
    for train in trains:
        alike = sorted(set(constant_columns(train)) - set(constant_columns(everything)))
        if alike:
            raise DataError(
                f"column {everything.schema.names[alike[0]]!r} differs in the rows of one fold alone; ask for fewer "
                "folds, or drop it"
            )


class LeaveOneOut:
    """Tables of the rows outside each fold, from those of the folds; kept within `memory` bytes."""

    def __init__(self, tests: Sequence[Store], memory: int) -> None:
        self._tests = tests
        self._cells: Recent[Request, list[Cells]]
        self._cells = Recent(memory, lambda parts: sum(part.nbytes for part in parts), tests[0].reader.budget)
        self._counted: tuple[tuple[int, bytes, bytes], list[Counts]] | None = None

    def outside(self, requests: Sequence[Request]) -> list[list[Cells]]:
        """Cells of the rows outside each fold, for a batch of requests."""
        new = [r for r in dict.fromkeys(requests) if self._cells.recall(r) is None]
        found = {request: self._cells[request] for request in requests if request in self._cells}
        if new:
            found_in = iter(cells_for([(test, request) for request in new for test in self._tests]))
            for request in new:
                parts = [next(found_in) for _ in self._tests]
                found[request] = leave_one_out([cells.narrow(request.columns) for cells in parts])
                self._cells.remember(request, found[request])
        return [found[request] for request in requests]

    def counts_outside(self, sets: SetBatch) -> list[Counts]:
        """Counts of the rows outside each fold; folds ask one after the other for the same."""
        key = sets.node, sets.members.tobytes(), sets.sizes.tobytes()
        if self._counted is None or self._counted[0] != key:
            if self._tests[0].in_passes:  # in one, for all folds
                cells_for([(test, request) for test in self._tests for request in sets.requests()])
            tasks = [partial(test.count, [sets]) for test in self._tests]
            values = 0 if self._tests[0].in_passes else sum(round(test.n) for test in self._tests) * len(sets.sizes)
            self._counted = key, _counts_outside([counts for (counts,) in in_threads(tasks, values)])
        return self._counted[1]


class OutsideFold:
    """The rows outside one fold: Cells come from the other folds, triangles from the rows themselves."""

    has_rows = True
    base = None
    kept_share = counts_share = 0.0  # the folds keep the tables of all of them together
    most_cells = ahead_memory = 0
    in_passes = False
    read_with: Hashable | None = None

    def __init__(self, tables: LeaveOneOut, fold: int, rows: MemoryReader | WeightedReader | ChunkedReader) -> None:
        self._tables, self._fold, self._rows, self.memory = tables, fold, rows, rows.memory
        self.budget = rows.budget

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self._rows.schema

    @property
    def table(self) -> Table | None:
        """The rows, where they are in memory."""
        return self._rows.table

    @property
    def n(self) -> float:
        """Rows, or the sum of their weights."""
        return self._rows.n

    @property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self._outside([Request((), self.schema.continuous)])[0]

    def _outside(self, requests: Sequence[Request]) -> list[Cells]:
        return [parts[self._fold] for parts in self._tables.outside(requests)]

    def quick_to_count(self, variables: Variables) -> bool:
        """Yes: the other folds know best."""
        return True

    def worth_rolling_up(self, cells: Cells) -> bool:
        """No: the other folds know best."""
        return False

    def count_batch(self, sets: SetBatch) -> Counts:
        """Count many sets at once, in the other folds."""
        return self._tables.counts_outside(sets)[self._fold]

    def made_from(self, request: Request) -> None:
        """Tables of the folds are read together."""

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Carry out a plan from the tables of the other folds."""
        ((_, plan),) = plans
        counts = self._outside([Request(variables) for variables in plan.counts])
        tables = self._outside([Request(*item) for item in plan.tables.items()])
        (rows,) = self._rows.read([(self._rows, Plan(triangles=plan.triangles))])
        return [Findings(counts, dict(zip(plan.tables, tables, strict=True)), rows.triangles)]

    def extremes(self, column: int) -> Floats:
        """Values of a continuous column."""
        return self._rows.extremes(column)

    def factors(self) -> Floats:
        """Refuse: folds have the units of the table that they are of."""
        raise NotImplementedError

    def scaled(self, scale: Floats) -> Reader:
        """Refuse, like `factors`."""
        raise NotImplementedError

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> Reader:
        """Return a reader of the rows with other values in one continuous column; see Reader."""
        return self._rows.replaced(column, variables, columns, compute)


def _counts_outside(parts: list[Counts]) -> list[Counts]:
    """Counts of all parts but one, for each of them. Counts of rows are integers: subtracting loses nothing."""
    lengths = [len(part.keys) for part in parts]
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)[:, None]
    starts, ends = (first + np.stack([part[i] for part in parts]) for i in (0, 1))
    counted, each = (np.concatenate([part[i] for part in parts]) for i in (2, 3))
    folds = FoldCounts(starts, ends, counted, each)
    merged, keys, counts = np.empty(starts.shape[1], np.int64), np.empty_like(counted), np.empty_like(each)
    merge_counts(folds, merged, keys, counts)
    number = merged[-1].item() if len(merged) else 0
    out = []
    for f in range(len(parts)):
        bounds = np.zeros(len(merged) + 1, np.int64)
        left_keys, left = np.empty_like(keys[:number]), np.empty_like(counts[:number])
        leave_counts_out(folds, f, merged, keys, counts, bounds[1:], left_keys, left)
        out.append(Counts(bounds[:-1], bounds[1:], left_keys[: bounds[-1]], left[: bounds[-1]]))
    return out
