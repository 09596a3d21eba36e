"""Units of continuous columns: everything is computed in units near each column's deviation, which are powers of two.

Multiplying by a power of two loses no digit, so that a column in metres and the same one in units of 2^-40 metres give
the same bits. Rules that say when a regression is singular compare with fixed numbers, as bnlearn's do; in these units
they are judged by the column itself, not by the unit that somebody chose. A density in a column's own units is one in
ours, times the factor, for each row: only scores that are shown need that.

The deviation is the median of absolute differences from the median, in some rows: a few extreme values, which decide
the standard deviation, do not change it.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.data.split import row_numbers
from bnjit.stats.cells import Cells
from bnjit.stats.tuning import UNIT_BLOCK, UNIT_FIRST_ROWS, UNIT_ROWS


def _candidates(first: int, n: int) -> tuple[Floats, NDArray[np.int64]]:
    """Random numbers and numbers of some of the rows first ... first + n - 1: all early ones, and one of each block.

    They depend on nothing but the number of a row, so that chunks make no difference.
    """
    last = first + n
    early = max(0, min(last, UNIT_FIRST_ROWS) - first)
    begin = max(first, UNIT_FIRST_ROWS) // UNIT_BLOCK
    blocks = max(0, -(-last // UNIT_BLOCK) - begin)
    later = (np.arange(begin, begin + blocks) + row_numbers(blocks, 1, begin)) * UNIT_BLOCK
    numbers = np.concatenate([row_numbers(early, 2, first), row_numbers(blocks, 3, begin)])
    rows = np.concatenate([np.arange(first, first + early), later.astype(np.int64)])
    here = (rows >= first) & (rows < last)
    here[early:] &= rows[early:] >= UNIT_FIRST_ROWS
    return numbers[here], rows[here]


@lru_cache(8)
def _drawn(first: int, n: int) -> tuple[Floats, NDArray[np.int64]]:
    """Those of these rows with the least numbers: the numbers, and where the rows stand among the n."""
    numbers, rows = _candidates(first, n)
    least = np.argsort(numbers)[:UNIT_ROWS]
    return numbers[least], rows[least] - first


class SomeRows:
    """Values of continuous columns in a few rows, drawn by their numbers, whatever chunks they come in."""

    def __init__(self) -> None:
        self._numbers: Floats = np.empty(0)
        self.values: Floats | None = None  # float64[c, k]

    def add(self, first: int, chunk: Table) -> None:
        """Look at rows, the first of which has the number `first`."""
        numbers, rows = _drawn(first, chunk.n)
        values = [chunk.columns[j].numbers(rows) for j in chunk.continuous]
        self._take(numbers, np.array(values, np.float64).reshape(len(values), len(rows)))

    def join(self, other: "SomeRows") -> None:
        """Take the rows of another part."""
        if other.values is not None:
            self._take(other._numbers, other.values)

    def _take(self, numbers: Floats, values: Floats) -> None:
        if self.values is not None:
            numbers, values = np.append(self._numbers, numbers), np.append(self.values, values, axis=1)
            least = np.argsort(numbers, kind="stable")[:UNIT_ROWS]
            numbers, values = numbers[least], values[:, least]
        self._numbers, self.values = numbers, values

    def factors(self, whole: Cells, N: int) -> Floats:
        """Powers of two by which columns are to be multiplied, float64[N], given the moments of all rows."""
        assert self.values is not None
        return _factors(self.values, whole, N)


def factors_of_table(table: Table, whole: Cells) -> Floats:
    """Powers of two by which the columns of a table are to be multiplied, float64[N]."""
    some = SomeRows()
    some.add(0, table)
    return some.factors(whole, len(table.names))


def factors_of_moments(whole: Cells, N: int) -> Floats:
    """The same where nothing is known but moments: by the standard deviation."""
    return _factors(np.zeros((len(whole.columns), 1)), whole, N)


def _factors(some: Floats, whole: Cells, N: int) -> Floats:
    """Factors given some rows of the columns of `whole`, float64[c, k]; 1 for discrete and constant columns.

    Where most values are the same, the other ones count; where all are, the standard deviation of all rows.
    """
    factors, k, n = np.ones(N), some.shape[1], whole.counts[0].item()
    away = np.abs(some - np.sort(some, axis=1)[:, k // 2, None])
    away.sort(axis=1)
    i = np.arange(len(some))
    deviation = np.sqrt(np.maximum(whole.crosses[0, i * (i + 3) // 2], 0.0) / max(1, n - 1))
    for at in (k - 1, 9 * k // 10, k // 2):
        deviation = np.where(away[:, at] > 0.0, away[:, at], deviation)
    usable = (deviation > 0.0) & (deviation < np.inf)
    factors[list(whole.columns)] = np.where(usable, np.ldexp(1.0, -np.frexp(deviation)[1]), 1.0)
    return factors


def log_factors(schema: Schema) -> Floats:
    """Logarithms of what columns are multiplied by: what a row's log-density in their own units is larger by."""
    if schema.scale is None:
        return np.zeros(len(schema.names))
    return (np.frexp(schema.scale)[1] - 1) * np.log(2.0)
