"""Bootstrap replicates of continuous columns: moments are known, and rows are drawn only if some fit needs them."""

from collections.abc import Hashable, Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit._lazy import lazy
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.stats.bootstrap import drawn_rows
from bnjit.stats.budget import Budget
from bnjit.stats.cells import Cells
from bnjit.stats.counting import Counts
from bnjit.stats.readers import Compute, Reader
from bnjit.stats.readers.memory import MemoryReader, memory_for
from bnjit.stats.requests import Columns, Findings, Plan, Request, SetBatch, Variables
from bnjit.stats.units import factors_of_table


class ReplicateReader:
    """Rows of a replicate, each as often as it is drawn.

    Parameters
    ----------
    table : Table
        The rows to draw from, all continuous.
    start : uint64
        Where the random numbers of the replicate begin.
    whole : Cells
        The moments of the replicate.
    """

    has_rows = True
    base = None
    kept_share = counts_share = 1.0
    most_cells = ahead_memory = 0
    in_passes = False
    read_with: Hashable | None = None
    budget: Budget | None = None

    def __init__(self, table: Table, start: np.uint64, whole: Cells) -> None:
        self._origin, self._start, self.whole = table, start, whole
        self.schema: Schema = table
        self.memory = memory_for(table)
        self.n = int(whole.counts[0])

    @lazy
    def _rows(self) -> MemoryReader:
        return MemoryReader(drawn_rows(self._origin, self._start))

    @property
    def table(self) -> Table:
        """The rows, drawn when they are first needed."""
        return self._rows.table

    def quick_to_count(self, variables: Variables) -> bool:
        """There is nothing to count."""
        return True

    def worth_rolling_up(self, cells: Cells) -> bool:
        """There is nothing to roll up."""
        return False

    def count_batch(self, sets: SetBatch) -> Counts:
        """Count many sets at once."""
        return self._rows.count_batch(sets)

    def made_from(self, request: Request) -> None:
        """Rows are read."""

    def read(self, plans: Sequence[tuple[Reader, Plan]]) -> list[Findings]:
        """Draw the rows, and carry out a plan."""
        ((_, plan),) = plans
        return self._rows.read([(self._rows, plan)])

    def extremes(self, column: int) -> Floats:
        """Values of a continuous column."""
        return self._rows.extremes(column)

    def factors(self) -> Floats:
        """Powers of two by which columns are to be multiplied, those of the rows that are drawn from; see Reader."""
        return factors_of_table(self._origin, self.whole)

    def scaled(self, scale: Floats) -> "ReplicateReader":
        """Return a reader of the same rows with continuous columns multiplied by powers of two; see Reader."""
        return ReplicateReader(self._origin.scaled(scale), self._start, self.whole.scaled(scale))

    def replaced(self, column: int, variables: Variables, columns: Columns, compute: Compute) -> Reader:
        """Return a reader of the rows with other values in one continuous column; see Reader."""
        return self._rows.replaced(column, variables, columns, compute)
