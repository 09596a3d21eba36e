"""Integer columns that number the rows, by a stated rule, and names that are none: allowed, but hardly ever meant.

Measurements may be whole numbers that never repeat, and a table may be sorted by them. So integers number the rows only
if they go up by one and are no years. Others that are all different are identifiers only if the column is called so.
"""

import re
from collections.abc import Hashable, Sequence
from copy import copy
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnjit.data.schema import listing
from bnjit.data.tuning import IDENTIFIERS_KEPT, NUMBERING_ROWS, SOME_ROWS, YEARS
from bnjit.errors import warn

_UNNAMED = re.compile(r"\s*|Unnamed: \d+(_level_\d+)?")
_IDENTIFIER = re.compile(r"(.*[\W_])?(ids?|uuid|guid|rowid)|key|index|idx|row[ _.]?names?|.*[a-z]I[Dd]", re.ASCII)


def is_unnamed(name: Hashable) -> bool:
    """Whether a name is empty, or what pandas calls a column of a CSV file without one.

    >>> is_unnamed(""), is_unnamed("Unnamed: 0"), is_unnamed("unit")
    (True, True, False)
    """
    return isinstance(name, str) and _UNNAMED.fullmatch(name) is not None


def is_identifier_name(name: Hashable) -> bool:
    """Whether a name is one that identifiers have.

    >>> [is_identifier_name(name) for name in ("id", "patient_id", "PassengerId", "index", "humid", "price_index")]
    [True, True, True, True, False, False]
    """
    if not isinstance(name, str):
        return False
    return _IDENTIFIER.fullmatch(name) is not None or _IDENTIFIER.fullmatch(name.lower()) is not None


def are_years(first: float, last: float) -> bool:
    """Whether numbers that go up may be years."""
    return YEARS[0] <= first and last <= YEARS[1]


def warn_of_numbering(names: Sequence[Hashable], numbering: Sequence[Hashable]) -> None:
    """Warn of columns that number the rows or are called identifiers, and of those without a name."""
    unnamed = [name for name in names if is_unnamed(name)]
    if not (unnamed or numbering):
        return
    parts = []
    called = [name for name in numbering if is_identifier_name(name)]
    others = [name for name in numbering if not is_identifier_name(name)]
    if others:
        parts.append(f"{listing(others)} number{'s' if len(others) == 1 else ''} the rows, like an index")
    if called:
        are = "is different in every row, like an identifier"
        parts.append(f"{listing(called)} {are if len(called) == 1 else 'are different in every row, like identifiers'}")
    if unnamed:
        parts.append(f"{listing(unnamed)} {'has' if len(unnamed) == 1 else 'have'} no name, like a saved index")
    warn(f"{'; '.join(parts)}: drop what measures nothing (bnjit.check(data).prepared() does)")


def numbers_rows(name: Hashable, raw: Any, values: NDArray[Any]) -> bool:
    """Whether a column of integers numbers the rows or identifies them, given its raw and typed values."""
    if len(values) < NUMBERING_ROWS or not holds_integers(raw):
        return False
    found = RowNumbers(name)
    found.add(values)
    return found.number_rows


class RowNumbers:
    """Whether the integers of a column number the rows or identify them, batch after batch.

    Most columns are known not to after a few values, and cost nothing from then on. Of a column that is called an
    identifier, the values with the least hashes are kept: all of them at first, and as good as all in the end, since
    values that come twice are hardly ever among the others alone.
    """

    def __init__(self, name: Hashable) -> None:
        self._called = self._differ = is_identifier_name(name)
        self._rise = not self._called  # by one from row to row
        self._ends: tuple[int, int] | None = None
        self._kept: NDArray[np.uint64] = np.empty(0, np.uint64)
        self.rows = 0

    @property
    def number_rows(self) -> bool:
        """Whether all rows seen are numbered, or have identifiers."""
        if self.rows < NUMBERING_ROWS or self._ends is None:
            return False
        return self._differ if self._called else self._rise and not are_years(*self._ends)

    def add(self, values: NDArray[Any]) -> None:
        """Take note of the next rows; gaps number nothing, and those that are called identifiers may have some."""
        self.rows += len(values)
        there = values[~np.isnan(values)] if values.dtype.kind == "f" else values
        self._rise = self._rise and len(there) == len(values)
        if not len(there):
            return
        values, ends = there, (int(there[0]), int(there[-1]))
        if self._rise:
            self._rise = self._follows(ends[0]) and _goes_up_by_one(values[:SOME_ROWS]) and _goes_up_by_one(values)
        if self._differ and len(np.unique(values[:SOME_ROWS])) == len(values[:SOME_ROWS]):
            self._keep(_hashes(values))
        else:
            self._differ = False
        self._ends = (ends[0] if self._ends is None else self._ends[0]), ends[1]

    def merged(self, others: Sequence["RowNumbers"]) -> "RowNumbers":
        """Return what these rows and those that follow say together; changes nothing."""
        out = copy(self)
        for other in others:
            out._rise = out._rise and other._rise
            out._differ = out._differ and other._differ
            out.rows += other.rows
            if other._ends is None:
                continue
            out._rise = out._rise and out._follows(other._ends[0])
            out._keep(other._kept)
            out._ends = (other._ends[0] if out._ends is None else out._ends[0]), other._ends[1]
        return out

    def _follows(self, first: int) -> bool:
        return self._ends is None or first == self._ends[1] + 1

    def _keep(self, hashes: NDArray[np.uint64]) -> None:
        """Keep the least hashes, if none comes twice."""
        if len(self._kept) == IDENTIFIERS_KEPT:
            hashes = hashes[hashes <= self._kept[-1]]
        found = np.unique(np.concatenate([self._kept, hashes]))
        self._differ = self._differ and len(found) == len(self._kept) + len(hashes)
        self._kept = found[:IDENTIFIERS_KEPT].copy() if self._differ else found[:0]


def _hashes(values: NDArray[Any]) -> NDArray[np.uint64]:
    """A number for each integer that is another for another one, and as good as random."""
    with np.errstate(over="ignore", invalid="ignore"):
        mixed = values.astype(np.int64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        found: NDArray[np.uint64] = (mixed ^ mixed >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)
    return found


def _goes_up_by_one(values: NDArray[Any]) -> bool:
    above, below = values[1:], values[:-1]
    return bool(((above > below) & (above - below == 1)).all())  # small types wrap around


def holds_integers(raw: Any) -> bool:
    """Whether a raw column holds whole numbers by its type."""
    kind = getattr(getattr(raw, "dtype", None), "kind", None)
    if kind is not None:
        return kind in "iu"
    if isinstance(raw, pa.ChunkedArray | pa.Array):
        return pa.types.is_integer(raw.type)
    return isinstance(raw[0], int) and not isinstance(raw[0], bool)
