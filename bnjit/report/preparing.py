"""Apply remedies to rows: to a table in memory, to record batches one after the other, or to partitions of Dask."""

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnjit._files import write_whole
from bnjit.data.chunked.batches import Batches
from bnjit.errors import ArgumentError
from bnjit.report.batches import RawColumns, rows_at_once
from bnjit.report.column import parse_dates
from bnjit.report.dates import MONTHS, WEEKDAYS, Dates, hours_of, months_of, weekdays_of, years_of
from bnjit.report.remedies import DROP, KEEP, LEVELS, SPLIT, Remedy
from bnjit.report.values import BOOLEANS, CATEGORIES, INTEGERS, TEXT, TIMES, Values, make_values

if TYPE_CHECKING:
    import pandas as pd


def prepare_columns(raw: RawColumns, remedies: Sequence[Remedy], index: Any = None) -> "pd.DataFrame":
    """A DataFrame of the columns that remedies leave; raw columns stay as they are."""
    import pandas as pd

    names: list[Hashable] = []
    columns: list[Any] = []
    for (_, values), remedy in zip(raw, remedies, strict=True):
        if remedy.what == DROP:
            continue
        names += remedy.names
        columns += _kept(values) if remedy.what == KEEP else apply_remedy(make_values(values), remedy)
    if index is None:
        index = pd.RangeIndex(len(columns[0]) if columns else 0)
    columns = [column.set_axis(index) for column in columns]
    frame = pd.concat(columns, axis=1, keys=range(len(columns))) if columns else pd.DataFrame(index=index)
    frame.columns = pd.Index(names, tupleize_cols=False)
    return frame


def _kept(raw: Any) -> "list[pd.Series[Any]]":
    """A column as it is, as pandas has it."""
    import pandas as pd

    if isinstance(raw, pd.Series):
        return [raw]
    return [as_series(make_values(raw))]


def as_series(values: Values) -> "pd.Series[Any]":
    """Values as a Series, with pandas' own missing values."""
    import pandas as pd

    if values.kind == TEXT:
        return pd.Series(_labelled(values))
    if values.kind == CATEGORIES:
        codes = {label: i for i, label in enumerate(dict.fromkeys(x for x in values.labels if x is not None))}
        mapping = np.array([*(codes.get(label, -1) for label in values.labels), -1], np.int64)
        labels = pd.Index(list(codes), tupleize_cols=False)
        return pd.Series(pd.Categorical.from_codes(mapping[values.rows], labels))
    if not values.missing.any():
        return pd.Series(values.rows)
    if values.kind == BOOLEANS:
        return pd.Series(pd.arrays.BooleanArray(values.rows.astype(bool), values.missing.copy()))
    return pd.Series(np.where(values.missing, np.nan, values.rows.astype(np.float64)))


def _labelled(values: Values) -> NDArray[Any]:
    """The label of each row, None where it is missing."""
    labels = np.empty(len(values.labels) + 1, object)
    labels[:-1], labels[-1] = values.labels, None
    return labels[values.rows]


def apply_remedy(values: Values, remedy: Remedy, in_parts: bool = False) -> "list[pd.Series[Any]]":
    """Columns that a remedy makes of some rows; `in_parts` says that these are not all rows."""
    import pandas as pd

    if remedy.what == SPLIT:
        return _split(values, remedy)
    if remedy.what == LEVELS:
        rows = values.rows.astype(np.float64) if values.kind != INTEGERS or values.missing.any() else values.rows
        there = np.isfinite(rows) & ~values.missing
        levels = rows.astype(object)
        levels[~there] = None
        if not in_parts:
            return [pd.Series(levels).infer_objects().astype("category")]
        return [pd.Series([None if level is None else str(level) for level in levels], dtype=object)]
    if values.kind == TEXT:
        numbers = np.array([*(float(text.replace(",", ".")) for text in values.labels), np.nan])[values.rows]
    else:
        numbers = values.rows.astype(np.float64)
    numbers = np.where(values.missing | ~np.isfinite(numbers), np.nan, numbers)
    return [pd.Series(numbers / remedy.divisor)]


def _split(values: Values, remedy: Remedy) -> "list[pd.Series[Any]]":
    import pandas as pd

    if values.kind == TIMES:
        return [pd.Series(np.where(values.missing, np.nan, values.rows.astype(np.float64)))]
    missing, at = values.missing, values.rows
    if values.kind == TEXT:
        dates, _ = parse_dates(values.labels)
        at = np.append(dates, 0)[values.rows]
    if remedy.dates is None or not len(at):
        at, missing = np.zeros(len(missing), np.int64), np.ones(len(missing), bool)
    out = []
    for part in remedy.parts:
        if part in ("year", "hour"):
            numbers = (years_of(at) if part == "year" else hours_of(at)).astype(np.float64)
            out.append(pd.Series(np.where(missing, np.nan, numbers)))
        else:
            out.append(_named(at, missing, part, remedy.dates))
    return out


def _named(at: NDArray[np.int64], missing: NDArray[np.bool_], part: str, dates: Dates | None) -> "pd.Series[Any]":
    """Months or weekdays by name, as categories of those that occur."""
    import pandas as pd

    names, numbers = (MONTHS, months_of(at)) if part == "month" else (WEEKDAYS, weekdays_of(at))
    occurring = sorted((dates.months if part == "month" else dates.weekdays) if dates is not None else ())
    codes = np.full(len(names), -1, np.int64)
    codes[occurring] = np.arange(len(occurring))
    labels = pd.Index([names[i] for i in occurring])
    return pd.Series(pd.Categorical.from_codes(np.where(missing, -1, codes[numbers]), labels))


def prepare_batches(batches: Batches, remedies: Sequence[Remedy]) -> Iterator[pa.RecordBatch]:
    """Record batches of the columns that remedies leave."""
    names = batches.schema.names
    for _, batch in batches.read(names, rows_at_once(len(names))):
        made: list[Any] = []
        for name, remedy in zip(names, remedies, strict=True):
            if remedy.what == KEEP:
                made.append(batch.column(name))
            elif remedy.what != DROP:
                for series in apply_remedy(make_values(batch.column(name)), remedy, in_parts=True):
                    is_number = series.dtype.kind == "f"
                    texts = series if is_number else series.astype(object)
                    made.append(pa.array(texts, pa.float64() if is_number else pa.string(), from_pandas=True))
        yield pa.RecordBatch.from_arrays(made, names=[str(name) for one in remedies for name in one.names])


def prepare_partition(frame: "pd.DataFrame", names: Sequence[Hashable], remedies: Sequence[Remedy]) -> "pd.DataFrame":
    """The columns that remedies leave of a partition; runs on a worker."""
    import pandas as pd

    made: dict[Hashable, Any] = {}
    for name, remedy in zip(names, remedies, strict=True):
        if remedy.what != DROP:
            series = [frame[name]] if remedy.what == KEEP else apply_remedy(make_values(frame[name]), remedy, True)
            made |= {new: one.set_axis(frame.index) for new, one in zip(remedy.names, series, strict=True)}
    return pd.DataFrame(made, index=frame.index)


def write_batches(batches: Iterator[pa.RecordBatch], path: Path) -> None:
    """Write record batches to a Parquet file, one after the other."""
    import pyarrow.parquet as pq

    if path.suffix.lower() != ".parquet":
        raise ArgumentError(f"path={str(path)!r}: rows that come batch by batch are written to a .parquet file")
    first = next(batches, None)
    if first is None:
        raise ArgumentError("data has no rows; there is nothing to write")
    with write_whole(path) as part, pq.ParquetWriter(part, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch.cast(first.schema) if batch.schema != first.schema else batch)


def write_frame(frame: "pd.DataFrame", path: Path) -> None:
    """Write a table to a Parquet or CSV file."""
    if path.suffix.lower() not in (".parquet", ".csv"):
        raise ArgumentError(f"path={str(path)!r}: the name must end in .parquet or .csv")
    with write_whole(path) as part:
        if path.suffix.lower() == ".csv":
            frame.to_csv(part, index=False)
        else:
            frame.rename(columns=str).to_parquet(part, index=False)
