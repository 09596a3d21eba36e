"""Read a table once, wherever it is: in memory, in files batch by batch, or where the partitions of Dask are."""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnjit.data.check import check_no_names, declared_names
from bnjit.data.chunked.batches import Batches
from bnjit.data.dask import is_dask
from bnjit.data.open import open_large
from bnjit.data.read import raw_columns
from bnjit.data.schema import Schema
from bnjit.data.tuning import MERGED_AT_ONCE
from bnjit.errors import ArgumentError, DataError
from bnjit.progress import Watch
from bnjit.report.summary import TableSummary, summarise
from bnjit.report.tuning import BATCH_ROWS, BATCH_VALUES
from bnjit.report.values import NoColumn, is_column

RawColumns = list[tuple[Hashable, Any]]


class Rows(NamedTuple):
    """Where the rows of a table are; one of the last three says it.

    Attributes
    ----------
    names : list
        Names of the columns, which may come twice or be none.
    memory : callable, optional
        Reads raw columns of rows that are in memory, or fit there.
    batches : Batches, optional
        Reads the record batches of what may not fit.
    frame : dask.dataframe, optional
        Is where its workers are.
    """

    names: list[Hashable]
    memory: Callable[[], RawColumns] | None = None
    batches: Batches | None = None
    frame: Any = None


def find_rows(data: Any, names: Sequence[Hashable] | None, max_memory: Any, out_of_core: bool | None) -> Rows:
    """Find out where the rows of a table are, without reading more than its names."""
    if isinstance(data, Schema) or (hasattr(data, "schema") and isinstance(data.schema, Schema)):
        raise ArgumentError(f"data is {type(data).__name__}, which has no rows to check; give the table itself")
    if is_dask(data):
        if out_of_core is False:
            raise ArgumentError("out_of_core=False needs all rows in memory; give data.compute() for that")
        check_no_names(names)
        return Rows(list(data.columns), frame=data)
    large = open_large(data, names, max_memory, out_of_core)
    if large is not None:
        return Rows(list(large[0].schema.names), batches=large[0])
    columns = raw_columns(data, names)
    found = [name for name, _ in columns]
    if isinstance(data, str | os.PathLike):  # what was read is not kept until somebody asks for it again
        once = iter([columns])
        return Rows(found, memory=lambda: next(once, None) or raw_columns(data, names))
    return Rows(found, memory=lambda: columns)


def sum_up_rows(rows: Rows, discrete: Iterable[Hashable], watch: Watch | None = None) -> TableSummary:
    """Read all rows once."""
    known = declared_names(discrete, rows.names)
    declared = [name in known for name in rows.names]
    if rows.memory is not None:
        return _in_memory(rows.memory(), declared, watch)
    if rows.batches is not None:
        return _merge(_batch_summaries(rows.batches, declared, watch), declared)
    return _on_workers(rows.frame, declared)


def rows_at_once(columns: int) -> int:
    """Rows of a batch of so many columns."""
    return max(1, min(BATCH_ROWS, BATCH_VALUES // max(1, columns)))


def _in_memory(raw: RawColumns, declared: list[bool], watch: Watch | None) -> TableSummary:
    lengths = {len(values) for _, values in raw if is_column(values)}
    if len(lengths) > 1:
        shown = ", ".join(f"{name!r}: {len(values)}" for name, values in raw[:8] if is_column(values))
        raise DataError(f"the columns of data have different numbers of rows ({shown}); they must be equal")
    n = next(iter(lengths), 0)
    columns = [_sliceable(values, n) for _, values in raw]

    def summaries() -> Iterator[TableSummary]:
        step = rows_at_once(len(columns))
        for first in range(0, n, step):
            yield summarise([values[first : first + step] for values in columns], declared)
            if watch is not None:
                watch(1, min(n, first + step), n, "rows")

    return _merge(summaries(), declared)


def _sliceable(values: Any, n: int) -> Any:
    """Rows that can be cut into batches."""
    import pandas as pd

    if not is_column(values) or len(values) != n:
        return NoColumn(values, n)
    if isinstance(values, pd.Series):
        return values.iloc  # of positions, not of labels
    return values if hasattr(values, "__getitem__") else list(values)


def _batch_summaries(batches: Batches, declared: list[bool], watch: Watch | None) -> Iterator[TableSummary]:
    names, done = batches.schema.names, 0
    for _, batch in batches.read(names, rows_at_once(len(names))):
        yield summarise([batch.column(name) for name in names], declared)
        done += batch.num_rows
        if watch is not None:
            watch(1, done, batches.n or 0, "rows")


def _merge(parts: Iterable[TableSummary], declared: Sequence[bool]) -> TableSummary:
    """Summaries of batches in row order."""
    total = summarise([np.empty(0)] * len(declared), declared)
    for part in parts:
        total = total.merged(part)
    return total


def _on_workers(frame: Any, declared: list[bool]) -> TableSummary:
    """One Dask task for each partition, and merges of MERGED_AT_ONCE until one is left."""
    import dask

    sum_up, merge = (dask.delayed(function, pure=False) for function in (summarise_partition, merge_summaries))
    level = [sum_up(part, list(frame.columns), declared, i) for i, part in enumerate(frame.to_delayed())]
    while len(level) > 1:
        level = [merge(*level[at : at + MERGED_AT_ONCE]) for at in range(0, len(level), MERGED_AT_ONCE)]
    return level[0].compute()


def summarise_partition(frame: Any, names: list[Hashable], declared: list[bool], number: int) -> TableSummary:
    """What a partition says of a table; runs on a worker."""
    from bnjit.data.dask.partitions import partition_name

    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise DataError(f"{partition_name(number)} lacks the column {missing[0]!r}; all partitions need all columns")
    frame = frame[names]
    step = rows_at_once(len(names))
    batches = (frame.iloc[first : first + step] for first in range(0, len(frame), step))
    return _merge((summarise([part.iloc[:, j] for j in range(len(names))], declared) for part in batches), declared)


def merge_summaries(*parts: TableSummary) -> TableSummary:
    """What partitions say together, in their order; runs on a worker."""
    total = parts[0]
    for part in parts[1:]:
        total = total.merged(part)
    return total
