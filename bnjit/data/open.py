"""Choose how data is read: whole, in chunks, or where its partitions are."""

import os
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bnjit.data.check import check_names, check_no_names, declared_names
from bnjit.data.chunked.batches import Batches
from bnjit.data.chunked.chunks import Chunks
from bnjit.data.chunked.files import open_batches
from bnjit.data.chunked.memory import as_memory
from bnjit.data.complete import CompleteBatches
from bnjit.data.dask import is_dask
from bnjit.data.gaps import GapRule
from bnjit.data.source import Root
from bnjit.data.tuning import CHUNK_ROWS, CHUNK_SHARE, CODES_PART
from bnjit.errors import ArgumentError, DataError


def _is_missing(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:  # a name that no file can have
        return True


def open_source(
    data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any,
    out_of_core: bool | None, chunk_rows: int | None = None, gaps: GapRule = "refuse",
) -> Root | None:  # fmt: skip
    """Return a source for data that is not read whole, before any of its rows are read.

    Parameters
    ----------
    data : dask.dataframe, path, function, or any other table
        Only the first three may become a source.
    discrete, names, max_memory, out_of_core
        As `learn` takes them.
    chunk_rows : int, optional
        Rows of a chunk at most; a million by default, or fewer if max_memory asks for that.
    gaps : {"refuse", "drop", "keep"}
        What becomes of missing values: an error; no row that has one; or NaN, and the code after the last level.

    Returns
    -------
    Root or None
        None for data that is in memory, or fits there.
    """
    if max_memory is not None:
        max_memory = as_memory(max_memory)  # an error for what is no memory, whatever the data is
    if out_of_core is not None and not isinstance(out_of_core, bool):
        raise ArgumentError(f"out_of_core={out_of_core!r} must be True, False or None")
    if is_dask(data):
        if out_of_core is False:
            raise ArgumentError("out_of_core=False needs all rows in memory; give data.compute() for that")
        check_no_names(names)
        from bnjit.data.dask.rows import DaskRows

        return DaskRows(data, discrete, complete=gaps == "drop", keeps_gaps=gaps == "keep")
    large = open_large(data, names, max_memory, out_of_core)
    if large is None:
        return None
    batches, memory = large
    check_names(list(batches.schema.names))
    if gaps == "drop":
        batches = CompleteBatches(batches)
    chunks = Chunks(batches, declared_names(discrete, list(batches.schema.names)), keeps_gaps=gaps == "keep")
    width = sum(8 if labels is None else 4 for labels in chunks.labels)
    chunks.codes_memory = memory // CODES_PART
    chunks.chunk_rows = max(1, min(chunk_rows or CHUNK_ROWS, memory // CHUNK_SHARE // width))
    return chunks


def open_large(
    data: Any, names: Sequence[Hashable] | None, max_memory: Any, out_of_core: bool | None
) -> tuple[Batches, int] | None:
    """Record batches of a file or a function, and the memory that there is; None for data that fits there."""
    in_chunks = out_of_core or callable(data)
    if out_of_core is False:
        if callable(data):
            raise ArgumentError("out_of_core=False needs all rows in memory; give pyarrow.Table.from_batches(data())")
        return None
    try:
        batches = open_batches(data)
    except DataError:
        if in_chunks or Path(data).is_dir():
            raise
        return None  # reading it whole says what is wrong with it
    if batches is None:
        if in_chunks and not (isinstance(data, str | os.PathLike) and _is_missing(Path(data))):
            raise ArgumentError(
                "out_of_core=True is for a Parquet file or a folder of them, an Arrow IPC file, or a function that "
                "returns an iterable of pyarrow.RecordBatches"
            )
        return None
    check_no_names(names)
    size, memory = batches.memory(), as_memory(max_memory)
    return (batches, memory) if in_chunks or (size is not None and size > memory) else None
