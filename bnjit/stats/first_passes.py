"""Passes for what is known of all rows before anything is asked of their cells: moments, finite values, extremes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats
from bnjit.data import Table
from bnjit.data.check import reject_not_finite
from bnjit.data.passes import Step
from bnjit.data.source import derive
from bnjit.errors import ColumnError
from bnjit.stats.cells import Cells, add, add_to
from bnjit.stats.collect import ONE_CELL, collect_cells
from bnjit.stats.units import SomeRows


class FirstPass(NamedTuple):
    """Cells of the empty set, checked chunk by chunk: what the first pass finds beside levels."""

    steps: tuple[Step, ...] = ()

    def start(self) -> "Whole":
        """Begin, with no row seen."""
        return Whole(self.steps)


class Whole:
    """One cell with all rows seen, None before any."""

    cells: Cells | None = None

    def __init__(self, steps: tuple[Step, ...] = ()) -> None:
        self._steps, self.some = steps, SomeRows()

    @property
    def nbytes(self) -> int:
        """Memory that the cell takes."""
        return 0 if self.cells is None else self.cells.nbytes

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Add the continuous columns of a chunk."""
        if chunk.n == 0:
            return
        chunk = derive(self._steps, first, chunk)
        cells = collect_cells(chunk, chunk.continuous, ONE_CELL)
        if not (np.isfinite(cells.means).all() and np.isfinite(cells.crosses).all()):
            _reject(chunk)
        self.cells = cells if self.cells is None else add_to(self.cells, cells)
        self.some.add(first, chunk)

    def finish(self) -> None:
        """Nothing is kept but the cell."""

    def merged(self, others: Sequence["Whole"]) -> "Whole":
        """Return the cell of these rows and of those that follow."""
        out = Whole()
        parts = [one.cells for one in (self, *others) if one.cells is not None]
        out.cells = add(parts) if parts else None
        for one in (self, *others):
            out.some.join(one.some)
        return out


def _reject(chunk: Table) -> None:
    """Raise for the values of a chunk that are not finite, or too large to square."""
    for j in chunk.continuous:
        values = chunk.columns[j].numbers()
        reject_not_finite(chunk.names[j], values)
        with np.errstate(over="ignore"):
            squares = np.square(values - values[0], dtype=np.float64)
        if not np.isfinite(squares).all():
            raise ColumnError(
                f"column {chunk.names[j]!r} has values up to {np.abs(values).max():g}, too large to square: rescale it"
            )


class Extremes(NamedTuple):
    """Least and greatest value of a column."""

    steps: tuple[Step, ...]
    column: int

    def start(self) -> "ValueRange":
        """Begin, with no row seen."""
        return ValueRange(self)


class ValueRange:
    """The least and the greatest value seen."""

    def __init__(self, task: Extremes) -> None:
        self._task = task
        self.values: Floats = np.array([np.inf, -np.inf])

    @property
    def nbytes(self) -> int:
        """Memory that both take."""
        return self.values.nbytes

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Look at a chunk of the root."""
        values = derive(self._task.steps, first, chunk).columns[self._task.column].numbers()
        if len(values):
            self.values = np.array([min(self.values[0], values.min()), max(self.values[1], values.max())])

    def finish(self) -> None:
        """Nothing is kept but the values."""

    def merged(self, others: Sequence["ValueRange"]) -> "ValueRange":
        """Return the limits of these rows and of those that follow."""
        out = ValueRange(self._task)
        both = np.array([one.values for one in (self, *others)])
        out.values = np.array([both[:, 0].min(), both[:, 1].max()])
        return out
