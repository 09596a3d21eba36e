"""Bootstrap replicates of a table: every row counts as often as a random number says, drawn from Poisson(1).

A row's weight in a replicate depends on the seed, the replicate and the row's number alone, so that rows in memory and
rows that come in chunks make the same replicates. The weighted means and cross-products of continuous columns are
collected for all replicates in one pass over the rows.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit._simd import SIMD_WIDTH
from bnjit._threads import in_ranges
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.data.source import Root, Source
from bnjit.data.split import seed_state
from bnjit.kernels.bootstrap import Words, multiply_columns, weigh_replicates, weigh_rows
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import Cells
from bnjit.stats.collect import make_cells
from bnjit.stats.tuning import BOOTSTRAP_BYTES, BOOTSTRAP_ROWS

# Distribution function of Poisson(1), up to what random numbers of 53 bits can tell apart.
BELOW = np.cumsum([math.exp(-1.0) / math.factorial(k) for k in range(18)])


def starts_of(seed: int | None, replicates: int) -> Words:
    """Where the random numbers of each replicate begin, uint64[R]; the first replicates are the same for any number."""
    base = 0 if seed is None else int(seed)
    return np.array([seed_state((base << 32) + replicate + 1) for replicate in range(replicates)], np.uint64)


def weights_of(n: int, start: np.uint64, first: int = 0) -> NDArray[np.int64]:
    """How often each of the rows first ... first + n - 1 is drawn in a replicate."""
    weights = np.empty(n)
    weigh_rows(start, first, BELOW, weights)
    return weights.astype(np.int64)


def drawn_rows(table: Table, start: np.uint64, first: int = 0) -> Table:
    """Return the rows of a replicate, each as often as it is drawn; the table's first row has the number `first`."""
    drawn = table.take(np.repeat(np.arange(table.n), weights_of(table.n, start, first)))
    drawn.constants = True
    return drawn


@dataclass(frozen=True)
class _Drawn:
    """Each row as often as it is drawn."""

    start: np.uint64

    def requires(self, columns: set[int]) -> set[int]:
        return columns

    def __call__(self, first: int, rows: Table) -> Table:
        return drawn_rows(rows, self.start, first)


class Repeated(Source):
    """The rows of a replicate, each as often as it is drawn, from rows that come in chunks."""

    def __init__(self, base: Source, start: np.uint64) -> None:
        super().__init__(base.names, base.labels)
        self._base, self.begins, self.constants, self.gaps = base, {}, True, base.gaps
        self.steps = (*base.steps, _Drawn(start))
        self.n = 0
        for first, last in pairwise((*base.root.firsts, base.n)):
            self.begins.setdefault(first, self.n)  # a chunk without rows begins where the next does
            self.n += int(weights_of(last - first, start, first).sum())


def replicate_wholes(table: Table, whole: Cells, starts: Words) -> list[Cells]:
    """Cells of one cell for each replicate of a table of continuous columns, from one pass over its rows."""
    found = Weighing(table.continuous, *_scale(whole), starts).start()
    found.add_chunk(0, table)
    return list(_wholes(table, found.sums, whole))


def replicate_sources(source: Root, starts: Words) -> list[Repeated]:
    """Replicates of a source of continuous columns that know their moments, from one pass over its rows."""
    known = source.whole
    assert isinstance(known, Cells)
    (found,) = source.run_pass([Weighing(source.continuous, *_scale(known), starts)], source.continuous)
    assert isinstance(found, Weighed)
    replicates = [Repeated(source, start) for start in starts]
    for replicate, whole in zip(replicates, _wholes(source, found.sums, known), strict=True):
        replicate.whole = whole
    return replicates


class Weighing(NamedTuple):
    """Asks for weighted sums of columns, less `mean` and divided by `sd`, and of their products, for all replicates."""

    columns: Sequence[int]
    mean: Floats
    sd: Floats
    starts: Words

    def start(self) -> "Weighed":
        """Begin, with no row seen."""
        return Weighed(self)


class Weighed:
    """Sums of the weights, of weighted columns and of their products, float64[w, R]."""

    def __init__(self, task: Weighing) -> None:
        self._task = task
        c = len(task.columns)
        self.sums = np.zeros((1 + c + c * (c + 1) // 2, len(task.starts)))

    @property
    def nbytes(self) -> int:
        """Memory that the sums take."""
        return self.sums.nbytes

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Add a chunk, block by block. O(R n c^2 / 2)."""
        columns, mean, sd, starts = self._task
        w, R = self.sums.shape
        block = max(SIMD_WIDTH, min(BOOTSTRAP_ROWS, BOOTSTRAP_BYTES // (8 * w)))  # by columns alone
        products, weights = np.ones((w, block)), np.empty((R, block))
        for at in range(0, chunk.n, block):
            end = min(at + block, chunk.n)
            if end - at < block:
                products, weights = np.ones((w, end - at)), np.empty((R, end - at))
            Z = np.stack([chunk.columns[j].numbers(slice(at, end)) for j in columns]).astype(np.float64)
            in_ranges(multiply_columns, len(Z), (Z - mean[:, None]) / sd[:, None], products)
            in_ranges(weigh_replicates, R, starts, first + at, BELOW, weights)
            self.sums += products @ weights.T

    def finish(self) -> None:
        """Nothing is kept but the sums."""

    def merged(self, others: Sequence["Weighed"]) -> "Weighed":
        """Return the sums of these rows and of those that follow."""
        out = Weighed(self._task)
        for one in (self, *others):
            out.sums += one.sums
        return out


def _scale(whole: Cells) -> tuple[Floats, Floats]:
    """Means and standard deviations of the columns; 1 for those that are constant."""
    sd = np.sqrt(np.diag(whole.covariance()))
    return whole.means[0], np.where(sd > 0.0, sd, 1.0)


def _wholes(schema: Schema, sums: Floats, whole: Cells) -> Iterator[Cells]:
    """Cells of one cell for each replicate."""
    mean, sd = _scale(whole)
    return (_whole(schema, row, mean, sd) for row in sums.T)


def _whole(schema: Schema, sums: Floats, mean: Floats, sd: Floats) -> Cells:
    """Cells of one cell from weighted sums of standardised columns and of their products."""
    n, c = sums[0], len(mean)
    shift = sums[1 : 1 + c] / max(n, 1.0)
    i, j = np.tril_indices(c)
    cross = (sums[1 + c :] - n * shift[i] * shift[j]) * sd[i] * sd[j]
    moments = Moments(np.array([int(n)]), (mean + shift * sd)[None], np.zeros((1, c)), cross[None])
    return make_cells(schema, (), schema.continuous, np.zeros(1, np.int64), moments)
