"""Whether data is read whole or in chunks: what memory it would take, and what it may take."""

import os
import re
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bnjit.data.batches import IPC, Batches, Factory, IpcFile, ParquetFiles, files_of
from bnjit.data.chunks import CHUNK_ROWS, Chunks
from bnjit.data.cluster import forecast_cluster
from bnjit.data.dask import DaskRows, is_dask
from bnjit.data.readers import check_names, check_no_names, declared_names
from bnjit.data.source import Root
from bnjit.errors import ArgumentError, DataError

LEAST_MEMORY = 10**6
CHUNK_SHARE = 16  # parts of the memory that one chunk takes
ROUNDS, SECONDS_PER_VALUE = 15, 2e-8  # of a search, and of reading and counting one value
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}


def as_memory(value: Any) -> int:
    """Bytes that max_memory stands for: a number, a text like "2GB", or None for half of the free memory.

    >>> as_memory("1.5 GB"), as_memory(10_000_000)
    (1500000000, 10000000)
    """
    if value is None:
        return max(LEAST_MEMORY, free_memory() // 2)
    size = float("nan")
    if isinstance(value, str):
        found = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", value)
        if found and found[2].upper() in _UNITS and re.fullmatch(r"\d+\.?\d*|\.\d+", found[1]):
            size = float(found[1]) * _UNITS[found[2].upper()]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        size = float(value)
    if not LEAST_MEMORY <= size <= 2**62:
        raise ArgumentError(
            f"max_memory={value!r} must be a number of bytes, or a text like '500MB' or '2GB'; 1MB or more"
        )
    return int(size)


def free_memory() -> int:
    """Memory that is free, about."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return 1 << 32


def open_batches(data: Any) -> Batches | None:
    """Record batches of a Parquet file or a folder of them, of an Arrow file or a function; None for other data."""
    if callable(data):
        return Factory(data)
    if not isinstance(data, str | os.PathLike):
        return None
    path = Path(data)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except OSError:  # a name that no file can have
        return None
    if is_folder:
        return ParquetFiles(files_of(path))
    if is_file and (".parquet" in suffixes or ".pq" in suffixes):
        return ParquetFiles([path])
    return IpcFile(path) if is_file and path.suffix.lower() in IPC else None


def _missing(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:
        return True


def open_source(data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any,
                out_of_core: bool | None) -> Root | None:  # fmt: skip
    """Return a source for data that must, or may, not be read whole; its rows have not been read yet.

    None for data that is in memory, or fits there.
    """
    if max_memory is not None:
        max_memory = as_memory(max_memory)  # which refuses what is no memory, whatever the data is
    if out_of_core is not None and not isinstance(out_of_core, bool):
        raise ArgumentError(f"out_of_core={out_of_core!r} must be True, False or None")
    if is_dask(data):
        if out_of_core is False:
            raise ArgumentError("out_of_core=False needs all rows in memory; give data.compute() for that")
        check_no_names(names)
        return DaskRows(data, discrete)
    in_chunks = out_of_core or callable(data)
    if out_of_core is False and not callable(data):
        return None
    try:
        batches = open_batches(data)
    except DataError:
        if in_chunks or Path(data).is_dir():
            raise
        return None  # whoever reads it whole says what is wrong with it
    if batches is None:
        if in_chunks and not (isinstance(data, str | os.PathLike) and _missing(Path(data))):
            raise ArgumentError(
                "out_of_core=True is for a Parquet file or a folder of them, an Arrow IPC file, or a function that "
                "returns an iterable of pyarrow.RecordBatches"
            )
        return None
    check_no_names(names)
    size, memory = batches.memory(), as_memory(max_memory)
    if not in_chunks and (size is None or size <= memory):
        return None
    check_names(list(batches.schema.names))
    found = Chunks(batches, declared_names(discrete, list(batches.schema.names)))
    width = sum(8 if r is None else 4 for r in found.labels)
    found.chunk_rows = max(1, min(CHUNK_ROWS, memory // CHUNK_SHARE // width))
    return found


def forecast(
    data: Any, discrete: Iterable[Hashable], max_memory: Any, out_of_core: bool | None, name: str = "data"
) -> str | None:
    """One line on what reading data in chunks will take: rows, columns, passes, time and memory, all about.

    None for data that is read whole.
    """
    memory = as_memory(max_memory)
    if is_dask(data):
        return forecast_cluster(name, data, discrete, ROUNDS, memory)
    source = open_source(data, discrete, None, max_memory, out_of_core)
    if not isinstance(source, Chunks):
        return None
    kinds = set(source.discrete)
    # Measured: everything at once for continuous columns; about one round of a few passes for each parent that nodes
    # come to have.
    passes = 1 if kinds == {False} else ROUNDS * (1 if kinds == {True} else 4)
    rows = source.batches.n
    known = "rows unknown before they are read" if rows is None else f"{rows:,} rows"
    seconds = "" if rows is None else f", {passes * rows * len(source.names) * SECONDS_PER_VALUE:,.0f} seconds or so"
    return (
        f"{name}: {known}, {len(source.names)} columns, read in chunks of {source.chunk_rows:,} rows: about {passes} "
        f"pass{'es' if passes > 1 else ''}{seconds}, up to {memory / 1e9:,.2f} GB of memory for rows and statistics"
    )
