"""Rows that observe some columns of a table with gaps: the cells of a store in which these are not missing."""

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import starmap

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.data import Table
from bnjit.data.observed import ObservedRows
from bnjit.data.schema import Schema
from bnjit.errors import StatisticsError
from bnjit.kernels.moments import Moments
from bnjit.kernels.triangles import Triangles
from bnjit.stats.cells import Cells, join_by_key
from bnjit.stats.counting import Counts
from bnjit.stats.parent_sets import Indices
from bnjit.stats.readers import Compute, Reader, read_all
from bnjit.stats.readers.chunked import ChunkedReader
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, TriangleRequest, Variables
from bnjit.stats.store import Store, cells_for, triangles_for
from bnjit.stats.triangles import CellTriangles
from bnjit.stats.tuning import LARGE_TABLE_PART, OBSERVED_SHARE


class ObservedReader:
    """Rows that observe some of the columns that have gaps; only these, and columns without gaps, may be asked for.

    Parameters
    ----------
    base : Store
        Statistics of the table whose gaps are levels and indicators.
    observed : tuple of int
        Columns with gaps that the rows observe, ascending.
    """

    has_rows = False
    most_cells = ahead_memory = 0
    table: Table | None = None
    whole: Cells | None = None

    def __init__(self, base: Store, observed: tuple[int, ...]) -> None:
        gaps = base.schema.gaps
        assert gaps is not None
        self.base, self.gaps, self.observed = base, gaps, observed
        self.memory, self.budget = base.memory // 2, base.reader.budget
        # The store below keeps what was read. Out of core the budget limits what all keep together.
        self.kept_share = self.counts_share = OBSERVED_SHARE if self.budget is None else 1.0
        self.marks = tuple(sorted(v if gaps.schema.discrete[v] else gaps.indicators[v] for v in observed))
        self.schema = Schema(gaps.schema.names, gaps.schema.labels)
        if base.schema.scale is not None:
            self.schema.scale = base.schema.scale[: len(self.schema.names)]
        self.schema.observed = tuple(v for v in self.schema.continuous if v in observed or v not in gaps.columns)
        self.n = self._count()
        self.schema.n = round(self.n)

    def _count(self) -> float:
        if not self.observed:
            return self.base.n
        (cells,) = self.base.get([Request(self.marks)])
        rows: float = cells.counts[self._there(cells, cells.codes())].sum().item()
        return rows

    @property
    def in_passes(self) -> bool:
        """Whether the store below is read in passes."""
        return self.base.in_passes

    @property
    def read_with(self) -> Hashable:
        """Readers whose stores are read together are, too."""
        return "observed", self.base.reader.read_with

    def quick_to_count(self, variables: Variables) -> bool:
        """Yes: the store below finds what it has."""
        return True

    def worth_rolling_up(self, cells: Cells) -> bool:
        """Every table may serve."""
        return True

    def count_batch(self, sets: SetBatch) -> Counts | None:
        """Sets are counted one by one."""
        return None

    def made_from(self, request: Request) -> tuple[Store, Request] | None:
        """Return the store below, and what it is asked for to answer a request; None where rows are read."""
        return None if self.is_large(request) else (self.base, self.below(request))

    def below(self, request: Request) -> Request:
        """Return what the store below is asked for to answer a request."""
        return Request(tuple(sorted({*request.variables, *self.marks})), request.columns)

    def is_large(self, request: Request, cells: int | None = None) -> bool:
        """Whether a table of the store below would take much of the memory; cells : that it has, if that is known.

        A table is then made of these rows alone. It may have far fewer cells: where the store below has one for each
        combination of gaps in these columns, here there are no gaps.
        """
        some_rows = isinstance(self.base.reader, ChunkedReader) and self.marks and self.n
        if not (some_rows and request.variables and request.columns):
            return False
        return self.base.size(self.below(request), cells) > self.base.memory // LARGE_TABLE_PART

    def _there(self, cells: Cells, codes: Ints64) -> Indices:
        """Cells of the store below in which nothing that is observed is missing, given their levels."""
        kept, N = np.ones(len(cells.keys), bool), len(self.schema.names)
        for at, v in enumerate(cells.variables):
            if v >= N:
                kept &= codes[:, at] == 0
            elif v in self.observed:
                kept &= codes[:, at] < self.schema.levels[v]
        return np.flatnonzero(kept)

    def _find(self, cells: Cells, variables: Variables) -> tuple[Indices, Ints64]:
        """Cells of the store below in which nothing that is observed is missing, and their configurations."""
        codes = cells.codes()
        there = self._there(cells, codes)
        keys = np.zeros(len(there), np.int64)
        for v in variables:
            keys = keys * self.schema.levels[v] + codes[there, cells.variables.index(v)]
        return there, keys

    def _observed_cells(self, cells: Cells, request: Request) -> Cells:
        """Cells of a request from those that the store below has found for it."""
        cells = cells.narrow(request.columns)
        there, keys = self._find(cells, request.variables)
        counts, means, corrections, crosses = cells.moments
        moments = Moments(counts[there], means[there], corrections[there], crosses[there])
        levels = tuple(self.schema.levels[v] for v in request.variables)
        return join_by_key(Cells(request.variables, levels, cells.columns, keys, moments))

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Carry out plans, of this reader and of others that are read together, by the stores below."""
        own = [(reader, plan) for reader, plan in plans if isinstance(reader, ObservedReader)]
        keys_of_large = _keys_of_large(own)
        wanted = [
            (reader, request)
            for (reader, plan), large in zip(own, keys_of_large, strict=True)
            for request in [*map(Request, plan.counts), *(Request(*one) for one in plan.tables.items())]
            if request.variables not in large or not request.columns
        ]
        below = cells_for([(reader.base, reader.below(request)) for reader, request in wanted])
        small = iter([reader._observed_cells(cells, request)
                      for (reader, request), cells in zip(wanted, below, strict=True)])  # fmt: skip
        del below  # nobody holds these while others are made
        direct = [
            (reader.rows, Plan(tables={variables: plan.tables[variables] for variables in large}, keys=large))
            for (reader, plan), large in zip(own, keys_of_large, strict=True)
            if large
        ]
        of_rows = iter(read_all(direct))
        findings = []
        for (reader, plan), large in zip(own, keys_of_large, strict=True):
            counts = [next(small) for _ in plan.counts]
            found = next(of_rows).tables if large else {}
            tables = {variables: found[variables] if variables in large else next(small) for variables in plan.tables}
            findings.append(Findings(counts, tables, reader._triangles(plan.triangles)))
        return findings

    @cached_property
    def rows(self) -> ChunkedReader:
        """The rows themselves, where these come in chunks."""
        below = self.base.reader
        assert isinstance(below, ChunkedReader)
        return ChunkedReader(ObservedRows(below.source, self.marks, self.schema.n), below.all_memory)

    def _triangles(self, requests: Sequence[TriangleRequest]) -> list[CellTriangles]:
        """Triangles of observed cells."""
        asked = [self._triangles_below(request) for request in requests]
        found = iter(triangles_for([(self.base, one) for some in asked for one in some]))
        made = []
        for request, some in zip(requests, asked, strict=True):
            keys = request.keys[:1] if request.as_one else request.keys
            parts = [next(found).narrow(request.columns).triangles for _ in some]
            together = Triangles(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
            made.append(CellTriangles(request.variables, keys, request.columns, together))
        return made

    def _triangles_below(self, request: TriangleRequest) -> list[TriangleRequest]:
        """Ask the store below for triangles: an observed cell is one of its cells, or several as one."""
        (cells,) = cells_for([(self.base, self.below(Request(request.variables)))])
        there, keys = self._find(cells, request.variables)
        wanted = there[np.isin(keys, request.keys)]
        if request.as_one or len(wanted) == len(request.keys):
            which = [wanted]
        else:
            which = [there[keys == key] for key in request.keys.tolist()]
        as_one = request.as_one or len(wanted) > len(request.keys)
        return [
            TriangleRequest(cells.variables, cells.keys[some], request.columns, int(cells.counts[some].sum()), as_one)
            for some in which
        ]

    def extremes(self, column: int) -> Floats:
        """Values of a continuous column, or the least and the greatest of them."""
        return self.base.reader.extremes(column)

    def factors(self) -> Floats:
        """Powers of two by which columns are to be multiplied; see Reader."""
        return self.base.reader.factors()[: len(self.schema.names)]

    def scaled(self, scale: Floats) -> "ObservedReader":
        """Return a reader of the same rows with continuous columns multiplied by powers of two; see Reader."""
        wide = np.ones(len(self.base.schema.names))
        wide[: len(scale)] = scale
        return ObservedReader(self.base.scaled(wide), self.observed)

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> "ObservedReader":
        """No column is replaced: cells are fitted again from triangles."""
        raise StatisticsError("rows that observe some columns have no other values")


def _keys_of_large(plans: Sequence[tuple[ObservedReader, Plan]]) -> list[dict[Variables, Ints64]]:
    """Observed configurations of the tables of each plan that are large, which are counted for that if need be."""
    keys: list[dict[Variables, Ints64]] = [{} for _ in plans]
    unknown: list[tuple[int, Request]] = []
    for i, (reader, plan) in enumerate(plans):
        for request in filter(reader.is_large, starmap(Request, plan.tables.items())):
            if request.variables in plan.keys:
                keys[i][request.variables] = plan.keys[request.variables]
            else:
                unknown.append((i, request))
    readers = [reader for reader, _ in plans]
    counted = cells_for([(readers[i].base, readers[i].below(Request(request.variables))) for i, request in unknown])
    for (i, request), cells in zip(unknown, counted, strict=True):
        if readers[i].is_large(request, len(cells.keys)):
            keys[i][request.variables] = readers[i]._observed_cells(cells, Request(request.variables)).keys
    return keys
