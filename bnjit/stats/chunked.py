"""Cells of rows that come in chunks: what many stores want of them is collected in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.data import Column, Table
from bnjit.data.column import check_continuous
from bnjit.data.source import Replaced, Root, Source
from bnjit.errors import DataError, StatisticsError
from bnjit.kernels.rules import TOLERANCE
from bnjit.stats.cells import Cells
from bnjit.stats.collect import Membership, membership
from bnjit.stats.distant import DistantStore
from bnjit.stats.passes import ROWS_PER_KNOWN_CELL, Collected, Collection, Extremes, FirstLook, Limits, Wanted, Whole
from bnjit.stats.store import ROWS_PER_CELL, Compute, Indices, Plan, Recent, Request, Store, mask_of
from bnjit.stats.triangles import FEW_COLUMNS, CellTriangles, joined

LARGER = 1 << 13  # cells that a table may have beyond what was asked: a pass costs more than rows in memory
MANY_CELLS = 1 << 20  # that a table may have, for all we know
# Parts of the memory for Cells (and as much for counts alone, and for triangles), and for rows that are fitted again.
CELLS_SHARE, ROWS_SHARE = 8, 8


class Want(NamedTuple):
    """What somebody is going to ask a store for."""

    store: Store
    requests: Sequence[Request] = ()
    rows: Sequence[tuple[tuple[int, ...], Indices, tuple[int, ...]]] = ()  # discrete variables, cells, columns


class Gathered(NamedTuple):
    """Rows of some cells, brought to memory."""

    wanted: Wanted
    table: Table


class ChunkedStore(DistantStore):
    """Cells of a source whose rows come in chunks.

    Parameters
    ----------
    source : Source
        The rows.
    memory : int
        Bytes for everything: chunks, Cells, and rows that are brought to memory.
    constants : bool
        Whether continuous columns may be constant, as test rows may.
    """

    in_chunks = True

    def __init__(self, source: Source, memory: int, constants: bool = False) -> None:
        self._open(source, memory)
        self._check(constants or source.constants)

    def _open(self, source: Source, memory: int) -> None:
        self._start(source, memory // CELLS_SHARE)
        self.all_memory = memory
        self._gathered: Recent[int, Gathered] = Recent(memory // ROWS_SHARE, lambda rows: rows.table.nbytes)
        self._triangles: Recent[int, CellTriangles] = Recent(self.memory, lambda t: t.triangles.R.nbytes)

    def _check(self, constants: bool) -> None:
        """Raise for continuous columns that cannot be modelled; only doubtful ones are read again."""
        names = self.table.names
        for i, j in enumerate(self.table.continuous):
            mean = float(self.whole.means[0, i])
            variance = float(self.whole.crosses[0, i * (i + 3) // 2]) / max(1, self.n - 1)
            limits = np.array([mean, mean + 1.0])
            if not variance > max(TOLERANCE, 1e-12 * abs(mean)) ** 2:
                limits = self._limits(j)
            check_continuous(names[j], limits, mean, variance, 0.0 if constants else TOLERANCE)

    def _limits(self, j: int) -> Floats:
        """Least and greatest value of a column."""
        (limits,) = self.table.root.run_pass([Extremes(self.table.steps, j)], self.table.requires([j]))
        assert isinstance(limits, Limits)
        return limits.values

    @property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        if self.table.whole is None:
            fetch([Want(self, [Request((), self.table.continuous)])])
        return self.table.whole

    def replaced(
        self, j: int, variables: tuple[int, ...], columns: tuple[int, ...], compute: Compute
    ) -> "ChunkedStore":
        """Return a store of the same rows with other values in column j, computed chunk by chunk."""
        other = object.__new__(ChunkedStore)
        values = _ByCells(variables, compute)
        other._open(Replaced(self.table, j, (*variables, *columns), values), self.all_memory // 2)
        other._scratch, other._discrete = self._scratch, self._discrete or self
        return other

    def members(self, variables: tuple[int, ...]) -> Membership:
        """Refuse: there is no list of all rows."""
        raise StatisticsError("rows that come in chunks have no list of the cells that they are in")

    def rows(self, variables: tuple[int, ...], cells: Indices) -> tuple[Table, Membership, Indices]:
        """Return a table that has all rows of some cells, the cells of its rows, and which of these are meant."""
        wanted = self.wanted(variables, cells)
        found = self._find_rows(wanted)
        if found is None:
            fetch([Want(self, rows=[(variables, cells, ())])])
            found = self._find_rows(wanted)
            assert found is not None
        there = membership(found.table, variables)
        return found.table, there, np.searchsorted(there.keys, wanted.keys)

    def at_hand(self, variables: tuple[int, ...], cells: Indices) -> bool:
        """Whether the rows of some cells are in memory, or few enough to be brought there."""
        return self._few(self.wanted(variables, cells))

    def _few(self, wanted: Wanted) -> bool:
        if not self.table.root.brings_rows:
            return False
        if self._find_rows(wanted) is not None:
            return True
        (counted,) = self.get([Request(wanted.variables)])
        rows = int(counted.counts[np.searchsorted(counted.keys, wanted.keys)].sum())
        return rows * self.width <= self._gathered.memory // 2

    @property
    def width(self) -> int:
        """Bytes of a row in memory."""
        return self.table.nbytes // max(1, self.n)

    def triangles(self, variables: tuple[int, ...], cells: Indices, columns: tuple[int, ...]) -> CellTriangles:
        """Triangles of some cells with at least these columns, kept for those who ask next."""
        wanted = self.wanted(variables, cells, columns)
        found = self._find_triangles(wanted)
        if found is None:
            fetch([Want(self, rows=[(variables, cells, columns)])])
            found = self._find_triangles(wanted)
            assert found is not None
        return found.take(wanted.keys)

    def _find_triangles(self, wanted: Wanted) -> CellTriangles | None:
        known = self._triangles.recall(mask_of(wanted.variables))
        enough = known is not None and set(wanted.columns) <= set(known.columns)
        return known if enough and known is not None and np.isin(wanted.keys, known.keys).all() else None

    def wanted(self, variables: tuple[int, ...], cells: Indices, columns: tuple[int, ...] = ()) -> Wanted:
        """Keys of cells by their numbers; columns, or all of them if they are few."""
        (counted,) = self.get([Request(variables)])
        few = len(self.table.continuous) <= FEW_COLUMNS
        return Wanted(variables, np.sort(counted.keys[cells]), self.table.continuous if few else columns)

    def _find_rows(self, wanted: Wanted) -> Gathered | None:
        for mask, gathered in self._gathered.items():
            if self.covers(gathered.wanted, wanted):
                self._gathered.move_to_end(mask)
                return gathered
        return None

    def covers(self, larger: Wanted, smaller: Wanted) -> bool:
        """Whether the rows of some cells are all among those of others."""
        if not set(larger.variables) <= set(smaller.variables):
            return False
        keys = np.zeros(len(smaller.keys), np.int64)
        for v in larger.variables:
            after = self.table.configurations(u for u in smaller.variables if u > v)
            keys = keys * self.table.levels[v] + smaller.keys // after % self.table.levels[v]
        return bool(np.isin(keys, larger.keys).all())

    def _most_cells(self) -> int:
        return min(LARGER, self.n // ROWS_PER_CELL)

    def _known(self, request: Request) -> Cells | None:
        if not request.variables:
            return self.table.whole
        return super()._known(request)

    def _read(self, to_count: list[tuple[int, ...]], to_collect: list[Request]) -> dict[Request, Cells]:
        requests = [*map(Request, to_count), *to_collect]
        return fetch([Want(self, requests)])[id(self)]

    def job(self, requests: Sequence[Request], rows: Sequence[Wanted]) -> "_Asked | None":
        """Return what must be read to answer requests, if anything."""
        unknown = [request for request in dict.fromkeys(requests) if self._known(request) is None]
        few = [self._few(wanted) for wanted in rows]
        gather = self._to_gather([w for w, here in zip(rows, few, strict=True) if here and self._find_rows(w) is None])
        reflect = self._to_reflect(
            [w for w, here in zip(rows, few, strict=True) if not here and self._find_triangles(w) is None]
        )
        if not unknown and not gather and not reflect:
            return None
        to_collect = [request for request in unknown if request.columns or not request.variables]
        plan, source = self._plan([r for r in to_collect if r.variables])
        for request in to_collect:
            if not request.variables:
                plan[()], source[request] = self.table.continuous, ()
        to_count = [request.variables for request in unknown if request.variables and not request.columns]
        job = Collection(self.table.steps, to_count, plan, self._known_keys(plan), gather, reflect)
        return _Asked(self, job, source)

    def _known_keys(self, plan: Plan) -> dict[tuple[int, ...], Ints64]:
        """Observed configurations of sets of a plan, where they are known and few enough for a chunk."""
        most = self.table.root.most_rows // ROWS_PER_KNOWN_CELL
        found = {variables: self.keys_of(variables) for variables in plan}
        return {variables: keys for variables, keys in found.items() if keys is not None and len(keys) <= most}

    def _to_reflect(self, rows: Sequence[Wanted]) -> list[Wanted]:
        """Triangles to make for cells wanted: of those that are not there yet."""
        made: dict[tuple[int, ...], Wanted] = {}
        for wanted in rows:
            before = made.get(wanted.variables, wanted)
            columns = tuple(sorted({*before.columns, *wanted.columns}))
            made[wanted.variables] = Wanted(wanted.variables, np.union1d(before.keys, wanted.keys), columns)
        todo = []
        for wanted in made.values():
            known = self._triangles.recall(mask_of(wanted.variables))
            keys = wanted.keys
            if known is not None and known.columns == wanted.columns:
                keys = np.setdiff1d(keys, known.keys)
            todo.append(wanted._replace(keys=keys))
        return todo

    def _to_gather(self, rows: Sequence[Wanted]) -> list[Wanted]:
        """Cells whose rows cover those of all cells wanted; those that are there of the same variables stay."""
        keys: dict[tuple[int, ...], Ints64] = {}
        for wanted in rows:
            before = self._gathered.recall(mask_of(wanted.variables))
            known = keys.get(wanted.variables, wanted.keys)
            if before is not None and self._few(wanted._replace(keys=np.union1d(before.wanted.keys, wanted.keys))):
                known = np.union1d(before.wanted.keys, known)
            keys[wanted.variables] = np.union1d(known, wanted.keys)
        gather: list[Wanted] = []
        for wanted in sorted((Wanted(*item) for item in keys.items()), key=lambda wanted: len(wanted.variables)):
            if not any(self.covers(other, wanted) for other in gather):
                gather.append(wanted)
        return gather

    def keys_of(self, variables: tuple[int, ...]) -> Ints64 | None:
        """Observed configurations, if they are known without reading."""
        counts, mask = self._discrete or self, mask_of(variables)
        known = counts._tallies.recall(mask) or counts._cells.recall(mask)
        return None if known is None else known.keys

    def size(self, want: Want) -> int:
        """Bytes that what is wanted would take, about."""
        total = 0
        for request in want.requests:
            keys, c = self.keys_of(request.variables), len(request.columns)
            m = min(self.table.configurations(request.variables), MANY_CELLS) if keys is None else len(keys)
            total += 8 * m * (2 + c * (c + 5) // 2)
        for variables, cells, _ in want.rows:
            if self.at_hand(variables, cells):
                total += int(self.get([Request(variables)])[0].counts[cells].sum()) * self.width
        return total

    def keep(self, asked: "_Asked", found: Collected) -> dict[Request, Cells]:
        """Remember what a pass has found, and return the answers."""
        answers: dict[Request, Cells] = {}
        for variables in asked.job.to_count:
            answers[Request(variables)] = cells = found.total(variables, ())
            self._remember(cells)
        tables = {variables: found.total(variables, columns) for variables, columns in asked.job.plan.items()}
        for variables, cells in tables.items():
            if not variables:
                self.table.whole = cells
            else:
                self._remember(cells)
        answers.update(self._rolled(asked.source, tables))
        for wanted, parts in zip(asked.job.gather, found.rows, strict=True):
            self._gathered.remember(mask_of(wanted.variables), Gathered(wanted, _stacked(self.table, parts)))
        for made in found.triangles:
            known = self._triangles.recall(mask_of(made.variables))
            both = joined(known, made) if known is not None and known.columns == made.columns else made
            self._triangles.remember(mask_of(made.variables), both)
        return answers


class _Asked(NamedTuple):
    """What a store asks of a pass, and from which table each of its requests is answered."""

    store: ChunkedStore
    job: Collection
    source: dict[Request, tuple[int, ...]]

    def columns(self) -> set[int]:
        """Return the columns of the root that are needed."""
        rows: Source = self.store.table
        return rows.requires(range(len(rows.names)) if self.job.gather else self.job.columns())


@dataclass(frozen=True)
class _ByCells:
    """Computes values from rows and the cells that they are in; able to travel if `compute` is."""

    variables: tuple[int, ...]
    compute: Compute

    def __call__(self, table: Table) -> Floats:
        return self.compute(table, membership(table, self.variables))


def _stacked(source: Source, parts: list[Table]) -> Table:
    """Rows of tables one below the other."""
    columns = [
        Column(np.concatenate([part.columns[j].values for part in parts]), labels)
        for j, labels in enumerate(source.labels)
    ]
    return Table(source.names, columns, sum(part.n for part in parts))


def fetch(wants: Sequence[Want]) -> dict[int, dict[Request, Cells]]:
    """Read the rows once for all that is wanted of stores of the same rows; answers by store.

    What in-memory stores are asked for they read when they are asked.
    """
    asked: dict[int, tuple[ChunkedStore, list[Request], list[Wanted]]] = {}
    for want in wants:
        if not isinstance(want.store, ChunkedStore):
            continue
        for request in want.requests:
            store = want.store if request.columns else want.store._discrete or want.store
            assert isinstance(store, ChunkedStore)
            asked.setdefault(id(store), (store, [], []))[1].append(request)
        rows = [want.store.wanted(*cells) for cells in want.rows]
        asked.setdefault(id(want.store), (want.store, [], []))[2].extend(rows)
    passes: dict[int, list[_Asked]] = {}
    for store, requests, rows in asked.values():
        job = store.job(requests, rows)
        if job is not None:
            passes.setdefault(id(store.table.root), []).append(job)
    answers: dict[int, dict[Request, Cells]] = {}
    for together in passes.values():
        root: Root = together[0].store.table.root
        accumulators = root.run_pass([one.job for one in together], set().union(*(one.columns() for one in together)))
        for one, accumulator in zip(together, accumulators, strict=True):
            assert isinstance(accumulator, Collected)
            answers[id(one.store)] = one.store.keep(one, accumulator)
    return answers


def take_fitting(wants: Sequence[Sequence[Want]]) -> int:
    """How many of several lists of wants, from the first on, fit in memory together; at least one."""
    used: dict[int, int] = {}
    for number, some in enumerate(wants):
        for want in some:
            if isinstance(want.store, ChunkedStore):
                used[id(want.store)] = used.get(id(want.store), 0) + want.store.size(want)
                if used[id(want.store)] > want.store.memory and number:
                    return number
    return len(wants)


def look_at(source: Root) -> None:
    """Read a source for the first time: its levels, and the Cells of the empty set, checked chunk by chunk."""
    accumulator = source.first_pass(FirstLook())
    assert isinstance(accumulator, Whole)
    if accumulator.cells is None:
        raise DataError("data has 0 rows; give at least one")
    source.whole = accumulator.cells
