"""Store: answers requests for Cells from what it has, by rolling up, or by reading the rows once for a batch."""

import functools
import operator
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64
from bnjit._simd import SIMD_WIDTH
from bnjit.data import Table
from bnjit.data.column import check_continuous
from bnjit.data.table import Schema
from bnjit.errors import StatisticsError
from bnjit.kernels.rules import TOLERANCE
from bnjit.stats.cells import MAX_CONFIGURATIONS, Cells, roll_up
from bnjit.stats.collapse import collapse
from bnjit.stats.collect import Membership, Scratch, collect_batch, collect_cells, membership, ranked
from bnjit.stats.counting import Counts, Rows, all_rows, cells_of, count_batch, count_cells
from bnjit.stats.triangles import CellTriangles, add_rows, no_triangles

MEMORY = 1 << 25  # bytes for Cells at the least, or this share of what the table takes:
SHARE = 0.4
COUNTS, MEMBERS = 0.15, 0.25  # shares of that for counts alone, and for the cells that rows belong to
SMALL = 1 << 23  # counting so many codes is faster than looking for a table to roll up
COLLAPSE = 64  # sets whose counting costs about as much as collapsing equal rows
LARGER = 1 << 12  # cells that a table may have beyond what was asked, to be rolled up later,
ROWS_PER_CELL = 64  # and rows that there must be for each
WIDEN = 1 << 10  # cells up to which a table is given all columns when it is asked for more of them a second time
TOGETHER = 8  # tables that are filled at a time
ROLL_UP = 4  # rolling up pays while the larger table has this many times fewer cells than there are rows

K = TypeVar("K")
T = TypeVar("T")
Plan = dict[tuple[int, ...], tuple[int, ...]]  # columns by variables
Indices = NDArray[np.intp]
Compute = Callable[[Table, Membership], Floats]


def mask_of(variables: tuple[int, ...]) -> int:
    """Variables as bits, the key of all that is kept about them."""
    return sum(1 << v for v in variables)


class Request(NamedTuple):
    """Cells of some discrete variables with some continuous columns, both ascending; no columns: counts alone."""

    variables: tuple[int, ...]
    columns: tuple[int, ...] = ()


def requests_of(members: Ints32, sizes: Ints64) -> list[Request]:
    """Counts of a batch of sets, one by one: members : int32[b, d], ascending and then anything; sizes : int64[b]."""
    return [Request(tuple(row[:size])) for row, size in zip(members.tolist(), sizes.tolist(), strict=True)]


class Recent(OrderedDict[K, T]):
    """The most recently used values, as many as fit in some memory."""

    def __init__(self, memory: int, size: Callable[[T], int]) -> None:
        super().__init__()
        self.memory, self.size, self.used = memory, size, 0

    def recall(self, key: K) -> T | None:
        """Return a value, if it is still there."""
        if key not in self:
            return None
        self.move_to_end(key)
        return self[key]

    def remember(self, key: K, value: T) -> None:
        """Keep a value, and forget those used longest ago if memory runs out."""
        if key in self:
            self.used -= self.size(self.pop(key))
        self[key] = value
        self.used += self.size(value)
        while self.used > self.memory and len(self) > 1:
            self.used -= self.size(self.popitem(last=False)[1])


class _Batch(NamedTuple):
    """Sets that were counted together: members : int32[b, d], sizes : int64[b], and their counts."""

    members: Ints32
    sizes: Ints64
    counts: Counts


class Store:
    """Cells of one table, kept while memory lasts.

    Making a store reads the continuous columns once, for the Cells of the empty set, and checks them on the way.

    Parameters
    ----------
    table : Table
        The rows.
    memory : int, optional
        Bytes of Cells to keep, and about half of it for the cells that rows belong to; by default in proportion to the
        table.
    constants : bool
        Whether continuous columns may be constant, as test rows may.

    One Python thread at a time may use a store; the kernels inside use all threads they may.
    """

    in_chunks = False  # whether reading rows is so dear that it pays to say beforehand what is wanted

    def __init__(self, table: Table, memory: int | None = None, constants: bool = False) -> None:
        self._start(table, max(MEMORY, int(SHARE * table.nbytes)) if memory is None else memory)
        self._rows, self._sets_counted = all_rows(table), 0
        self._counts: Recent[tuple[int, bytes, bytes], _Batch] = Recent(self.memory, lambda batch: batch.counts.nbytes)
        self._members: Recent[int, Membership] = Recent(
            int(MEMBERS * self.memory), lambda found: found.ids.nbytes + found.keys.nbytes
        )
        for i, j in enumerate(table.continuous):
            variance = self.whole.crosses[0, i * (i + 3) // 2] / max(1, self.n - 1)
            values = table.columns[j].values
            tolerance = 0.0 if constants or table.constants else TOLERANCE
            check_continuous(table.names[j], values, float(self.whole.means[0, i]), float(variance), tolerance)

    def _start(self, table: Schema, memory: int) -> None:
        self.table: Any = table  # in memory; what comes in chunks has a store of its own kind
        self.n, self.memory = table.n, memory
        self._cells: Recent[int, Cells] = Recent(memory, lambda cells: cells.nbytes)
        self._tallies: Recent[int, Cells] = Recent(int(COUNTS * memory), lambda cells: cells.nbytes)
        self._scratch = Scratch()
        self._discrete: Store | None = None  # another store of the same discrete columns, which counts for this one

    @functools.cached_property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return collect_cells(self.table, self.table.continuous, self.members(()))

    def replaced(self, j: int, variables: tuple[int, ...], columns: tuple[int, ...], compute: Compute) -> "Store":
        """Return a store of the table with other values in continuous column j; what is discrete is shared.

        They are computed from columns of the rows and the cells of `variables` that these are in.
        """
        other = object.__new__(Store)
        other._start(self.table.replaced(j, compute(self.table, self.members(variables))), self.memory // 3)
        other._members, other._scratch, other._discrete = self._members, self._scratch, self._discrete or self
        return other

    def _cells_of_rows(self, variables: tuple[int, ...]) -> Membership:
        """Return how to find the cell of a row, without a list of them all where that can be spared."""
        if not variables:
            return self.members(variables)
        (counted,) = self.get([Request(variables)])
        return ranked(self.table, variables, counted.keys) or self.members(variables)

    def holds(self, m: int, c: int) -> bool:
        """Whether a table of m cells and c columns takes only a part of the memory."""
        return 8 * m * c * (c + 3) // 2 <= self.memory // 4

    def members(self, variables: tuple[int, ...]) -> Membership:
        """Return the cell of every row."""
        found = self._members.recall(mask_of(variables))
        if found is None:
            found = membership(self.table, variables)
            self._members.remember(mask_of(variables), found)
        return found

    def _to_count(self, sets: int) -> Rows:
        """Rows to count some more sets in; collapsed once so many were counted that it is worth trying."""
        before, self._sets_counted = self._sets_counted, self._sets_counted + sets
        if before < COLLAPSE <= self._sets_counted:
            self._rows = collapse(self.table) or self._rows
        return self._rows

    def count(self, node: int, members: Ints32, sizes: Ints64) -> Counts:
        """Counts for a batch of sets of discrete variables, all with `node`, as a search asks again and again.

        members : int32[b, d], ascending in each set and then anything; sizes : int64[b]
        """
        key = node, members.tobytes(), sizes.tobytes()
        batch = self._counts.recall(key)
        if batch is None:
            batch = _Batch(members, sizes, count_batch(self.table, members, sizes, self._to_count(len(sizes))))
            self._counts.remember(key, batch)
        return batch.counts

    def _counted_for(self, variables: tuple[int, ...]) -> Cells | None:
        """Return the counts of a set that stands in a batch."""
        d = len(variables)
        for key, (members, sizes, counts) in self._counts.items():
            if key[0] in variables and members.shape[1] >= d:
                at = np.flatnonzero((sizes == d) & (members[:, :d] == variables).all(axis=1))
                if len(at):
                    return cells_of(self.table, variables, counts, int(at[0]))
        return None

    def rows(self, variables: tuple[int, ...], cells: Indices) -> tuple[Table, Membership, Indices]:
        """Return a table that has all rows of some cells, the cells of its rows, and which of these are meant."""
        return self.table, self._cells_of_rows(variables), cells

    def at_hand(self, variables: tuple[int, ...], cells: Indices) -> bool:
        """Whether the rows of some cells are in memory, or few enough to be brought there."""
        return True

    def triangles(self, variables: tuple[int, ...], cells: Indices, columns: tuple[int, ...]) -> CellTriangles:
        """Triangles of some cells with at least these columns."""
        (counted,) = self.get([Request(variables)])
        out = no_triangles(variables, counted.keys[cells], columns)
        add_rows(self.table, out)
        return out

    def get(self, requests: Sequence[Request]) -> list[Cells]:
        """Cells for a batch of requests, each with at least the columns asked for; rows are read once for all."""
        answers: dict[Request, Cells] = {}
        to_count: list[tuple[int, ...]] = []
        to_collect: list[Request] = []
        for request in dict.fromkeys(requests):
            if self.table.configurations(request.variables) > MAX_CONFIGURATIONS:
                raise StatisticsError(
                    f"{len(request.variables)} discrete columns have more than 2^62 configurations; ask for fewer"
                )
            if self._discrete is not None and not request.columns:
                (answers[request],) = self._discrete.get([request])
                continue
            answer = self._known(request)
            if answer is not None:
                answers[request] = answer
            elif request.columns:
                to_collect.append(request)
            else:
                to_count.append(request.variables)
        if to_count or to_collect:
            answers.update(self._read(to_count, to_collect))
        return [answers[request] for request in requests]

    def _read(self, to_count: list[tuple[int, ...]], to_collect: list[Request]) -> dict[Request, Cells]:
        """Read the rows for what is not known."""
        answers: dict[Request, Cells] = {}
        if to_count:
            for variables, cells in zip(
                to_count, count_cells(self.table, to_count, self._to_count(len(to_count))), strict=True
            ):
                answers[Request(variables)] = cells
                self._remember(cells)
        if to_collect:
            plan, source = self._plan(to_collect)
            tables: dict[tuple[int, ...], Cells] = {}
            for first in range(0, len(plan), TOGETHER):
                jobs = list(plan.items())[first : first + TOGETHER]
                asked = [(columns, self._cells_of_rows(variables)) for variables, columns in jobs]
                made = collect_batch(self.table, asked, self._scratch)
                for (variables, _), cells in zip(jobs, made, strict=True):
                    tables[variables] = cells
                    self._remember(cells)
            answers.update(self._rolled(source, tables))
        return answers

    def _rolled(
        self, source: dict[Request, tuple[int, ...]], tables: dict[tuple[int, ...], Cells]
    ) -> dict[Request, Cells]:
        """Answers from the tables that were made for them."""
        answers = {}
        for request, variables in source.items():
            cells = tables[variables]
            if variables != request.variables:
                cells = roll_up(cells, request.variables)
                self._remember(cells)
            answers[request] = cells
        return answers

    def _plan(self, requests: list[Request]) -> tuple[Plan, dict[Request, tuple[int, ...]]]:
        """Tables to make for requests and for what may be asked next, with their columns; and which is for which."""
        plan: Plan = {}
        source = {}
        for request in requests:
            mask, wide = mask_of(request.variables), request.columns == self.table.continuous
            covering = (s for s in plan if wide and mask_of(s) & mask == mask and plan[s] == request.columns)
            source[request] = next(covering, ()) or self._larger(request, list(plan))
            columns = {*request.columns, *plan.get(source[request], ())}
            # Columns that are there already are kept if that costs nothing, so that requests do not take turns.
            before = self._cells.recall(mask_of(source[request]))
            both = columns.union(before.columns if before else ())
            if before and self._worth_widening(before):
                both = columns = set(self.table.continuous)
            plan[source[request]] = tuple(
                sorted(both if len(both) <= -(-len(columns) // SIMD_WIDTH) * SIMD_WIDTH else columns)
            )
        return plan, source

    def _worth_widening(self, cells: Cells) -> bool:
        """Whether a table gets all columns when it is asked for more: who widens a small one twice will do so again."""
        m, c = len(cells.keys), len(self.table.continuous)
        return len(cells.columns) > 1 and m <= WIDEN and self._discrete is None and self.holds(m, c)

    def _larger(self, request: Request, planned: list[tuple[int, ...]]) -> tuple[int, ...]:
        """Variables with others beside them whose cells are few: one table for all subsets, which a search asks next.

        Others come first that stand in no table yet with most of those chosen, then those with few levels.
        """
        limit = self._most_cells()
        wide = [mask for mask, cells in self._cells.items() if cells.columns == self.table.continuous]
        wide += [mask_of(variables) for variables in planned]
        chosen = set(request.variables)
        while request.columns == self.table.continuous:
            beside = [functools.reduce(operator.or_, (mask for mask in wide if mask >> u & 1), 0) for u in chosen]
            room = limit // self.table.configurations(chosen)
            others = []
            for v, levels in enumerate(self.table.levels):
                if 1 < levels <= room and v not in chosen:
                    new = sum(not known >> v & 1 for known in beside)
                    others.append((-new, levels, v))
            if not others or min(others)[0] == 0:
                break
            chosen.add(min(others)[2])
        return tuple(sorted(chosen))

    def _most_cells(self) -> int:
        """Cells that a table may have to be made in place of a smaller one."""
        return min(LARGER, self.n // ROWS_PER_CELL)

    def _quick_to_count(self, request: Request) -> bool:
        return self._rows.columns.n * len(request.variables) < SMALL

    def _worth_rolling_up(self, cells: Cells) -> bool:
        return len(cells.keys) * ROLL_UP < self.n

    def _remember(self, cells: Cells) -> None:
        (self._cells if cells.columns else self._tallies).remember(mask_of(cells.variables), cells)

    def _known(self, request: Request) -> Cells | None:
        """Return an answer that needs no row, if there is one."""
        if not request.variables:
            return self.whole
        mask = mask_of(request.variables)
        cells = self._cells.recall(mask)
        if cells is not None and set(request.columns) <= set(cells.columns):
            return cells
        if not request.columns:
            counted = self._tallies.recall(mask) or self._counted_for(request.variables)
            if counted is not None:
                self._remember(counted)
            if counted is not None or self._quick_to_count(request):
                return counted
        columns = set(request.columns)
        kept = [*self._cells.items(), *(() if columns else self._tallies.items())]
        larger = [
            cells
            for larger_mask, cells in kept
            if larger_mask & mask == mask and self._worth_rolling_up(cells) and columns <= set(cells.columns)
        ]
        if not larger:
            return None
        smallest = min(larger, key=lambda cells: len(cells.keys))
        rolled = roll_up(smallest.narrow(request.columns), request.variables)
        if cells is None or not request.columns:
            self._remember(rolled)
        return rolled
