"""What is known of a table after some of its rows: its columns, and how they go together."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit.report.column import NUMERIC, ColumnSummary, sum_up
from bnjit.report.tuning import MOST_HASHED_ROWS, MOST_PATTERNS, MOST_RELATED
from bnjit.report.values import Values, hash_values, make_values

LARGEST = 1e150  # of numbers whose squares can be added
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # an odd number that spreads bits


class Moments(NamedTuple):
    """Rows, means and sums of centred products of some columns, in rows where all of them are finite."""

    columns: tuple[int, ...]
    n: int
    means: NDArray[np.float64]
    cross: NDArray[np.float64]

    def merged(self, other: "Moments") -> "Moments":
        """Moments of the columns that both have."""
        if not self.n or not other.n:
            return self if self.n else other
        common = tuple(j for j in self.columns if j in set(other.columns))
        (a, A), (b, B) = (part._chosen(common) for part in (self, other))
        n = self.n + other.n
        gap = b - a
        return Moments(common, n, a + gap * (other.n / n), A + B + np.multiply.outer(gap, gap) * (self.n * other.n / n))

    def _chosen(self, columns: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        at = [self.columns.index(j) for j in columns]
        return self.means[at], self.cross[np.ix_(at, at)]


NO_MOMENTS = Moments((), 0, np.empty(0), np.empty((0, 0)))


class TableSummary:
    """What is known of a table.

    Attributes
    ----------
    n : int
        Rows.
    columns : list of ColumnSummary
        In column order.
    patterns : dict
        Rows by which columns are missing, a bit for each column; the empty bytes stand for patterns that are not kept.
    moments : Moments
        Of continuous columns.
    hashed_rows : int
        Rows among which duplicates are looked for, the first ones.
    duplicated_rows : int
        Rows that repeat one before them, once `finish` has counted them.
    """

    def __init__(self, columns: Sequence[ColumnSummary], n: int) -> None:
        self.columns, self.n = list(columns), n
        self.patterns: dict[bytes, int] = {}
        self.moments = NO_MOMENTS
        self.hashed_rows = self.duplicated_rows = 0
        self._hashes: list[NDArray[np.uint64]] = []

    @property
    def complete_rows(self) -> int:
        """Rows without a gap."""
        return self.patterns.get(bytes((len(self.columns) + 7) // 8), 0) if self.columns else self.n

    def add_hashes(self, hashes: Sequence[NDArray[np.uint64]]) -> None:
        """Take note of what rows hold, as long as they are not too many."""
        for some in hashes:
            kept = some[: MOST_HASHED_ROWS - self.hashed_rows]
            self._hashes.append(kept)
            self.hashed_rows += len(kept)

    def finish(self) -> None:
        """Count rows that come twice, and release what only that needs."""
        if self._hashes:
            rows = np.sort(np.concatenate(self._hashes))
            self.duplicated_rows = int((rows[1:] == rows[:-1]).sum())
            self._hashes = []

    def merged(self, other: "TableSummary") -> "TableSummary":
        """Return what is known of these rows and of those that follow."""
        if not self.n or not other.n:
            return self if self.n else other
        columns = [a.merged(b) for a, b in zip(self.columns, other.columns, strict=True)]
        out = TableSummary(columns, self.n + other.n)
        out.patterns = dict(self.patterns)
        for pattern, count in other.patterns.items():
            kept = pattern in out.patterns or len(out.patterns) < MOST_PATTERNS or not any(pattern)
            key = pattern if kept else b""
            out.patterns[key] = out.patterns.get(key, 0) + count
        out.moments = self.moments.merged(other.moments)
        out.add_hashes(self._hashes)
        if self.hashed_rows == self.n:  # those of later rows are of no use after rows that have none
            out.add_hashes(other._hashes)
        return out


def summarise(columns: Sequence[Any], declared: Sequence[bool]) -> TableSummary:
    """What a batch says of a table, given raw columns of one length."""
    values = [make_values(raw) for raw in columns]
    n = len(values[0].missing) if values else 0
    found, rows = [], np.zeros(n, np.uint64)
    for some, is_declared in zip(values, declared, strict=True):
        hashes = hash_values(some)
        found.append(sum_up(some, hashes, is_declared))
        mixed = (rows + hashes) * FACTOR
        rows = mixed ^ (mixed >> np.uint64(29))
    out = TableSummary(found, n)
    out.patterns = _patterns(values)
    out.add_hashes([rows])
    out.moments = _moments(values, declared)
    return out


def _patterns(values: Sequence[Values]) -> dict[bytes, int]:
    """Rows by which columns are missing."""
    if not values:
        return {}
    width = (len(values) + 7) // 8
    gappy = [j for j, some in enumerate(values) if some.missing.any()]
    if not gappy:
        return {bytes(width): len(values[0].missing)}
    short = np.packbits(np.column_stack([values[j].missing for j in gappy]), axis=1)
    distinct, counts = np.unique(short, axis=0, return_counts=True)
    whole = np.zeros((len(distinct), len(values)), bool)
    whole[:, gappy] = np.unpackbits(distinct, axis=1, count=len(gappy)).astype(bool)
    packed = np.packbits(whole, axis=1)
    out: dict[bytes, int] = {}
    for row, count in zip(packed, counts.tolist(), strict=True):
        key = row.tobytes() if len(out) < MOST_PATTERNS or not row.any() else b""
        out[key] = out.get(key, 0) + count
    return out


def _moments(values: Sequence[Values], declared: Sequence[bool]) -> Moments:
    """Moments of the numbers that are there in at least half of the rows."""
    chosen: list[int] = []
    numbers: list[NDArray[np.float64]] = []
    for j, (some, is_declared) in enumerate(zip(values, declared, strict=True)):
        if some.kind not in NUMERIC or is_declared or len(chosen) == MOST_RELATED:
            continue
        column = some.rows.astype(np.float64)
        column[some.missing | ~(np.abs(column) < LARGEST)] = np.nan
        if 2 * np.isfinite(column).sum() >= max(1, len(column)):
            chosen.append(j)
            numbers.append(column)
    if not chosen:
        return NO_MOMENTS
    X = np.column_stack(numbers)
    X = X[np.isfinite(X).all(axis=1)]
    if not len(X):
        return NO_MOMENTS
    means = X.mean(axis=0)
    X -= means
    return Moments(tuple(chosen), len(X), means, X.T @ X)


def costliest(summary: TableSummary, names: Sequence[Hashable], enough: float, most: int) -> tuple[list[Hashable], int]:
    """The few columns without which most rows are complete, and how many are then; greedily.

    Each time, the column is left out without which most rows are complete; where no single one makes any complete, it
    is the one with most gaps.
    """
    shape = (len(summary.patterns), len(summary.columns))
    counts = np.array(list(summary.patterns.values()), np.int64)
    unknown = np.array([key == b"" for key in summary.patterns], bool)
    gaps = np.zeros(shape, bool)
    for i, key in enumerate(summary.patterns):
        if key:
            gaps[i] = np.unpackbits(np.frombuffer(key, np.uint8), count=shape[1]).astype(bool)
    left_out: list[Hashable] = []
    complete = summary.complete_rows
    while complete < enough * summary.n and len(left_out) < most and gaps.any():
        alone = gaps.sum(axis=1) == 1
        gains = counts[alone] @ gaps[alone]
        worst = int(np.argmax(gains)) if gains.any() else int(np.argmax(counts @ gaps))
        gaps[:, worst] = False
        left_out.append(names[worst])
        complete = int(counts[~gaps.any(axis=1) & ~unknown].sum())
    return left_out, complete
