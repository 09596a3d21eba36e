"""Store: answers requests for statistics from what it keeps, by rolling up, or by having rows read once for a batch."""

import math
from collections.abc import Sequence

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.data.check import LEAST_DEVIATION, is_constant, warn_of_constants
from bnjit.errors import StatisticsError
from bnjit.stats.ahead import sets_to_count, triangles_ahead
from bnjit.stats.cache import CellCache
from bnjit.stats.cells import MAX_CONFIGURATIONS, Cells, roll_up, squares_of, table_bytes
from bnjit.stats.counting import Counts, counts_of
from bnjit.stats.planner import Planner
from bnjit.stats.readers import Compute, Reader, read_all
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, TriangleRequest, Variables
from bnjit.stats.triangles import CellTriangles, joined
from bnjit.stats.tuning import CHUNKED_TRIANGLES_PART, TRIANGLE_COLUMNS, TRIANGLES_PART, UNKNOWN_CELLS


class Store:
    """Statistics of one table, kept while memory lasts.

    One Python thread at a time may use a store; the kernels inside use all threads they may.

    Parameters
    ----------
    reader : Reader
        Where the rows are.
    counts : Store, optional
        A store of the same rows that counts for this one, whose continuous columns alone differ.

    Attributes
    ----------
    schema : Schema
        The columns.
    n : float
        Rows, or the sum of their weights.
    most_wide_cells : int
        Cells of a table with all continuous columns that takes only a part of the memory.
    """

    def __init__(self, reader: Reader, counts: "Store | None" = None) -> None:
        self.reader, self.schema, self.n, self.memory = reader, reader.schema, reader.n, reader.memory
        self._counts = counts
        widens = counts is None and reader.most_cells > 0
        kept, counted = (int(share * self.memory) for share in (reader.kept_share, reader.counts_share))
        part = CHUNKED_TRIANGLES_PART if self.in_passes else TRIANGLES_PART
        self.cache = CellCache(self.schema, kept, counted, self.memory // part, reader.budget)
        self.planner = Planner(self.schema, self.cache, self.memory, reader.most_cells, widens, self.in_passes)
        self.most_wide_cells = self.planner.most_cells_with(len(self.schema.continuous))
        self._whole: Cells | None = None

    @property
    def counts(self) -> "Store":
        """The store that counts; kept as no attribute, so that a store is freed as soon as nobody needs it."""
        return self if self._counts is None else self._counts

    @property
    def in_passes(self) -> bool:
        """Whether reading is a pass over rows that are not in memory, so that it pays to ask for much at a time."""
        return self.reader.in_passes

    @property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self.get([Request((), self.schema.continuous)])[0]

    def get(self, requests: Sequence[Request]) -> list[Cells]:
        """Cells for a batch of requests, each with at least the columns asked for; rows are read once for all."""
        return cells_for([(self, request) for request in requests])

    def owner(self, request: Request) -> "Store":
        """Return the store that answers: counts may come from another one of the same rows."""
        return self if request.columns or not request.variables else self.counts

    def count(self, batches: Sequence[SetBatch]) -> list[Counts]:
        """Counts of batches of sets of discrete variables, as a search asks for them again and again."""
        found = [self._count(sets) for sets in batches]
        if None not in found:
            return [counts for counts in found if counts is not None]
        lists = [sets.requests() for sets in batches]
        cells = iter(self.get([request for requests in lists for request in requests]))
        return [counts_of([next(cells) for _ in requests]) for requests in lists]

    def _count(self, sets: SetBatch) -> Counts | None:
        counts = self.cache.find_batch(sets)
        if counts is None:
            counts = self.reader.count_batch(sets)
            if counts is not None:
                self.cache.keep_batch(sets, counts)
        return counts

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> "Store":
        """Return a store of the same rows with other values in one continuous column; see Reader."""
        return Store(self.reader.replaced(column, variables, columns, compute), counts=self.counts)

    def scaled(self, scale: Floats) -> "Store":
        """Return a store of the same rows with columns multiplied by powers of two, float64[N]."""
        return Store(self.reader.scaled(scale))

    def most_cells_with(self, columns: int) -> int:
        """Cells of a table with so many columns that takes only a part of the memory."""
        return self.planner.most_cells_with(columns)

    def known(self, request: Request) -> Cells | None:
        """Return an answer that needs no row, if there is one."""
        if not request.variables:
            if self._whole is None:
                self._whole = self.reader.whole
            return self._whole
        cells = self.cache.find(request)
        if cells is not None:
            return cells
        if self.schema.configurations(request.variables) > MAX_CONFIGURATIONS:
            raise StatisticsError(
                f"{len(request.variables)} discrete columns have more than 2^62 configurations; ask for fewer"
            )
        if not request.columns:
            if self.reader.quick_to_count(request.variables):
                return None
            cells = self.cache.find_in_batches(request.variables)
            if cells is not None:
                return cells
        larger = self.cache.find_larger(request, self.reader.worth_rolling_up)
        if larger is None:
            return None
        rolled = roll_up(larger.narrow(request.columns), request.variables)
        if not request.columns or not self.cache.has_table(request.variables):
            self.cache.keep(rolled)
        return rolled

    def plan(self, requests: Sequence[Request]) -> tuple[Plan, dict[Request, Variables]]:
        """Plan what to read for requests that are not known, and which table answers each that has columns."""
        tables, source = self.planner.plan([request for request in requests if request.columns and request.variables])
        for request in requests:
            if not request.variables:
                tables[()], source[request] = self.schema.continuous, ()
        counts = [request.variables for request in requests if request.variables and not request.columns]
        keys, room = self._keys_of(tables), self.reader.ahead_memory
        if counts and room:
            sets = sets_to_count(self.schema.levels, self.n, room)
            counts = list(dict.fromkeys([*counts, *(s for s in sets if self.known(Request(s)) is None)]))
        return Plan(counts, tables, keys, triangles_ahead(self.cache, self.n, room, tables, keys)), source

    def plan_triangles(self, requests: Sequence[TriangleRequest]) -> Plan:
        """Plan to make triangles; where that takes a pass the reader knows all cells, and may make those of others."""
        keys = self._keys_of([one.variables for one in requests if not one.as_one]) if self.in_passes else {}
        return Plan(triangles=requests, keys=keys)

    def _keys_of(self, tables: Sequence[Variables] | dict[Variables, Columns]) -> dict[Variables, Ints64]:
        """Observed configurations; where counting takes a pass, those that are known."""
        sets = [variables for variables in tables if variables]
        if self.in_passes:
            known = {variables: self.counts.known(Request(variables)) for variables in sets}
            return {variables: cells.keys for variables, cells in known.items() if cells is not None}
        counted = self.counts.get([Request(variables) for variables in sets])
        return {cells.variables: cells.keys for cells in counted}

    def keep(self, plan: Plan, source: dict[Request, Variables], found: Findings) -> dict[Request, Cells]:
        """Keep what was read, and return the answers."""
        answers: dict[Request, Cells] = {}
        for variables, cells in zip(plan.counts, found.counts, strict=True):
            answers[Request(variables)] = cells
            self.cache.keep(cells)
        for variables, cells in found.tables.items():
            if variables:
                self.cache.keep(cells)
            else:
                self._whole = cells
        for made in found.triangles:
            self.cache.keep_triangles(made)
        for request, variables in source.items():
            cells = found.tables[variables]
            if variables != request.variables:
                cells = roll_up(cells, request.variables)
                self.cache.keep(cells)
            answers[request] = cells
        return answers

    def made_from(self, request: Request) -> tuple["Store", Request]:
        """Return the store, and what is asked of it, that an answer is made from: this one, or one of more rows."""
        if not request.variables:
            request = Request((), self.schema.continuous)  # which one cell has, whatever is asked for
        below = self.reader.made_from(request)
        return (self.owner(request), request) if below is None else below

    def size(self, request: Request, cells: int | None = None) -> int:
        """Bytes that an answer would take, about; cells : how many it has, if the caller knows that."""
        if cells is None:
            keys = self.counts.cache.keys_of(request.variables)
            declared, table = self.schema.configurations(request.variables), self.reader.table
            rows = round(self.n) if table is None else table.n  # n may be a sum of weights
            cells = min(declared, UNKNOWN_CELLS, rows) if keys is None else len(keys)
        return table_bytes(cells, len(request.columns))

    def widened(self, request: TriangleRequest) -> TriangleRequest:
        """Ask for all columns, if they are few and reading takes a pass, or if cells of these variables come again.

        Cells with fewer rows than columns have triangles that are larger than their rows.
        """
        c = len(self.schema.continuous)
        few = c <= TRIANGLE_COLUMNS and self.reader.has_rows and request.rows >= c * len(request.keys)
        if few and (self.in_passes or self.cache.has_triangles(request.variables)):
            return request._replace(columns=self.schema.continuous)
        return request


def cells_for(asked: Sequence[tuple[Store, Request]]) -> list[Cells]:
    """Cells for requests to several stores; those whose rows come in passes are read together."""
    owned = [(store.owner(request), request) for store, request in asked]
    answers: dict[tuple[Store, Request], Cells] = {}
    waiting: dict[Store, list[Request]] = {}
    for store, request in dict.fromkeys(owned):
        found = store.known(request)
        if found is None:
            waiting.setdefault(store, []).append(request)
        else:
            answers[store, request] = found
    if waiting:
        answers.update(_read(waiting))
    return [answers[key] for key in owned]


def _read(asked: dict[Store, list[Request]]) -> dict[tuple[Store, Request], Cells]:
    """Have rows read for what is not known."""
    plans = [(store, *store.plan(requests)) for store, requests in asked.items()]
    found = read_all([(store.reader, plan) for store, plan, _ in plans])
    return {
        (store, request): cells
        for (store, plan, source), findings in zip(plans, found, strict=True)
        for request, cells in store.keep(plan, source, findings).items()
    }


def triangles_for(asked: Sequence[tuple[Store, TriangleRequest]], last: bool = False) -> list[CellTriangles]:
    """Triangles for requests to several stores, each with at least the columns asked for, in the order of its keys.

    last : whether nothing will be asked of these stores any more, so that no column is read ahead
    """
    if not asked:
        return []
    known = [store.cache.find_triangles(request) for store, request in asked]
    waiting: dict[tuple[Store, Variables], TriangleRequest] = {}
    alone = [(store, request) for store, request in asked if request.as_one]
    for (store, request), found in zip(asked, known, strict=True):
        if found is None and not request.as_one:
            wide = request if last else store.widened(request)
            before = waiting.get((store, request.variables))
            waiting[store, request.variables] = wide if before is None else before.with_cells_of(wide)
    kept = _complete_triangles(waiting)
    rest = iter(_read_triangles(alone))
    return [
        next(rest) if request.as_one else found or kept[store, request.variables].take(request.keys)
        for (store, request), found in zip(asked, known, strict=True)
    ]


def _complete_triangles(
    asked: dict[tuple[Store, Variables], TriangleRequest],
) -> dict[tuple[Store, Variables], CellTriangles]:
    """Triangles of all cells asked for, of which those that are not kept are made, and keep them."""
    before = {key: key[0].cache.known_triangles(request) for key, request in asked.items()}
    missing = []
    for (store, _), request, known in zip(asked, asked.values(), before.values(), strict=True):
        keys = request.keys if known is None else np.setdiff1d(request.keys, known.keys)
        missing.append((store, request._replace(keys=keys)))
    found = {}
    for (key, known), made in zip(before.items(), _read_triangles(missing), strict=True):
        found[key] = made if known is None else joined(known, made)
        key[0].cache.keep_triangles(found[key])
    return found


def _read_triangles(asked: Sequence[tuple[Store, TriangleRequest]]) -> list[CellTriangles]:
    """Have rows read for triangles, in the order asked."""
    by_store: dict[Store, list[int]] = {}
    for i, (store, _) in enumerate(asked):
        by_store.setdefault(store, []).append(i)
    found = read_all([(s.reader, s.plan_triangles([asked[i][1] for i in at])) for s, at in by_store.items()])
    made: dict[int, CellTriangles] = {}
    for at, findings in zip(by_store.values(), found, strict=True):
        made.update(zip(at, findings.triangles, strict=True))
    return [made[i] for i in range(len(asked))]


def fitting(asked: Sequence[Sequence[tuple[Store, Request]]], share: float = 1.0) -> int:
    """How many of several lists of requests, from the first on, fit in a share of the memory together; at least one."""
    used: dict[Store, int] = {}
    seen: set[tuple[Store, Request]] = set()
    for number, some in enumerate(asked):
        for store, request in (store.made_from(request) for store, request in some):
            whole = store.reader.base or store  # whose memory it is
            if (store, request) not in seen:
                seen.add((store, request))
                used[whole] = used.get(whole, 0) + store.size(request)
            if used[whole] > share * whole.memory and number:
                return number
    return len(asked)


def fits_in_memory(asked: Sequence[tuple[Store, Request]]) -> bool:
    """Whether the answers to all requests fit in memory together."""
    return fitting([(), asked]) == 2


def check_columns(store: Store, constants: bool) -> None:
    """Raise for continuous columns that cannot be modelled, and warn of constant ones; only doubtful ones are read.

    constants : whether columns may be constant without a word, as test rows may be
    """
    whole, schema = store.whole, store.schema
    if schema.scale is not None:
        whole = whole.scaled(1.0 / schema.scale)
    constant = []
    for i, j in enumerate(schema.continuous):
        mean, square = float(whole.means[0, i]), float(whole.crosses[0, i * (i + 3) // 2])
        variance = square / max(1, store.n - 1)
        sure = 0.0 < variance < math.inf and math.sqrt(variance) > LEAST_DEVIATION * abs(mean)
        if not sure and is_constant(schema.names[j], store.reader.extremes(j), mean, variance):
            constant.append(schema.names[j])
    if constant and not constants:
        warn_of_constants(constant, "continuous")


def constant_columns(store: Store) -> tuple[int, ...]:
    """Columns with one value, up to rounding, or with one level."""
    schema, whole = store.schema, store.whole
    single = tuple(v for v, levels in enumerate(schema.levels) if levels == 1)
    if not schema.continuous:
        return single
    squares = whole.crosses[0, squares_of(len(schema.continuous))]
    low = squares <= (LEAST_DEVIATION * whole.means[0]) ** 2 * max(1, store.n - 1)
    return (*single, *(schema.continuous[i] for i in np.flatnonzero(low).tolist()))


def in_own_units(store: Store, like: Store | None = None) -> Store:
    """Return a store of the same rows in units of its own columns (see units.py), or in those of another store."""
    schema = store.schema
    if schema.scale is not None or not schema.continuous:
        return store
    return store.scaled(store.reader.factors() if like is None else scale_of(like))


def scale_of(store: Store) -> Floats:
    """What the values of a store's columns are multiplied by, float64[N]."""
    scale = store.schema.scale
    return np.ones(len(store.schema.names)) if scale is None else scale
