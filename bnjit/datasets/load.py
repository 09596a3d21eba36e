"""Load a table of the paper's Table 2 from its original files or from a prepared Parquet file, and say which."""

import functools
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from bnjit.datasets.fetch import Remote, fetch, find, find_original, is_stand_in
from bnjit.datasets.streams import READ_ERRORS, check_finite, collect
from bnjit.datasets.tuning import PARQUET_BATCH
from bnjit.errors import DataError, check_count

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow.parquet import ParquetFile

logger = logging.getLogger(__name__)

Reader = Callable[[Remote, Path], Iterator[pa.Table]]


def load(
    name: str, files: Sequence[Remote], read: Reader, discrete: Sequence[str], download: bool, n_rows: int | None,
    accept_prepared: bool = True,
) -> "pd.DataFrame":  # fmt: skip
    """First rows of a table whose files follow each other.

    Original files in the data directory are used first; without any, a prepared table in that directory, if
    `accept_prepared`; otherwise the files are downloaded. With n_rows, a file is looked for only when the files before
    it have too few rows.
    """
    check_count("n_rows", n_rows, least=1)
    prepared = find(name) if accept_prepared and not any(map(find_original, files)) else None
    if prepared is not None:
        return load_prepared(name, prepared, discrete, n_rows)
    paths = ((remote, locate(name, remote, download)) for remote in files)
    used: list[str] = []

    def blocks() -> Iterator[pa.Table]:
        for remote, path in paths if n_rows is not None else list(paths):
            used.append(path.name)
            yield from read(remote, path)

    frame = collect(blocks(), discrete, n_rows)
    return set_source(frame, f"{name.upper()} (original, {', '.join(dict.fromkeys(used))})")


def locate(name: str, remote: Remote, download: bool) -> Path:
    """Path of an original file, which is downloaded if necessary."""
    return find_original(remote) or fetch(name.upper(), remote, download)


def load_prepared(name: str, path: Path, discrete: Sequence[str], n_rows: int | None) -> "pd.DataFrame":
    """First rows of a Parquet file; strings, categories and the columns named are discrete, others floats."""
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            schema = file.schema_arrow
            found = [field.name for field in schema if field.name in discrete or not _is_number(field.type)]
            frame = collect(_batches(file, found, n_rows), found, n_rows)
    except (*READ_ERRORS, DataError) as error:
        raise DataError(f"cannot read {str(path)!r}: {error}; repair or delete it") from error
    if is_stand_in(path):
        warn_of_stand_in(path, name)
        return set_source(frame, f"stand-in for {name.upper()} ({path.name})")
    kind = "sample" if "sample" in path.name else "prepared"
    return set_source(frame, f"{name.upper()} {kind} ({path.name})")


@functools.lru_cache
def warn_of_stand_in(path: Path, name: str) -> None:
    """Log that a table is not the published one; once for each file, since measurements read it again and again."""
    logger.warning("%s is a stand-in, not the published data of %s", path.name, name.upper())


def _batches(file: "ParquetFile", discrete: list[str], n_rows: int | None) -> Iterator[pa.Table]:
    size = PARQUET_BATCH if n_rows is None else min(n_rows, PARQUET_BATCH)
    for batch in file.iter_batches(size):
        table = pa.Table.from_batches([batch])
        for i, name in enumerate(table.column_names):
            if table[name].null_count:
                raise DataError(f"column {name!r} has missing values")
            if name in discrete:
                table = table.set_column(i, name, as_labels(table[name]))
        check_finite(table)
        yield table


def as_labels(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Levels as strings: numbers must be whole."""
    return (column.cast(pa.int64()) if _is_number(column.type) else column).cast(pa.string())


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def set_source(frame: "pd.DataFrame", source: str) -> "pd.DataFrame":
    """Note in frame.attrs where the rows come from."""
    frame.attrs["source"] = source
    return frame
