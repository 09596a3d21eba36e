"""Which tables to make for a batch of requests, and for what a search is likely to ask next."""

import functools
import operator
from collections.abc import Sequence

from bnjit._simd import SIMD_WIDTH
from bnjit.data.schema import Schema
from bnjit.graph.bits import bits_of
from bnjit.kernels.moments_small import MOST_COLUMNS
from bnjit.stats.cache import CellCache
from bnjit.stats.cells import Cells, table_bytes
from bnjit.stats.requests import Columns, Request, Variables
from bnjit.stats.tuning import WIDEN_CELLS


class Planner:
    """Plans tables from what is asked and what is kept; knows nothing of how rows are read.

    Parameters
    ----------
    schema : Schema
        The columns.
    cache : CellCache
        What is kept.
    memory : int
        Bytes of Cells that may be there at a time.
    most_cells : int
        Cells that a table may have to be made in place of a smaller one.
    widens : bool
        Whether small tables that are asked for more columns get them all.
    in_passes : bool
        Whether reading takes a pass, so that columns are dear that a table does not have.
    """

    def __init__(
        self, schema: Schema, cache: CellCache, memory: int, most_cells: int, widens: bool, in_passes: bool = False
    ) -> None:
        self.schema, self.cache, self.memory = schema, cache, memory
        self.most_cells, self.widens, self.in_passes = most_cells, widens, in_passes

    def most_cells_with(self, c: int) -> int:
        """Cells of a table with c columns that takes only a part of the memory."""
        return self.memory // 4 // max(1, 4 * c * (c + 3))

    def plan(self, requests: Sequence[Request]) -> tuple[dict[Variables, Columns], dict[Request, Variables]]:
        """Tables to make, columns by variables; and which of them answers each request."""
        tables: dict[Variables, Columns] = {}
        source = {}
        room = self.memory // 2  # for columns that nobody asked for, where reading takes a pass
        for request in requests:
            source[request] = variables = self._covering(request, tables) or self._larger(request, list(tables))
            columns = {*request.columns, *tables.get(variables, ())}
            before = self.cache.tables.recall(bits_of(variables))
            if before is not None:
                columns, room = self._with_columns_of(before, columns, room)
            tables[variables] = tuple(sorted(columns))
        return tables, source

    def _covering(self, request: Request, tables: dict[Variables, Columns]) -> Variables:
        """Return a table of all columns in the plan that the request can be rolled up from, or nothing."""
        if request.columns != self.schema.continuous:
            return ()
        bits = bits_of(request.variables)
        covering = (s for s in tables if bits_of(s) & bits == bits and tables[s] == request.columns)
        return next(covering, ())

    def _with_columns_of(self, before: Cells, columns: set[int], room: int) -> tuple[set[int], int]:
        """Columns of a table that is there and has too few of them, and the bytes of `room` that are left.

        room : for columns that nobody asked for, but those of few cells

        Columns that it has are kept if that costs nothing, so that requests do not take turns. Where reading takes a
        pass they are kept if memory holds them, and more that come at their price: who asks for some will do so again.
        """
        if self._worth_widening(before):
            return set(self.schema.continuous), room
        both = columns.union(before.columns)
        if not self.in_passes:
            return both if len(both) <= -(-len(columns) // SIMD_WIDTH) * SIMD_WIDTH else columns, room
        rest = [v for v in self.schema.continuous if v not in both]
        more = rest[: -len(both) % SIMD_WIDTH] if len(both) > MOST_COLUMNS else []
        m = len(before.keys)
        for some in (both.union(more), both):
            size = table_bytes(m, len(some)) - table_bytes(m, len(columns))
            if m <= self.most_cells_with(len(some)) and size <= room:
                return some, room - size
        return columns, room

    def _worth_widening(self, cells: Cells) -> bool:
        """Whether a table gets all columns when it is asked for more: who widens a small one twice will do so again."""
        m, c = len(cells.keys), len(self.schema.continuous)
        return len(cells.columns) > 1 and m <= WIDEN_CELLS and self.widens and m <= self.most_cells_with(c)

    def _larger(self, request: Request, planned: list[Variables]) -> Variables:
        """Variables with others beside them whose cells are few: one table for all subsets, which a search asks next.

        Others come first that stand in no table yet with most of those chosen, then those with few levels.
        """
        chosen = set(request.variables)
        if request.columns != self.schema.continuous:
            return request.variables
        wide = [bits for bits, cells in self.cache.tables.items() if cells.columns == self.schema.continuous]
        wide += [bits_of(variables) for variables in planned]
        while True:
            beside = [functools.reduce(operator.or_, (bits for bits in wide if bits >> u & 1), 0) for u in chosen]
            room = self.most_cells // self.schema.configurations(chosen)
            others = []
            for v, levels in enumerate(self.schema.levels):
                if 1 < levels <= room and v not in chosen:
                    new = sum(not known >> v & 1 for known in beside)
                    others.append((-new, levels, v))
            if not others or min(others)[0] == 0:
                return tuple(sorted(chosen))
            chosen.add(min(others)[2])
