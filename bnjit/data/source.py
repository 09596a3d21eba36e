"""Sources: rows that come in chunks, because memory does not hold them all, or because they are elsewhere."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnjit.data.check import check_rows, warn_of_single_levels
from bnjit.data.column import code_type
from bnjit.data.numbering import warn_of_numbering
from bnjit.data.passes import Accumulator, PassTask, Step
from bnjit.data.schema import Labels, Schema
from bnjit.data.split import row_numbers
from bnjit.data.table import Table
from bnjit.data.tuning import SPLIT_ROWS
from bnjit.errors import DataError
from bnjit.progress import Watch


class Source(Schema):
    """Rows that come in chunks: those of a root, changed or chosen step by step.

    Attributes
    ----------
    steps : tuple of Step
        How rows of this source are made of those of the root.
    copies : bool
        Whether rows are chosen, and copied for that.
    begins : dict, optional
        The number of the first row that each chunk of the root gives, by that of the chunk's first row, if they differ.
    whole : object, optional
        What the first pass found of all rows, kept for those who collect statistics; they know its type.
    """

    _base: "Source"
    steps: tuple[Step, ...] = ()
    copies = False
    begins: dict[int, int] | None = None
    whole: object | None = None

    @property
    def root(self) -> "Root":
        """Where the rows come from."""
        return self._base.root

    @property
    def nbytes(self) -> int:
        """Memory that the columns would take."""
        return self.n * sum(np.dtype(code_type(r)).itemsize if r else 8 for r in self.levels)

    def requires(self, columns: Iterable[int]) -> set[int]:
        """Return the columns of the root that some columns are made of."""
        needed = set(columns)
        for step in reversed(self.steps):
            needed = step.requires(needed)
        return needed


def derive(steps: Iterable[Step], first: int, chunk: Table) -> Table:
    """Rows of a source from a chunk of the root, whose first row has the number `first`."""
    for step in steps:
        chunk = step(first, chunk)
    return chunk


class Root(Source):
    """Where rows come from.

    Attributes
    ----------
    passes, bytes_read : int
        How often rows were read, and how much that was.
    watch : callable, optional
        Is called with the progress of a pass.
    brings_rows : bool
        Whether some of the rows may be brought to memory.
    budget : object, optional
        Memory that all statistics of these rows share, kept for those who collect them; they know its type.
    """

    brings_rows = True
    budget: object | None = None

    def __init__(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        super().__init__(names, labels)
        self.n = self.passes = self.bytes_read = 0
        self.watch: Watch | None = None

    @property
    def root(self) -> "Root":
        """The rows come from here."""
        return self

    def _describe(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        """Take other names and levels."""
        Schema.__init__(self, names, labels)

    @property
    def most_rows(self) -> int:
        """Rows of the largest chunk."""
        raise NotImplementedError

    @property
    def reading_bytes(self) -> int:
        """Memory that reading takes: chunks, and what stays of them for the next pass."""
        return 0

    @property
    def firsts(self) -> Sequence[int]:
        """Numbers of the first rows of all chunks."""
        raise NotImplementedError

    def first_pass(self, task: PassTask) -> Accumulator:
        """Read all rows for the first time, to find levels and the number of rows; run a task on continuous columns."""
        raise NotImplementedError

    def run_pass(self, tasks: Sequence[PassTask], columns: Iterable[int]) -> list[Accumulator]:
        """Run tasks on some columns of all rows, in one pass; return the accumulator of each."""
        raise NotImplementedError

    def reject_identifiers(self) -> None:
        """Raise for a discrete column that is different in each row."""
        raise NotImplementedError

    def numbering(self) -> list[Hashable]:
        """Columns that number the rows or identify them, as far as the first pass has seen."""
        raise NotImplementedError

    def relabel(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        """Keep some columns, in this order, and take more levels than there are in the rows."""
        if tuple(names) != self.names:
            self.whole = None
            self.factors = None if self.factors is None else self.factors[[self.index(name) for name in names]]
        self._describe(names, labels)


@dataclass(frozen=True)
class _Chosen:
    """Rows whose random number, `parts` times it, is from `low` to below `high`; or all others."""

    parts: float
    low: float
    high: float
    seed: int | None
    inside: bool
    begins: dict[int, int] | None

    def mask(self, first: int, n: int) -> NDArray[np.bool_]:
        """Which of n rows are chosen; `first` is the number of the first one."""
        number = row_numbers(n, self.seed, first) * self.parts
        inside: NDArray[np.bool_] = (number >= self.low) & (number < self.high)
        return inside if self.inside else ~inside

    def requires(self, columns: set[int]) -> set[int]:
        return columns

    def __call__(self, first: int, rows: Table) -> Table:
        return rows.take(self.mask(first if self.begins is None else self.begins[first], rows.n))


class ChosenRows(Source):
    """Some rows of a source, chosen by their numbers."""

    copies = True

    def __init__(self, base: Source, step: _Chosen, n: int | None = None) -> None:
        super().__init__(base.names, base.labels)
        self._base, self.steps, self.constants, self.gaps = base, (*base.steps, step), base.constants, base.gaps
        self.scale = base.scale
        blocks = range(0, base.n, SPLIT_ROWS) if n is None else ()
        counted = sum(int(step.mask(first, min(SPLIT_ROWS, base.n - first)).sum()) for first in blocks)
        self.n = counted if n is None else n

    def others(self) -> "ChosenRows":
        """Return the rows that are not chosen."""
        step = self.steps[-1]
        assert isinstance(step, _Chosen)
        return ChosenRows(self._base, replace(step, inside=not step.inside), self._base.n - self.n)


def split_source(source: Source, fraction: float, seed: int | None) -> tuple[ChosenRows, ChosenRows]:
    """Training and test rows, the same as `split_rows` gives for a table."""
    test = ChosenRows(source, _Chosen(1.0, 0.0, fraction, seed, True, source.begins))
    if not 2 <= test.n <= source.n - 2:
        raise DataError(f"{source.n} rows are too few to keep {fraction:.0%} of them for testing; give test rows")
    return test.others(), test


def fold_sources(source: Source, k: int, seed: int | None) -> list[ChosenRows]:
    """Rows of each fold, the same as those of a table with as many rows."""
    return [ChosenRows(source, _Chosen(k, f, f + 1, seed, True, source.begins)) for f in range(k)]


@dataclass(frozen=True)
class _Replacement:
    """Other values in one continuous column, computed from some columns of each chunk."""

    column: int
    needed: frozenset[int]
    compute: Callable[[Table], NDArray[np.float64]]

    def requires(self, columns: set[int]) -> set[int]:
        return columns | self.needed if self.column in columns else columns

    def __call__(self, first: int, rows: Table) -> Table:
        if rows.n == 0 or any(not len(rows.columns[j].values) for j in self.needed):
            return rows  # the column was not asked for
        return rows.replaced(self.column, self.compute(rows))


class Replaced(Source):
    """A source with other values in one continuous column, computed from each chunk by what can be pickled."""

    def __init__(
        self, base: Source, column: int, needed: Iterable[int], compute: Callable[[Table], NDArray[np.float64]]
    ) -> None:
        super().__init__(base.names, base.labels)
        self._base, self.n, self.gaps, self.copies = base, base.n, base.gaps, base.copies
        self.steps = (*base.steps, _Replacement(column, frozenset(needed), compute))


@dataclass(frozen=True)
class _Factors:
    """Continuous columns multiplied by powers of two when they are read."""

    scale: NDArray[np.float64]

    def requires(self, columns: set[int]) -> set[int]:
        return columns

    def __call__(self, first: int, rows: Table) -> Table:
        return rows.scaled(self.scale)


class Scaled(Source):
    """A source with continuous columns multiplied by powers of two, float64[N]."""

    def __init__(self, base: Source, scale: NDArray[np.float64]) -> None:
        super().__init__(base.names, base.labels)
        self._base, self.n, self.begins, self.constants, self.scale = base, base.n, base.begins, base.constants, scale
        self.steps, self.gaps, self.copies = (*base.steps, _Factors(scale)), base.gaps, base.copies


def check_source(source: Source) -> None:
    """Raise or warn for what no network can be learned from; continuous columns are checked with their statistics."""
    check_rows(source)
    source.root.reject_identifiers()
    warn_of_single_levels(source)
    warn_of_numbering(source.names, source.root.numbering())
