"""Read whatever holds a table: data frames, Arrow tables, arrays, dicts, CSV and Parquet files."""

import os
import sys
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bnjit.data.arrow import index_columns, is_csv, is_ipc, is_parquet
from bnjit.data.check import check_names, check_no_names, check_rows, declared_names, warn_of_single_levels
from bnjit.data.chunked.files import IpcFile, ParquetFiles, files_of, name_in_errors
from bnjit.data.column import is_identifier, type_column
from bnjit.data.complete import complete_columns
from bnjit.data.gaps import GapRule, type_with_gaps, without_gaps
from bnjit.data.levels import identifier_message
from bnjit.data.numbering import numbers_rows, warn_of_numbering
from bnjit.data.other_formats import way_to_read
from bnjit.data.repeat import Weights, repeated
from bnjit.data.table import Table
from bnjit.data.tuning import RELEASED_BYTES
from bnjit.errors import ArgumentError, ColumnError, DataError, warn


def read_table(
    data: Any, discrete: Iterable[Hashable] = (), names: Sequence[Hashable] | None = None, gaps: GapRule = "refuse",
    weights: Weights | None = None,
) -> Table:  # fmt: skip
    """Make a Table of anything that holds one, to learn from.

    Parameters
    ----------
    data : Table, pandas or polars DataFrame, pyarrow Table, NumPy array, dict of columns, or path
        A path names a CSV (also compressed) or Parquet file. Anything with the Arrow stream interface will do.
    discrete : iterable of column names
        Numeric columns to treat as discrete. Strings, booleans and categories always are.
    names : sequence, optional
        Column names for a plain two-dimensional array; X1, X2, ... by default.
    gaps : {"refuse", "drop", "keep"}
        What becomes of missing values: an error; no row that has one; or levels and indicators (see `data/gaps.py`).
    weights : float64[n], optional
        How often each row counts.

    Returns
    -------
    Table

    Examples
    --------
    >>> read_table({"dose": [0.5, 1.5, 2.0], "group": ["a", "b", "a"]})
    Table(3 rows, 1 discrete and 1 continuous columns)
    """
    if isinstance(data, Table):
        return data
    numbering: list[Hashable] = []
    table = type_columns(data, discrete, names, numbering=numbering, gaps=gaps)
    check_rows(table)
    for name, column in zip(table.names, table.columns, strict=True):
        if is_identifier(column):
            message = identifier_message(name, table.n)
            if not (gaps == "drop" and _repeats(dict(raw_columns(data, names))[name])):
                raise ColumnError(message)
            warn(f"{message}. In the rows that were left out it repeats")
    warn_of_single_levels(table)
    warn_of_numbering(table.names, numbering)
    if weights is not None:
        table = repeated(table, weights)
        check_rows(table)
    return without_gaps(table) if gaps == "keep" else table


def _repeats(raw: Any) -> bool:
    """Whether a raw column has a value twice."""
    import pandas as pd

    values = raw.to_pandas() if isinstance(raw, pa.Array | pa.ChunkedArray) else pd.Series(raw)
    return bool(values.dropna().duplicated().any())


def type_columns(
    data: Any, discrete: Iterable[Hashable] = (), names: Sequence[Hashable] | None = None, what: str = "data",
    only: Container[Hashable] | None = None, numbering: list[Hashable] | None = None, gaps: GapRule = "refuse",
) -> Table:  # fmt: skip
    """Make a Table without asking whether one can learn from it: test rows may be few and all alike.

    `what` names the table in messages. With `only`, columns that it does not hold are not even looked at, and it and
    `discrete` may name some that the table does not have. Names of columns that number the rows go into `numbering`.
    Gaps are refused, their rows dropped, or they are kept: NaN, and the code after the last level.
    """
    if isinstance(data, Table):
        return data
    everything = raw_columns(data, names)
    raw = [(name, values) for name, values in everything if only is None or name in only]
    found = [name for name, _ in raw]
    check_names(found if raw else [name for name, _ in everything])
    declared = declared_names(discrete, found) if only is None else set(discrete)
    for name, values in raw or everything[:1]:
        if (
            isinstance(values, str | bytes | Mapping | Set)
            or not hasattr(values, "__len__")
            or (isinstance(values, np.ndarray) and values.ndim == 0)
        ):
            raise ColumnError(f"column {name!r} is a {type(values).__name__}; a column is an array or a list of values")
    lengths = {len(values) for _, values in raw or everything[:1]}
    if len(lengths) > 1:
        shown = ", ".join(f"{name!r}: {len(values)}" for name, values in raw[:8])
        raise DataError(f"the columns of {what} have different numbers of rows ({shown}); they must be equal")
    if lengths == {0}:
        raise DataError(f"{what} has 0 rows; give at least one")
    if gaps == "drop":
        raw = complete_columns(raw, what)
    typed, n = [], len(raw[0][1]) if raw else next(iter(lengths), None)
    everything.clear()
    raw.reverse()
    while raw:  # a column of a file is released as soon as it is typed: memory never holds all of them twice
        name, values = raw.pop()
        try:
            column = (type_with_gaps if gaps == "keep" else type_column)(name, values, name in declared)
        except ColumnError as error:
            if what == "data":
                raise
            raise DataError(f"{what}: {error}") from error.__cause__
        typed.append(column)
        if numbering is not None and column.labels is None and numbers_rows(name, values, column.values):
            numbering.append(name)
        if column.values.nbytes > RELEASED_BYTES:
            del values
            pa.default_memory_pool().release_unused()
    return Table(found, typed, n)


def raw_columns(data: Any, names: Sequence[Hashable] | None) -> list[tuple[Hashable, Any]]:
    """List names and untyped columns, by what `data` is."""
    if isinstance(data, np.ndarray):
        return _from_array(data, names)
    check_no_names(names)
    if isinstance(data, str | os.PathLike):
        return _read_file(Path(data))
    if isinstance(data, Mapping):
        return [(name, values) for name, values in data.items()]
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return list(data.items())
    if isinstance(data, pa.Table | pa.RecordBatch):
        return _from_arrow(data)
    if hasattr(data, "__arrow_c_stream__"):
        try:
            return _from_arrow(pa.table(data))
        except pa.ArrowException as error:
            raise DataError(f"data is a {type(data).__name__}, which is no table: {error}") from error
    if type(data).__module__.partition(".")[0] == "dask":
        raise ArgumentError(
            f"data is a {type(data).__name__} of dask; learn, score, fit, arc_strength and Statistics.collect take a "
            "dask.dataframe.DataFrame; otherwise give data.compute(), which brings the rows to memory"
        )
    raise ArgumentError(
        f"data is a {type(data).__name__}; it must be a pandas or polars DataFrame, a pyarrow Table, a NumPy array, "
        "a dict of columns, or the path of a CSV or Parquet file"
    )


def _from_array(data: np.ndarray[Any, Any], names: Sequence[Hashable] | None) -> list[tuple[Hashable, Any]]:
    if data.dtype.names is not None:
        if names is not None:
            raise ArgumentError("names is for a plain NumPy array; a structured one brings its column names")
        return [(name, data[name]) for name in data.dtype.names]
    if data.ndim != 2:
        raise DataError(f"data is an array with shape {data.shape}; it must have two axes, rows and columns")
    found = [f"X{j + 1}" for j in range(data.shape[1])] if names is None else list(names)
    if len(found) != data.shape[1]:
        raise ArgumentError(f"names has {len(found)} entries, data has {data.shape[1]} columns; give one for each")
    return [(name, data[:, j]) for j, name in enumerate(found)]


def _from_arrow(table: pa.Table | pa.RecordBatch) -> list[tuple[Hashable, Any]]:
    index = index_columns(table.schema)
    named = zip(table.schema.names, table.columns, strict=True)
    return [(name, values) for name, values in named if name not in index]


def _read_file(path: Path) -> list[tuple[Hashable, Any]]:
    try:
        there = path.exists()
    except OSError:  # a name that no file can have
        there = False
    if not there:
        raise DataError(f"there is no file {str(path)[:200]!r}")
    with name_in_errors(path):
        if path.is_dir():
            return _from_arrow(ParquetFiles(files_of(path), path).table())
        if is_parquet(path):
            return _from_arrow(ParquetFiles([path]).table())
        if is_ipc(path):
            return _from_arrow(IpcFile(path).table())
        if is_csv(path):
            from bnjit.data.csvfile import read_csv

            return _from_arrow(read_csv(path))
    way = way_to_read(path)
    if way is not None:
        raise DataError(f"bnjit does not read {path.suffix} files such as {path.name!r}; {way}")
    raise DataError(
        f"cannot tell what {path.name!r} is; the name must end in .csv, .tsv or .txt (also .gz, .bz2, .xz, .zst, "
        ".zip), .parquet or .arrow; anything else that pandas reads can be given as a DataFrame"
    )
