"""A pass over rows: what is computed from every chunk, and how.

Computation is sent to the rows. Each chunk updates an accumulator; accumulators merge in row order. So it does not
matter whether chunks are read here one after the other, or each on another machine.
"""

from collections.abc import Sequence
from typing import Protocol, Self

from bnjit.data.table import Table


class Accumulator(Protocol):
    """What a task has found in the rows so far."""

    @property
    def nbytes(self) -> int:
        """Memory that it takes, which is also what is sent where rows are on another machine."""
        ...

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Add a chunk of the root, whose first row has the number `first`."""
        ...

    def finish(self) -> None:
        """Release what only more chunks would need."""
        ...

    def merged(self, others: Sequence[Self]) -> Self:
        """Return what was found in these rows and in those that follow; changes nothing."""
        ...


class PassTask(Protocol):
    """What to compute from rows: small, and can be pickled."""

    def start(self) -> Accumulator:
        """Return an accumulator that no row was added to."""
        ...


class Step(Protocol):
    """How rows of a source are made of those of another, chunk by chunk; can be pickled."""

    def requires(self, columns: set[int]) -> set[int]:
        """Return the columns that some columns are made of."""
        ...

    def __call__(self, first: int, rows: Table) -> Table:
        """Rows of this source; `first` is the number of the chunk's first row in the root."""
        ...
