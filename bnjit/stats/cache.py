"""What a store keeps of Cells, counts, batches of counts and triangles, as memory lasts."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from bnjit._jit import Ints64
from bnjit.data.schema import Schema
from bnjit.graph.bits import bits_of
from bnjit.stats.budget import Budget
from bnjit.stats.cells import Cells
from bnjit.stats.counting import Counts, cells_of
from bnjit.stats.requests import Request, SetBatch, TriangleRequest, Variables
from bnjit.stats.triangles import CellTriangles
from bnjit.stats.tuning import CELLS_OF_A_PASS, COLUMNS_OF_A_PASS

K = TypeVar("K")
T = TypeVar("T")


class Recent(OrderedDict[K, T]):
    """The most recently used values, as many as fit in some memory, and in that which others share with them."""

    def __init__(self, memory: int, size: Callable[[T], int], budget: Budget | None = None) -> None:
        super().__init__()
        self.memory, self.size, self.used, self._budget = memory, size, 0, budget
        if budget is not None:
            budget.join(self)

    def recall(self, key: K) -> T | None:
        """Return a value, if it is still there."""
        if key not in self:
            return None
        self.move_to_end(key)
        if self._budget is not None:
            self._budget.touch(self, key)
        return self[key]

    def remember(self, key: K, value: T) -> None:
        """Keep a value, and forget others if memory runs out; the newest stays."""
        if key in self:
            self.forget(key)
        size = self.size(value)
        while self and self.used + size > self.memory:
            self.forget(self._first_to_go())
        if self._budget is not None:
            self._budget.add(self, key, size)
        self[key] = value
        self.used += size

    def _first_to_go(self) -> K:
        """Key of the value that is forgotten first: the one that was used longest ago."""
        return next(iter(self))

    def forget(self, key: K) -> None:
        """Keep the value of a key no longer."""
        self.used -= self.size(self.pop(key))
        if self._budget is not None:
            self._budget.remove(self, key)

    def release(self) -> None:
        """Forget everything."""
        for key in list(self):
            self.forget(key)


class Dearest(Recent[K, T]):
    """Values that it costs most to make again, for the memory that they take, and the most recently used.

    Each has a rank, what it costs for each byte; if memory runs out, the value with the least one is forgotten, and
    those that are used from then on rank so much higher (greedy dual size).
    """

    def __init__(self, memory: int, size: Callable[[T], int], cost: Callable[[T], float]) -> None:
        super().__init__(memory, size)
        self.cost = cost
        self._floor = 0.0
        self._ranks: dict[K, float] = {}
        self._worth: dict[K, float] = {}  # cost for each byte

    def recall(self, key: K) -> T | None:
        """Return a value, if it is still there."""
        value = super().recall(key)
        if value is not None:
            self._ranks[key] = self._floor + self._worth[key]
        return value

    def remember(self, key: K, value: T) -> None:
        """Keep a value, and forget those with the least ranks if memory runs out."""
        super().remember(key, value)
        self._worth[key] = self.cost(value) / max(1, self.size(value))
        self._ranks[key] = self._floor + self._worth[key]

    def forget(self, key: K) -> None:
        """Keep the value of a key no longer."""
        super().forget(key)
        del self._ranks[key], self._worth[key]

    def _first_to_go(self) -> K:
        least = min(self, key=self._ranks.__getitem__)
        self._floor = self._ranks[least]
        return least


def cost_of(cells: Cells) -> float:
    """What reading rows for a table costs, in some unit: more columns are read, and more cells are visited."""
    return (len(cells.columns) + COLUMNS_OF_A_PASS) * (len(cells.keys) + CELLS_OF_A_PASS)


class _CountedBatch(NamedTuple):
    """Sets that were counted together, and their counts."""

    sets: SetBatch
    counts: Counts


class CellCache:
    """Cells by the bits of their variables: with continuous columns, and counts alone.

    Parameters
    ----------
    schema : Schema
        The columns.
    memory, counts_memory, triangles_memory : int
        Bytes for Cells, and for batches of counts; for counts of single sets; for triangles.
    budget : Budget, optional
        Memory that is shared with other stores of the same rows.
    """

    def __init__(
        self, schema: Schema, memory: int, counts_memory: int, triangles_memory: int, budget: Budget | None = None
    ) -> None:
        self.schema = schema
        self.tables: Recent[int, Cells]
        if budget is None:
            self.tables = Dearest(memory, lambda cells: cells.nbytes, cost_of)
        else:  # where rows take passes, all tables cost the same: a place in the next pass
            self.tables = Recent(memory, lambda cells: cells.nbytes, budget)
        self.counts: Recent[int, Cells] = Recent(counts_memory, lambda cells: cells.nbytes, budget)
        self._batches: Recent[tuple[int, bytes, bytes], _CountedBatch]
        self._batches = Recent(memory, lambda batch: batch.counts.nbytes, budget)
        self.triangles: Recent[int, CellTriangles] = Recent(triangles_memory, lambda made: made.nbytes, budget)

    @property
    def nbytes(self) -> int:
        """Memory that everything takes."""
        return self.tables.used + self.counts.used + self._batches.used + self.triangles.used

    def release(self) -> None:
        """Forget everything."""
        for kept in (self.tables, self.counts, self._batches, self.triangles):
            kept.release()

    def keep(self, cells: Cells) -> None:
        """Keep a table, or counts."""
        (self.tables if cells.columns else self.counts).remember(bits_of(cells.variables), cells)

    def find(self, request: Request) -> Cells | None:
        """Return the table that was asked for, with at least these columns."""
        bits = bits_of(request.variables)
        cells = self.tables.recall(bits)
        if cells is not None and (request.columns in ((), cells.columns) or set(request.columns) <= set(cells.columns)):
            return cells
        return None if request.columns else self.counts.recall(bits)

    def find_larger(self, request: Request, worth_rolling_up: Callable[[Cells], bool]) -> Cells | None:
        """Return the smallest table of more variables, with at least these columns, that is worth rolling up."""
        bits, columns = bits_of(request.variables), set(request.columns)
        larger = [
            cells
            for other, cells in self._all(counts=not columns)
            if other & bits == bits and worth_rolling_up(cells) and columns <= set(cells.columns)
        ]
        return min(larger, key=lambda cells: len(cells.keys), default=None)

    def _all(self, counts: bool) -> Iterator[tuple[int, Cells]]:
        yield from self.tables.items()
        if counts:
            yield from self.counts.items()

    def has_table(self, variables: Variables) -> bool:
        """Whether there is a table of these variables, with whatever columns."""
        return bits_of(variables) in self.tables

    def keys_of(self, variables: Variables) -> Ints64 | None:
        """Observed configurations, if they are known without reading."""
        bits = bits_of(variables)
        known = self.counts.recall(bits) or self.tables.recall(bits)
        return None if known is None else known.keys

    def find_batch(self, sets: SetBatch) -> Counts | None:
        """Return the counts of a batch that was counted before."""
        known = self._batches.recall(_key(sets))
        return None if known is None else known.counts

    def keep_batch(self, sets: SetBatch, counts: Counts) -> None:
        """Keep the counts of a batch."""
        self._batches.remember(_key(sets), _CountedBatch(sets, counts))

    def find_in_batches(self, variables: Variables) -> Cells | None:
        """Return the counts of a set that stands in a batch, and keep them."""
        d = len(variables)
        for (node, members, sizes), counts in self._batches.values():
            if node in variables and members.shape[1] >= d:
                at = np.flatnonzero((sizes == d) & (members[:, :d] == variables).all(axis=1))
                if len(at):
                    cells = cells_of(self.schema, variables, counts, int(at[0]))
                    self.keep(cells)
                    return cells
        return None

    def find_triangles(self, request: TriangleRequest) -> CellTriangles | None:
        """Return the triangles of some cells, with at least these columns."""
        known = self.triangles.recall(bits_of(request.variables))
        return known.take(request.keys) if known is not None and self.has_cells(request) else None

    def has_cells(self, request: TriangleRequest) -> bool:
        """Whether there are the triangles of some cells, with at least these columns."""
        known = self.triangles.get(bits_of(request.variables))
        if known is None or request.as_one or not set(request.columns) <= set(known.columns):
            return False
        at = np.minimum(np.searchsorted(known.keys, request.keys), len(known.keys) - 1)
        return np.array_equal(known.keys[at], request.keys)

    def known_triangles(self, request: TriangleRequest) -> CellTriangles | None:
        """Return triangles with just the columns asked for, of whatever cells of the same variables."""
        known = self.triangles.recall(bits_of(request.variables))
        return known if known is not None and known.columns == request.columns else None

    def has_triangles(self, variables: Variables) -> bool:
        """Whether there are triangles of cells of these variables."""
        return bits_of(variables) in self.triangles

    def has_triangles_within(self, variables: Variables) -> bool:
        """Whether there are triangles of cells of some of these variables, or of all rows as one cell."""
        bits = bits_of(variables)
        return any(other & bits == other for other in self.triangles)

    def keep_triangles(self, triangles: CellTriangles) -> None:
        """Keep triangles in place of those of the same variables."""
        self.triangles.remember(bits_of(triangles.variables), triangles)


def _key(sets: SetBatch) -> tuple[int, bytes, bytes]:
    return sets.node, sets.members.tobytes(), sets.sizes.tobytes()
