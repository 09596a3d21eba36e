"""Levels of a discrete column: found in one batch of rows or in many, put in order, and told from identifiers.

Rows in memory are one batch; files come in many; each partition of a dask.dataframe has levels of its own, which are
merged. All three find levels here.
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.data.tuning import IDENTIFIER_ROWS
from bnjit.errors import ColumnError

FEW_ROWS = 3  # with fewer rows, as many levels as rows says nothing


class Levels:
    """Levels that were found so far, numbered in the order in which they came.

    Attributes
    ----------
    keeps_order : bool
        Whether that order is the column's own, as it is for categories; otherwise levels are sorted in the end.
    rows : int
        Rows that were seen.
    """

    def __init__(self, keeps_order: bool) -> None:
        self.keeps_order, self.rows = keeps_order, 0
        self._codes: dict[Hashable, int] = {}
        self._once: set[int] | None = set()  # codes that one row each has had; None as soon as one comes twice

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """Levels in the order in which they came."""
        return tuple(self._codes)

    def add(self, labels: Iterable[Hashable]) -> NDArray[np.int64]:
        """Return the code of each label; one that is new gets the next code, and a missing one -1."""
        codes = self._codes
        return np.array([-1 if x is None else codes.setdefault(x, len(codes)) for x in labels], np.int64)

    def add_rows(self, codes: NDArray[Any]) -> None:
        """Take note of which levels rows have, to recognise an identifier."""
        self.rows += len(codes)
        if self._once is not None:
            self._keep_if_new(codes_if_distinct(codes, len(self._codes)))

    def _keep_if_new(self, codes: NDArray[Any] | None) -> None:
        """Keep codes that one row each has; codes are None where two rows have the same."""
        if self._once is None or codes is None or not self._once.isdisjoint(some := codes.tolist()):
            self._once = None
        else:
            self._once.update(some)

    def in_order(self) -> tuple[Hashable, ...]:
        """Levels in their final order."""
        return self.labels if self.keeps_order else sort_labels(self.labels)[0]

    def merged(self, others: Sequence["Levels"]) -> "Levels":
        """Return the levels of these rows and of those that follow; changes nothing."""
        out = Levels(self.keeps_order)
        for part in (self, *others):
            codes = out.add(part._codes)
            out.rows += part.rows
            out._keep_if_new(None if part._once is None else codes[list(part._once)])
        return out

    @property
    def is_identifier(self) -> bool:
        """Whether each of the rows seen has a level of its own, and they are not just a few."""
        return self._once is not None and self.rows >= FEW_ROWS

    def reject_identifier_early(self, name: Hashable, limit: int = IDENTIFIER_ROWS) -> None:
        """Raise if `limit` rows or more have a level each: to go on would only cost memory."""
        if self.is_identifier and self.rows >= limit:
            raise ColumnError(identifier_message(name, self.rows, has_more=True))


def as_labels(values: Iterable[Any]) -> list[Any]:
    """Labels that can be written and compared everywhere: texts, booleans and numbers, and the text of anything else.

    >>> import pandas as pd
    >>> as_labels([pd.Interval(0.5, 1.5), "low", 3, None])
    ['(0.5, 1.5]', 'low', 3, None]
    """
    plain = (str, bool, int, float, list, dict, type(None))  # lists and dicts are refused later
    return [value if isinstance(value, plain) else str(value) for value in values]


def sort_labels(labels: Sequence[Any]) -> tuple[tuple[Hashable, ...], NDArray[np.int64]]:
    """Sort labels that are all different; return them, and the new position of each.

    >>> sort_labels(["low", "high", "mid"])
    (('high', 'low', 'mid'), array([1, 0, 2]))
    """
    order = sorted(range(len(labels)), key=labels.__getitem__)
    position = np.empty(len(labels), np.int64)
    position[order] = np.arange(len(labels))
    return tuple(labels[i] for i in order), position


def codes_if_distinct(codes: NDArray[Any], levels: int) -> NDArray[Any] | None:
    """Return the codes of rows, sorted, if no two rows have the same; None otherwise."""
    if levels < len(codes):
        return None
    found: NDArray[Any] = np.unique(codes)
    return found if len(found) == len(codes) else None


def identifier_message(name: Hashable, rows: int, has_more: bool = False) -> str:
    """Say that a discrete column is different in each row, or in each of the first rows of those that it has."""
    return (
        f"column {name!r} is discrete and different in each of its {'first ' if has_more else ''}{rows:,} rows, "
        "like an identifier; drop it, or make it a number if it measures something"
    )
