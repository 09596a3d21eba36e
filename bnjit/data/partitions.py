"""Partitions of a table become Tables with the levels that all partitions agreed on, which a first look finds."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnjit.data.column import FEW_ROWS, Column, code_type, identifier, relabelled, type_column
from bnjit.data.encoding import IDENTIFIER_ROWS
from bnjit.data.table import Labels, Table
from bnjit.errors import DataError

NUMBERS, BOOLEANS, TEXT, CATEGORIES = "numbers", "booleans", "text", "categories"


class Seen(NamedTuple):
    """What partitions say of a column.

    Attributes
    ----------
    kind : str
        What it holds, as far as partitions must agree on it.
    partition : int
        The first partition that says so.
    labels : tuple, optional
        Levels in the order in which they came; None for a continuous column.
    single : frozenset, optional
        The levels that there are in rows if each is there once; None as soon as one is there twice.
    """

    kind: str
    partition: int
    labels: Labels
    single: frozenset[Hashable] | None

    @property
    def settled(self) -> Labels:
        """Levels in their order: those that have none of their own are sorted."""
        if self.labels is None or self.kind in (BOOLEANS, CATEGORIES):
            return self.labels
        labels: list[Any] = list(self.labels)
        return tuple(sorted(labels))

    def reject_identifier(self, name: Hashable, n: int) -> None:
        """Raise for a discrete column that is different in each row."""
        if self.labels is not None and self.single is not None and n >= FEW_ROWS:
            raise DataError(identifier(name, n))


def place(number: int) -> str:
    """Name a partition in messages."""
    return f"partition {number} of data (counting from 0)"


def columns_of(frame: Any, names: Sequence[Hashable], declared: frozenset[Hashable], number: int) -> list[Column]:
    """Typed columns of a partition, with levels of its own."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"{place(number)} is a {type(frame).__name__}; it must be a pandas DataFrame")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise DataError(f"{place(number)} lacks the column {missing[0]!r}; all partitions need all columns")
    try:
        return [type_column(name, frame[name], name in declared) for name in names]
    except DataError as error:
        raise DataError(f"{place(number)}: {error}") from error.__cause__


def look_at_partition(
    frame: Any, names: Sequence[Hashable], declared: frozenset[Hashable], number: int
) -> tuple[Table, list[Seen]]:
    """A partition with levels of its own, and what it says of each column; an empty one says nothing."""
    if not len(frame):
        return Table(names, [Column(np.empty(0), None) for _ in names], 0), []
    columns = columns_of(frame, names, declared, number)
    seen = []
    for name, column in zip(names, columns, strict=True):
        single = None
        if column.labels is not None and len(column.labels) >= len(frame):
            codes = np.unique(column.values)
            if len(codes) == len(frame):
                single = frozenset(column.labels[code] for code in codes.tolist())
        seen.append(Seen(_kind(frame[name], column), number, column.labels, single))
    return Table(names, columns, len(frame)), seen


def _kind(series: Any, column: Column) -> str:
    import pandas as pd

    if column.labels is None:
        return NUMBERS
    if isinstance(series.dtype, pd.CategoricalDtype):
        return CATEGORIES
    first = column.labels[0]
    return BOOLEANS if isinstance(first, bool) else TEXT if isinstance(first, str) else NUMBERS


def united(names: Sequence[Hashable], parts: Sequence[list[Seen]]) -> list[Seen]:
    """What partitions, in their order, say together; those that say nothing have no rows."""
    said = [part for part in parts if part]
    return [_together(name, some) for name, *some in zip(names, *said, strict=True)] if said else []


def _together(name: Hashable, parts: list[Seen]) -> Seen:
    first = parts[0]
    for other in parts[1:]:
        if other.kind != first.kind:
            raise DataError(
                f"column {name!r} holds {other.kind} in partition {other.partition} of data and {first.kind} in "
                f"partition {first.partition} (counting from 0); give it one type"
            )
    if first.labels is None:
        return first
    labels = tuple(dict.fromkeys(label for part in parts for label in part.labels or ()))
    single: frozenset[Hashable] | None = frozenset()
    for part in parts:
        if single is None or part.single is None or not single.isdisjoint(part.single):
            single = None
            break
        single |= part.single
    if single is not None and len(single) >= IDENTIFIER_ROWS:
        raise DataError(identifier(name, len(single)).replace("its", "its first"))
    return first._replace(labels=labels, single=single)


def table_of(
    frame: Any, names: Sequence[Hashable], labels: Sequence[Labels], wanted: Sequence[int], number: int
) -> Table:
    """Some columns of a partition in terms of the levels of all; the others are empty."""
    declared = frozenset(name for name, own in zip(names, labels, strict=True) if own is not None)
    columns = [Column(np.empty(0, np.float64 if own is None else code_type(len(own))), own) for own in labels]
    if not len(frame):
        return Table(names, columns, 0)
    for j, column in zip(wanted, columns_of(frame, [names[j] for j in wanted], declared, number), strict=True):
        own = labels[j]
        if (column.labels is None) != (own is None):
            raise DataError(f"column {names[j]!r} changed its type in {place(number)} since data was first read")
        try:
            columns[j] = column if own is None else relabelled(column, own)
        except KeyError as error:
            raise DataError(
                f"column {names[j]!r} has the level {error.args[0]!r} in {place(number)}, which was not there when "
                "data was first read"
            ) from None
    return Table(names, columns, len(frame))
