"""What one pass over rows finds out: started where the rows are, merged in their order.

Counts, Cells and triangles are additive, so that rows may be seen chunk after chunk, or each chunk on another machine.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.data import Table
from bnjit.data.check import reject_not_finite
from bnjit.data.passes import Step
from bnjit.data.source import derive
from bnjit.errors import DataError
from bnjit.kernels.configurations import append_keys
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import Cells, add, add_to
from bnjit.stats.collect import NOBODY, Membership, Scratch, collect_batch, collect_cells, membership, ranked
from bnjit.stats.counting import count_cells
from bnjit.stats.sorting import chosen_rows
from bnjit.stats.store import TOGETHER, Indices, Plan, Request
from bnjit.stats.triangles import CellTriangles, add_rows, no_triangles, summed

NO_COUNTS = np.empty((2, 0), np.int64)
ROWS_PER_KNOWN_CELL = 4  # rows of a chunk for each cell of all rows, so that a chunk's table may have them all


class Wanted(NamedTuple):
    """Rows of some cells: the discrete variables, and the keys of the cells, ascending; the columns needed of them."""

    variables: tuple[int, ...]
    keys: Ints64
    columns: tuple[int, ...] = ()


class Collection(NamedTuple):
    """What one store wants of a pass.

    Attributes
    ----------
    steps : tuple of Step
        How the store's rows are made of those of the root.
    to_count : list of tuples of int
        Sets of discrete variables to count.
    plan : Plan
        Tables of Cells to make: columns by variables.
    known : dict
        Observed configurations of sets of the plan, where these are known and not many.
    gather : list of Wanted
        Cells whose rows are to be brought to memory.
    reflect : list of Wanted
        Cells whose triangles are to be made.
    """

    steps: tuple[Step, ...]
    to_count: list[tuple[int, ...]]
    plan: Plan
    known: dict[tuple[int, ...], Ints64]
    gather: list[Wanted]
    reflect: list[Wanted]

    def columns(self) -> set[int]:
        """Return the columns of the store's rows that are needed, but for rows to gather: these have all."""
        sets = [*self.to_count, *self.plan, *self.plan.values()]
        for wanted in self.reflect:
            sets += [wanted.variables, wanted.columns]
        return set().union(*sets)

    def start(self) -> "Collected":
        """Begin, with no row seen."""
        return Collected(self)


class Collected:
    """What was collected so far: totals of Cells by request, triangles, and rows brought to memory."""

    def __init__(self, job: Collection) -> None:
        self._job: Collection | None = job
        self._families = _families(job.to_count)
        self._found: dict[tuple[int, ...], Membership | None] = {}
        self._scratch = Scratch()
        self._totals: dict[Request, Cells] = {}
        self.rows: list[list[Table]] = [[] for _ in job.gather]
        self.triangles: list[CellTriangles] = [no_triangles(*wanted) for wanted in job.reflect]

    @property
    def nbytes(self) -> int:
        """Memory that the tables take."""
        triangles = sum(array.nbytes for made in self.triangles for array in (made.keys, *made.triangles))
        return triangles + sum(cells.nbytes for cells in self._totals.values())

    def total(self, variables: tuple[int, ...], columns: tuple[int, ...]) -> Cells:
        """Cells of all rows seen."""
        return self._totals[Request(variables, columns)]

    def finish(self) -> None:
        """Let go of what only seeing more would need."""
        self._job, self._families, self._found, self._scratch = None, [], {}, Scratch()

    def merged(self, others: Sequence["Collected"]) -> "Collected":
        """Return what was collected from these rows and from those that follow."""
        everything = [self, *others]
        out = object.__new__(Collected)
        out.finish()
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
        self.finish()
        self.rows, self.triangles = state["rows"], state["triangles"]
        self._totals = {}
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
        self._totals[request] = cells if before is None else add_to(before, cells)

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Add a chunk of the root."""
        assert self._job is not None
        table = derive(self._job.steps, first, chunk)
        for wanted, parts in zip(self._job.gather, self.rows, strict=True):
            parts.append(table.take(_among(table, wanted)))
        if table.n == 0:
            return
        for made in self.triangles:
            add_rows(table, made)
        for family in self._families:
            for cells in count_cells(table, family):
                self._add(cells)
        jobs = list(self._job.plan.items())
        unknown = [v for v, _ in jobs if v and self._of_all_rows(table, v) is None]
        counted = dict(zip(unknown, count_cells(table, unknown) if unknown else (), strict=True))
        for at in range(0, len(jobs), TOGETHER):
            asked = []
            for variables, columns in jobs[at : at + TOGETHER]:
                found = NOBODY if not variables else self._of_all_rows(table, variables)
                if found is None:
                    keys = counted[variables].keys
                    found = ranked(table, variables, keys) or membership(table, variables)
                asked.append((columns, found))
            for cells in collect_batch(table, asked, self._scratch):
                self._add(cells)

    def _of_all_rows(self, table: Table, variables: tuple[int, ...]) -> Membership | None:
        """Numbers of the cells of all rows, if these are known and not many for a chunk."""
        assert self._job is not None
        if variables not in self._found:
            keys = self._job.known.get(variables)
            few = keys is not None and len(keys) * ROWS_PER_KNOWN_CELL <= table.n
            self._found[variables] = ranked(table, variables, keys) if few and keys is not None else None
        return self._found[variables]


def _families(sets: Sequence[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """Divide sets of variables, in their order, into those that have all but one in common: they count faster."""
    families: list[list[tuple[int, ...]]] = []
    common: set[int] = set()
    for variables in sets:
        shared = common & set(variables)
        if families and len(shared) >= max(map(len, [variables, *families[-1][:1]])) - 1 > 0:
            families[-1].append(variables)
            common = shared
        else:
            families.append([variables])
            common = set(variables)
    return families


def _among(table: Table, wanted: Wanted) -> Indices:
    """Rows that are in some cells."""
    if not wanted.variables:
        return np.arange(table.n)
    found = ranked(table, wanted.variables, wanted.keys, others=1)
    if found is not None:
        return chosen_rows(table, found, np.arange(len(wanted.keys)) + 1)[0].astype(np.intp)
    keys = np.zeros(table.n, np.int64)
    append_keys(table.view, np.array(wanted.variables, np.int32), keys)
    at = np.minimum(np.searchsorted(wanted.keys, keys), len(wanted.keys) - 1)
    return np.flatnonzero(wanted.keys[at] == keys)


class FirstLook(NamedTuple):
    """Cells of the empty set, checked chunk by chunk: what the first pass finds beside levels."""

    def start(self) -> "Whole":
        """Begin, with no row seen."""
        return Whole()


class Whole:
    """One cell with all rows seen, None before any."""

    cells: Cells | None = None

    @property
    def nbytes(self) -> int:
        """Memory that the cell takes."""
        return 0 if self.cells is None else self.cells.nbytes

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Add the continuous columns of a chunk."""
        if chunk.n == 0:
            return
        cells = collect_cells(chunk, chunk.continuous, NOBODY)
        if not (np.isfinite(cells.means).all() and np.isfinite(cells.crosses).all()):
            _reject(chunk)
        self.cells = cells if self.cells is None else add_to(self.cells, cells)

    def finish(self) -> None:
        """Nothing is kept but the cell."""

    def merged(self, others: Sequence["Whole"]) -> "Whole":
        """Return the cell of these rows and of those that follow."""
        out = Whole()
        parts = [one.cells for one in (self, *others) if one.cells is not None]
        out.cells = add(parts) if parts else None
        return out


def _reject(chunk: Table) -> None:
    """Raise for the values of a chunk that are not finite, or too large to square."""
    for j in chunk.continuous:
        values = chunk.columns[j].values
        reject_not_finite(chunk.names[j], values)
        with np.errstate(over="ignore"):
            squares = np.square(values - values[0], dtype=np.float64)
        if not np.isfinite(squares).all():
            raise DataError(
                f"column {chunk.names[j]!r} has values up to {np.abs(values).max():g}, too large to square: rescale it"
            )


class Extremes(NamedTuple):
    """Least and greatest value of a column."""

    steps: tuple[Step, ...]
    column: int

    def start(self) -> "Limits":
        """Begin, with no row seen."""
        return Limits(self)


class Limits:
    """The least and the greatest value seen."""

    def __init__(self, job: Extremes) -> None:
        self._job = job
        self.values: Floats = np.array([np.inf, -np.inf])

    @property
    def nbytes(self) -> int:
        """Memory that both take."""
        return self.values.nbytes

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Look at a chunk of the root."""
        values = derive(self._job.steps, first, chunk).columns[self._job.column].values
        if len(values):
            self.values = np.array([min(self.values[0], values.min()), max(self.values[1], values.max())])

    def finish(self) -> None:
        """Nothing is kept but the values."""

    def merged(self, others: Sequence["Limits"]) -> "Limits":
        """Return the limits of these rows and of those that follow."""
        out = Limits(self._job)
        both = np.array([one.values for one in (self, *others)])
        out.values = np.array([both[:, 0].min(), both[:, 1].max()])
        return out
