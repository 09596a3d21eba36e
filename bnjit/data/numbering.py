"""Integer columns that number the rows, by a stated rule, and names that are none: allowed, but hardly ever meant.

Measurements may be whole numbers that never repeat, and a table may be sorted by them. So integers number the rows only
if they go up by one and are no years. Others that are all different are identifiers only if the column is called so.
"""

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnjit.data.schema import listing
from bnjit.data.tuning import NUMBERING_ROWS, SOME_ROWS, YEARS
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
    """Whether a column of integers numbers the rows or identifies them, given its raw and typed values.

    A few values say mostly no.
    """
    n = len(values)
    if n < NUMBERING_ROWS or not _holds_integers(raw):
        return False
    if is_identifier_name(name):
        return len(np.unique(values[:SOME_ROWS])) == min(n, SOME_ROWS) and len(np.unique(values)) == n
    if not (_goes_up_by_one(values[:SOME_ROWS]) and _goes_up_by_one(values)):
        return False
    return not are_years(float(values[0]), float(values[-1]))


def _goes_up_by_one(values: NDArray[Any]) -> bool:
    above, below = values[1:], values[:-1]
    return bool(((above > below) & (above - below == 1)).all())  # small types wrap around


def _holds_integers(raw: Any) -> bool:
    kind = getattr(getattr(raw, "dtype", None), "kind", None)
    if kind is not None:
        return kind in "iu"
    if isinstance(raw, pa.ChunkedArray | pa.Array):
        return pa.types.is_integer(raw.type)
    return isinstance(raw[0], int) and not isinstance(raw[0], bool)
