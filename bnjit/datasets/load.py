"""Load a table of the paper's Table 2: from its original files, or from a prepared Parquet file, and say which."""

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from bnjit.datasets.fetch import Remote, fetch, find, is_standin, present
from bnjit.datasets.streams import DAMAGE, check_finite, collect
from bnjit.errors import DataError, check_count

if TYPE_CHECKING:
    import pandas as pd
    from pyarrow.parquet import ParquetFile

logger = logging.getLogger(__name__)

Reader = Callable[[Remote, Path], Iterator[pa.Table]]


def load(
    name: str, files: Sequence[Remote], read: Reader, discrete: Sequence[str], download: bool, n_rows: int | None,
    usual: bool = True,
) -> "pd.DataFrame":  # fmt: skip
    """First rows of a table whose files follow each other.

    Original files that are in the data directory come first; without any, a prepared table that is there, if it is the
    usual one that is asked for; then the download. With n_rows, files are looked for only when the rows of those before
    them are not enough.
    """
    check_count("n_rows", n_rows, least=1)
    prepared = find(name) if usual and not any(map(present, files)) else None
    if prepared is not None:
        return load_prepared(name, prepared, discrete, n_rows)
    paths = ((remote, locate(name, remote, download)) for remote in files)
    used: list[str] = []

    def blocks() -> Iterator[pa.Table]:
        for remote, path in paths if n_rows is not None else list(paths):
            used.append(path.name)
            yield from read(remote, path)

    frame = collect(blocks(), discrete, n_rows)
    return say_source(frame, f"{name.upper()} (original, {', '.join(dict.fromkeys(used))})")


def locate(name: str, remote: Remote, download: bool) -> Path:
    """Path of an original file, downloaded if need be."""
    return present(remote) or fetch(name.upper(), remote, download)


def load_prepared(name: str, path: Path, discrete: Sequence[str], n_rows: int | None) -> "pd.DataFrame":
    """First rows of a Parquet file; strings, categories and the columns named are discrete, others floats."""
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            schema = file.schema_arrow
            found = [field.name for field in schema if field.name in discrete or not _is_number(field.type)]
            frame = collect(_batches(file, found, n_rows), found, n_rows)
    except (*DAMAGE, DataError) as error:
        raise DataError(f"cannot read {str(path)!r}: {error}; repair or delete it") from error
    if is_standin(path):
        logger.warning("%s is a stand-in, not the published data of %s", path.name, name.upper())
        return say_source(frame, f"stand-in for {name.upper()} ({path.name})")
    kind = "sample" if "sample" in path.name else "prepared"
    return say_source(frame, f"{name.upper()} {kind} ({path.name})")


def _batches(file: "ParquetFile", discrete: list[str], n_rows: int | None) -> Iterator[pa.Table]:
    size = 1 << 16 if n_rows is None else min(n_rows, 1 << 16)
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


def say_source(frame: "pd.DataFrame", source: str) -> "pd.DataFrame":
    """Write into frame.attrs what the rows are."""
    frame.attrs["source"] = source
    return frame
