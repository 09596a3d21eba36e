"""Saved statistics, without any row: what follows from their tables can be had, and nothing else."""

from collections.abc import Hashable, Sequence
from typing import Protocol

import numpy as np

from bnjit._jit import Floats
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.errors import StatisticsError
from bnjit.stats.budget import Budget
from bnjit.stats.cells import Cells, roll_up
from bnjit.stats.counting import Counts
from bnjit.stats.readers import Compute, Reader
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, TriangleRequest, Variables
from bnjit.stats.triangles import CellTriangles
from bnjit.stats.tuning import SAVED_MEMORY
from bnjit.stats.units import factors_of_moments


class Saved(Protocol):
    """Tables, and triangles where moments are not enough."""

    @property
    def schema(self) -> Schema:
        """The columns."""
        ...

    @property
    def tables(self) -> Sequence[Cells]:
        """All Cells, those of the empty set first."""
        ...

    @property
    def triangles(self) -> Sequence[CellTriangles]:
        """Triangles of some cells."""
        ...


class SavedReader:
    """Statistics in place of rows.

    Parameters
    ----------
    saved : Saved
        The tables and triangles.
    memory : int
        Bytes for what is rolled up.
    scale : float64[N], optional
        Powers of two by which continuous columns are multiplied.
    """

    has_rows = False
    base = None
    kept_share = 1.0
    counts_share = 1.0
    most_cells = ahead_memory = 0
    in_passes = False
    read_with: Hashable | None = None
    budget: Budget | None = None
    table: Table | None = None

    def __init__(self, saved: Saved, memory: int = SAVED_MEMORY, scale: Floats | None = None) -> None:
        self._saved, self.memory = saved, memory
        self.schema, self._tables, self._triangles = saved.schema, saved.tables, saved.triangles
        if scale is not None:
            self.schema = Schema(saved.schema.names, saved.schema.labels)
            self.schema.scale, self.schema.gaps = scale, saved.schema.gaps
            self._tables = [cells.scaled(scale) for cells in saved.tables]
            self._triangles = [made.scaled(scale) for made in saved.triangles]

    @property
    def n(self) -> float:
        """Rows that the statistics are of."""
        return self.whole.counts[0].item()

    @property
    def whole(self) -> Cells:
        """Cells of the empty set: one cell with all rows."""
        return self._tables[0]

    def quick_to_count(self, variables: Variables) -> bool:
        """Counts are rolled up from the smallest table that is kept, or saved."""
        return False

    def worth_rolling_up(self, cells: Cells) -> bool:
        """Every table may serve."""
        return True

    def count_batch(self, sets: SetBatch) -> Counts | None:
        """Sets are rolled up one by one."""
        return None

    def made_from(self, request: Request) -> None:
        """Tables are there."""

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Roll up what a plan asks for; raise where no table serves."""
        ((_, plan),) = plans
        counts = [self._roll_up(Request(variables)) for variables in plan.counts]
        tables = {variables: self._roll_up(Request(variables, columns)) for variables, columns in plan.tables.items()}
        return [Findings(counts, tables, [self._find(request) for request in plan.triangles])]

    def _roll_up(self, request: Request) -> Cells:
        variables, columns = set(request.variables), set(request.columns)
        larger = [c for c in self._tables if variables <= set(c.variables) and columns <= set(c.columns)]
        if not larger:
            raise self._no_table(request.variables)
        smallest = min(larger, key=lambda cells: len(cells.keys)).narrow(request.columns)
        return smallest if smallest.variables == request.variables else roll_up(smallest, request.variables)

    def _find(self, request: TriangleRequest) -> CellTriangles:
        for made in self._triangles:
            enough = made.variables == request.variables and set(request.columns) <= set(made.columns)
            if enough and not request.as_one and np.isin(request.keys, made.keys).all():
                return made.take(request.keys)
        raise _no_rows()

    def _no_table(self, variables: Variables) -> StatisticsError:
        shown = ", ".join(repr(self.schema.names[v]) for v in variables)
        return StatisticsError(
            f"these statistics have no table of {shown} together; collect them with for_={len(variables)} or more, or "
            f"with a graph that needs it, or allow fewer parents (max_parents={max(0, len(variables) - 1)})"
        )

    def extremes(self, column: int) -> Floats:
        """Refuse: there are no rows."""
        raise _no_rows()

    def factors(self) -> Floats:
        """Powers of two by which columns are to be multiplied, those of the rows if they are known; see Reader."""
        known = self.schema.factors
        return factors_of_moments(self.whole, len(self.schema.names)) if known is None else known

    def scaled(self, scale: Floats) -> "SavedReader":
        """Return the same tables with continuous columns multiplied by powers of two; see Reader."""
        return SavedReader(self._saved, self.memory, scale)

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> Reader:
        """Refuse: there are no rows."""
        raise _no_rows()


def _no_rows() -> StatisticsError:
    return StatisticsError(
        "a column is all but a linear combination of others, and statistics do not have the digits to say what is left "
        "of it; give the rows, or drop such columns"
    )
