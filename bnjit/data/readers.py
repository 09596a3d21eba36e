"""Read whatever holds a table: data frames, Arrow tables, arrays, dicts, CSV and Parquet files."""

import os
import sys
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bnjit.data.column import type_column
from bnjit.data.table import Table, listing
from bnjit.errors import ArgumentError, BnjitWarning, DataError

MIN_ROWS = 2


def read_table(data: Any, discrete: Iterable[Hashable] = (), names: Sequence[Hashable] | None = None) -> Table:
    """Make a Table of anything that holds one.

    Parameters
    ----------
    data : Table, pandas or polars DataFrame, pyarrow Table, NumPy array, dict of columns, or path
        A path names a CSV (also compressed) or Parquet file. Anything with the Arrow stream interface will do.
    discrete : iterable of column names
        Numeric columns to treat as discrete. Strings, booleans and categories always are.
    names : sequence, optional
        Column names for a plain two-dimensional array; X1, X2, ... by default.

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
    raw = _raw_columns(data, names)
    found = [name for name, _ in raw]
    _check_names(found)
    declared = _declared(discrete, found)
    lengths = {len(values) for _, values in raw}
    if len(lengths) > 1:
        shown = ", ".join(f"{name!r}: {len(values)}" for name, values in raw[:8])
        raise DataError(f"the columns have different numbers of rows ({shown}); they must be equal")
    n = lengths.pop()
    if n < MIN_ROWS:
        raise DataError(f"data has {n} row{'s' if n != 1 else ''}; at least {MIN_ROWS} are needed")
    table = Table(found, [type_column(name, values, name in declared) for name, values in raw])
    single = [name for name, levels in zip(table.names, table.levels, strict=True) if levels == 1]
    if single:
        warnings.warn(
            f"discrete column{'s' if len(single) > 1 else ''} with one level: {listing(single)}; "
            "nothing can depend on a constant",
            BnjitWarning,
            stacklevel=3,
        )
    return table


def _raw_columns(data: Any, names: Sequence[Hashable] | None) -> list[tuple[Hashable, Any]]:
    """List names and untyped columns, by what `data` is."""
    if isinstance(data, np.ndarray):
        return _from_array(data, names)
    if names is not None:
        raise ArgumentError("names is for a plain NumPy array; other tables bring their column names")
    if isinstance(data, str | os.PathLike):
        return _from_arrow(_read_file(Path(data)))
    if isinstance(data, Mapping):
        return [(name, values) for name, values in data.items()]
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return [(name, data.iloc[:, i]) for i, name in enumerate(data.columns)]
    if isinstance(data, pa.Table | pa.RecordBatch):
        return _from_arrow(data)
    if hasattr(data, "__arrow_c_stream__"):
        return _from_arrow(pa.table(data))
    raise ArgumentError(
        f"data is a {type(data).__name__}; it must be a pandas or polars DataFrame, a pyarrow Table, a NumPy array, "
        "a dict of columns, or the path of a CSV or Parquet file"
    )


def _from_array(data: np.ndarray[Any, Any], names: Sequence[Hashable] | None) -> list[tuple[Hashable, Any]]:
    if data.dtype.names is not None:
        return [(name, data[name]) for name in data.dtype.names]
    if data.ndim != 2:
        raise DataError(f"data is an array with shape {data.shape}; it must have two axes, rows and columns")
    found = [f"X{j + 1}" for j in range(data.shape[1])] if names is None else list(names)
    if len(found) != data.shape[1]:
        raise ArgumentError(f"names has {len(found)} entries, data has {data.shape[1]} columns; give one for each")
    return [(name, data[:, j]) for j, name in enumerate(found)]


def _from_arrow(table: pa.Table | pa.RecordBatch) -> list[tuple[Hashable, Any]]:
    return list(zip(table.schema.names, table.columns, strict=True))


def _read_file(path: Path) -> pa.Table:
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    try:
        if ".parquet" in suffixes or ".pq" in suffixes or path.is_dir():
            import pyarrow.parquet

            return pyarrow.parquet.read_table(path)
        if ".csv" in suffixes or ".tsv" in suffixes or ".txt" in suffixes:
            import pyarrow.csv

            return pyarrow.csv.read_csv(
                path,
                parse_options=pyarrow.csv.ParseOptions(delimiter="\t" if ".tsv" in suffixes else ","),
                convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True),
            )
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"cannot read {str(path)!r}: {error}") from error
    raise DataError(f"cannot tell what {path.name!r} is; the name must end in .csv, .tsv (or .csv.gz, ...) or .parquet")


def _check_names(names: list[Hashable]) -> None:
    if not names:
        raise DataError("data has no columns")
    repeated = sorted({str(name) for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"duplicate column names: {listing(repeated)}; rename them")


def _declared(discrete: Iterable[Hashable], names: list[Hashable]) -> set[Hashable]:
    declared: set[Hashable] = {discrete} if isinstance(discrete, str) else set(discrete)
    unknown = [name for name in declared if name not in names]
    if unknown:
        raise ArgumentError(f"discrete names the column {unknown[0]!r}; the columns are {listing(names)}")
    return declared
