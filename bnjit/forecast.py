"""Say before a search what it will take: rows, columns, passes, time and memory, all of them roughly."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from bnjit.data.chunked.chunks import Chunks
from bnjit.data.chunked.memory import as_memory
from bnjit.data.dask import is_dask
from bnjit.data.open import open_source
from bnjit.data.schema import Schema
from bnjit.data.table import Table
from bnjit.stats.collect import dense_limit

# Measured: continuous columns take one pass. Discrete ones take about a pass for each parent that nodes come to have
# and a few more; mixed ones take a few passes in place of each.
DISCRETE_PASSES, MIXED_PASSES = 15, 60
SECONDS_PER_VALUE = 2e-8  # to read, count and merge one value on one core, in one pass
# To score one pair of columns in a search, for each row; and beside that. Measured on two cores of a Zen 4.
SECONDS_PER_PAIR = {"gaussian": 6e-11, "discrete": 2e-10, "mixed": 4e-9}
SECONDS_PER_SCORE = 1e-5
# To find the configurations of a row by sorting, where a node and two parents have too many for a table of them all.
SECONDS_TO_SORT = 6e-8
LEVELS_LOOKED_AT = 10
LONG_SECONDS = 5.0  # a search that is worth a word before
COPIES = 2  # of a partition in the memory of a worker: a DataFrame and a Table


def forecast(
    data: Any, discrete: Iterable[Hashable], max_memory: Any, out_of_core: bool | None, name: str = "data"
) -> str | None:
    """One line on what learning from data that is not read whole will take.

    None for data that is read whole. `name` names the data in the line.
    """
    memory = as_memory(max_memory)
    if is_dask(data):
        return forecast_cluster(name, data, discrete, memory)
    source = open_source(data, discrete, None, max_memory, out_of_core)
    if not isinstance(source, Chunks):
        return None
    passes = expected_passes(source.discrete)
    rows = source.batches.n
    known = "rows unknown before they are read" if rows is None else f"{rows:,} rows"
    seconds = "" if rows is None else f", {passes * rows * len(source.names) * SECONDS_PER_VALUE:,.0f} seconds or so"
    return (
        f"{name}: {known}, {len(source.names)} columns, read in chunks of {source.chunk_rows:,} rows: about "
        f"{_some(passes, 'pass')}{seconds}, up to {memory / 1e9:,.2f} GB of memory for rows and statistics"
    )


def forecast_cluster(name: str, frame: Any, discrete: Iterable[Hashable], memory: int) -> str:
    """One line on what learning from a dask.dataframe on a cluster will take."""
    from distributed import get_client

    declared = set(discrete)
    numeric = [isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in frame.dtypes]
    is_discrete = [not number or column in declared for column, number in zip(frame.columns, numeric, strict=True)]
    passes = expected_passes(is_discrete)
    rows, columns, parts = len(frame), len(frame.columns), frame.npartitions
    cores = get_client().nthreads()
    total = max(1, sum(cores.values()))
    seconds = passes * rows * columns * SECONDS_PER_VALUE / min(total, parts)
    partition = COPIES * 8 * columns * rows / parts
    return (
        f"{name}: {rows:,} rows, {columns} columns in {_some(parts, 'partition')}, {_some(len(cores), 'worker')} with "
        f"{_some(total, 'thread')}: about {_some(passes, 'pass')}, {seconds:,.0f} seconds or so, "
        f"{partition / 1e9:,.2f} GB of memory for each thread of a worker, up to {memory / 1e9:,.2f} GB here for "
        "statistics"
    )


def forecast_search(table: Schema, memory: int) -> str | None:
    """One line on what a search over rows in memory will take; None if that is not long. `memory` is of statistics."""
    seconds = expected_seconds(table)
    if not isinstance(table, Table) or seconds < LONG_SECONDS:
        return None
    discrete = sum(table.discrete)
    time = f"{seconds:,.0f} seconds" if seconds < 120 else f"{seconds / 60:,.0f} minutes"
    return (
        f"{table.n:,} rows, {len(table.names)} columns, {discrete} of them discrete: hill climbing takes about {time}, "
        f"other searches longer; up to {memory / 1e9:,.2f} GB of memory for statistics"
    )


def expected_seconds(table: Schema) -> float:
    """Seconds that hill climbing with "bic" takes on two cores, to a factor of three or so."""
    N = len(table.names)
    kind = "mixed" if len(set(table.discrete)) == 2 else "discrete" if table.discrete[0] else "gaussian"
    per_row = SECONDS_PER_PAIR[kind] + _share_sorted(table) * SECONDS_TO_SORT
    return N * N * (table.n * per_row + SECONDS_PER_SCORE)


def _share_sorted(table: Schema) -> float:
    """Share of sets of three discrete columns with too many configurations for a table of them all, by quantiles."""
    levels = [r for r in table.levels if r]
    if not levels:
        return 0.0
    some = np.quantile(levels, np.linspace(0.0, 1.0, LEVELS_LOOKED_AT))
    share = np.multiply.outer(np.multiply.outer(some, some), some) > dense_limit(table.n)
    return float(share.mean()) * len(levels) / len(table.names)


def expected_passes(discrete: Iterable[bool]) -> int:
    """Passes that a search takes, about, by whether each column is discrete.

    >>> expected_passes([False, False]), expected_passes([True, True]), expected_passes([True, False])
    (1, 15, 60)
    """
    kinds = set(discrete)
    if kinds == {False}:
        return 1
    return DISCRETE_PASSES if kinds == {True} else MIXED_PASSES


def _some(number: int, what: str) -> str:
    ending = "" if number == 1 else "es" if what.endswith("s") else "s"
    return f"{number:,} {what}{ending}"
