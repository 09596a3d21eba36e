"""Partitions become Tables with the levels that all partitions have together, which the first pass finds."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnjit.data.column import Column, code_type, relabelled, type_column
from bnjit.data.gaps import only_gaps, type_part_with_gaps
from bnjit.data.levels import Levels
from bnjit.data.numbering import RowNumbers, holds_integers
from bnjit.data.schema import Labels
from bnjit.data.table import Table
from bnjit.data.tuning import IDENTIFIER_ROWS
from bnjit.errors import ColumnError, DataError

NUMBERS, BOOLEANS, TEXT, CATEGORIES = "numbers", "booleans", "text", "categories"
GAPS = "gaps"  # and nothing else, whatever pandas calls them: other partitions say what the column is


class ColumnFindings(NamedTuple):
    """What the first pass finds of a column.

    Attributes
    ----------
    kind : str
        What it holds, as far as partitions must agree on it.
    partition : int
        The first partition where it does.
    levels : Levels, optional
        Levels of a discrete column; None for a continuous one.
    row_numbers : RowNumbers, optional
        Whether a continuous column of integers numbers the rows.
    """

    kind: str
    partition: int
    levels: Levels | None
    row_numbers: RowNumbers | None = None

    @property
    def labels(self) -> Labels:
        """Levels in their final order; None for a continuous column."""
        return None if self.levels is None else self.levels.in_order()


def partition_name(number: int) -> str:
    """Name a partition in messages."""
    return f"partition {number} of data (counting from 0)"


def without_gaps(frame: Any, names: Sequence[Hashable], number: int) -> tuple[Any, tuple[int, ...]]:
    """Rows of a partition without those that have a gap; how many these are, and the gaps of each column."""
    check_partition(frame, names, number)
    gaps = frame.isna()
    incomplete = gaps.any(axis=1)
    return frame[~incomplete], (int(incomplete.sum()), *(int(gaps[name].sum()) for name in names))


def check_partition(frame: Any, names: Sequence[Hashable], number: int) -> None:
    """Raise for a partition that is no table with these columns."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"{partition_name(number)} is a {type(frame).__name__}; it must be a pandas DataFrame")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise DataError(f"{partition_name(number)} lacks the column {missing[0]!r}; all partitions need all columns")


def columns_of(
    frame: Any, names: Sequence[Hashable], declared: frozenset[Hashable], number: int, keeps_gaps: bool = False
) -> list[Column]:
    """Typed columns of a partition, with levels of its own."""
    check_partition(frame, names, number)
    try:
        type_it = type_part_with_gaps if keeps_gaps else type_column
        return [type_it(name, frame[name], name in declared) for name in names]
    except DataError as error:
        raise type(error)(f"{partition_name(number)}: {error}") from error.__cause__


def find_levels(
    frame: Any, names: Sequence[Hashable], declared: frozenset[Hashable], number: int, keeps_gaps: bool = False
) -> tuple[Table, list[ColumnFindings]]:
    """A partition with levels of its own, and what it holds of each column; nothing for an empty partition."""
    if not len(frame):
        return Table(names, [Column(np.empty(0), None) for _ in names], 0), []
    columns = columns_of(frame, names, declared, number, keeps_gaps)
    findings = []
    for name, column in zip(names, columns, strict=True):
        kind, levels, row_numbers = _kind(frame[name], column), None, None
        if column.labels:
            levels = Levels(keeps_order=kind in (BOOLEANS, CATEGORIES))
            levels.add(column.labels)
            levels.add_rows(column.values[column.values < len(column.labels)] if keeps_gaps else column.values)
        elif holds_integers(frame[name]):
            row_numbers = RowNumbers(name)
            row_numbers.add(column.values)
        findings.append(ColumnFindings(kind, number, levels, row_numbers))
    return Table(names, columns, len(frame)), findings


def _kind(series: Any, column: Column) -> str:
    import pandas as pd

    if column.labels is None:
        return NUMBERS
    if isinstance(series.dtype, pd.CategoricalDtype):
        return CATEGORIES
    if not column.labels:
        return GAPS
    first = column.labels[0]
    return BOOLEANS if isinstance(first, bool) else TEXT if isinstance(first, str) else NUMBERS


def merge_findings(
    names: Sequence[Hashable], parts: Sequence[list[ColumnFindings]], identifier_rows: int = IDENTIFIER_ROWS
) -> list[ColumnFindings]:
    """What several partitions, in their order, hold together; parts that are empty have no rows."""
    filled = [part for part in parts if part]
    if not filled:
        return []
    return [_merge_column(name, some, identifier_rows) for name, *some in zip(names, *filled, strict=True)]


def _merge_column(name: Hashable, parts: list[ColumnFindings], identifier_rows: int) -> ColumnFindings:
    first, *others = [part for part in parts if part.kind != GAPS] or parts
    for other in others:
        if other.kind != first.kind:
            raise ColumnError(
                f"column {name!r} holds {other.kind} in partition {other.partition} of data and {first.kind} in "
                f"partition {first.partition} (counting from 0); give it one type"
            )
    if first.levels is None:
        numbers = [part.row_numbers for part in parts if part.row_numbers is not None]
        row_numbers = numbers[0].merged(numbers[1:]) if len(numbers) == len(parts) else None
        return first._replace(row_numbers=row_numbers)
    levels = first.levels.merged([other.levels for other in others if other.levels is not None])
    levels.reject_identifier_early(name, identifier_rows)
    return first._replace(levels=levels)


def type_partition(
    frame: Any,
    names: Sequence[Hashable],
    labels: Sequence[Labels],
    wanted: Sequence[int],
    number: int,
    keeps_gaps: bool = False,
) -> Table:
    """Some columns of a partition in terms of the levels of all; the others are empty."""
    declared = frozenset(name for name, own in zip(names, labels, strict=True) if own is not None)
    columns = [Column(np.empty(0, np.float64 if own is None else code_type(len(own))), own) for own in labels]
    if not len(frame):
        return Table(names, columns, 0)
    for j, column in zip(
        wanted, columns_of(frame, [names[j] for j in wanted], declared, number, keeps_gaps), strict=True
    ):
        own, where = labels[j], partition_name(number)
        if column.labels == () and keeps_gaps:
            columns[j] = only_gaps(len(frame), own)
            continue
        if (column.labels is None) != (own is None):
            raise DataError(f"column {names[j]!r} changed its type in {where} since data was first read")
        try:
            columns[j] = column if own is None else relabelled(column, own)
        except KeyError as error:
            raise DataError(
                f"column {names[j]!r} has the level {error.args[0]!r} in {where}, which was not there when data was "
                "first read"
            ) from None
    return Table(names, columns, len(frame))
