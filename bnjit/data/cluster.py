"""A Parquet path read on a cluster, and what learning from it will take."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from bnjit.errors import ArgumentError, DataError

WAIT = 10  # seconds for a scheduler to answer
SECONDS_PER_VALUE = 2e-8  # to read, count and merge one value on one core, in one pass
TABLES = 2  # a partition is in memory as a DataFrame and as a Table


@contextmanager
def read_on_cluster(path: str, address: str) -> Iterator[Any]:
    """A dask.dataframe of a Parquet path, while the scheduler at an address is what computes.

    Workers open the path themselves, so it must be one that they see.
    """
    try:
        import dask.dataframe as dd
        from distributed import Client
    except ImportError:
        raise ArgumentError("Dask is not installed: pip install 'bnjit[dask]'") from None
    try:
        client = Client(address, timeout=WAIT)
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ArgumentError(f"no Dask scheduler answers at {address!r}: {why}") from None
    with client:
        try:
            frame = dd.read_parquet(path)
            rows = frame.npartitions
        except (pa.ArrowException, OSError, ValueError, IndexError) as error:
            cause = error.__cause__ or error  # which says more than Dask's own words around it
            lines = [line for line in str(cause).splitlines() if line.strip()] or [type(cause).__name__]
            raise DataError(f"cannot read {path!r} as Parquet: {lines[-1].strip()}") from error
        if not rows:
            raise DataError(f"{path!r} has no rows")
        yield frame


def forecast_cluster(path: str, frame: Any, discrete: Iterable[Hashable], rounds: int, memory: int) -> str:
    """One line on what learning on a cluster will take: rows, columns, passes, time and memory, all about.

    rounds : passes of a search on discrete columns; mixed ones need four times as many
    """
    from distributed import get_client

    declared = set(discrete)
    numeric = [isinstance(kind, np.dtype) and kind.kind in "iuf" for kind in frame.dtypes]
    kinds = {is_number and name not in declared for name, is_number in zip(frame.columns, numeric, strict=True)}
    passes = 1 if kinds == {True} else rounds * (1 if kinds == {False} else 4)
    rows, columns, parts = len(frame), len(frame.columns), frame.npartitions
    cores = get_client().nthreads()
    total = max(1, sum(cores.values()))
    seconds = passes * rows * columns * SECONDS_PER_VALUE / min(total, parts)
    partition = TABLES * 8 * columns * rows / parts
    return (
        f"{path}: {rows:,} rows, {columns} columns in {_some(parts, 'partition')}, {_some(len(cores), 'worker')} with "
        f"{_some(total, 'thread')}: about {passes} pass{'es' if passes > 1 else ''}, {seconds:,.0f} seconds or so, "
        f"{partition / 1e9:,.2f} GB of memory for each thread of a worker, up to {memory / 1e9:,.2f} GB here for "
        "statistics"
    )


def _some(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
