"""A batch of a column, whatever it is given as, in one of a few forms; nothing that a column holds is an error."""

import math
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnjit.data.arrow import is_text
from bnjit.data.column import check_indices, not_text
from bnjit.data.levels import as_labels
from bnjit.errors import DataError

NUMBERS, INTEGERS, BOOLEANS, TEXT, CATEGORIES = "numbers", "integers", "booleans", "text", "categories"
DATES, TIMES, DURATIONS, DECIMALS = "dates", "times", "durations", "decimals"
MIXED, OTHER, NO_COLUMN, NOTHING = "mixed", "other", "no column", "nothing"
LARGE = "integers too large for int64"

NO_LABELS: list[Any] = []
MISSING = np.uint64(0x9E3779B97F4A7C15)  # what a missing value is hashed to


class Values(NamedTuple):
    """Some rows of a column.

    Attributes
    ----------
    kind : str
        What it holds: one of the words above.
    type : str
        Its type, as a user knows it; for what cannot be used, what is wrong with it.
    rows : array
        Numbers (float64 or integers), codes of labels, microseconds since 1970 (int64), hours of the day, seconds, or
        hashes of anything else.
    missing : bool[n]
        Which rows have no value.
    labels : list
        What codes stand for.
    """

    kind: str
    type: str
    rows: NDArray[Any]
    missing: NDArray[np.bool_]
    labels: list[Any] = NO_LABELS


def is_column(raw: Any) -> bool:
    """Whether something has rows at all."""
    if isinstance(raw, str | bytes | Mapping | Set) or not hasattr(raw, "__len__"):
        return False
    return getattr(raw, "ndim", 1) == 1


class NoColumn:
    """Rows of what is no column: there is nothing to read in any of them."""

    def __init__(self, what: Any, n: int) -> None:
        self._what, self._n = what, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, rows: slice) -> "NoColumn":
        return NoColumn(self._what, len(range(*rows.indices(self._n))))

    def values(self) -> Values:
        """Rows that are all alike, and what they are in words."""
        what = self._what
        shape = getattr(what, "shape", None)
        if shape:
            words = f"of type {type(what).__name__} with shape {shape}"
        elif isinstance(what, str | bytes) or not hasattr(what, "__len__") or shape == ():
            words = f"one value, {str(what)[:30]!r}" if isinstance(what, str) else f"one value, {str(what)[:30]}"
        else:
            words = f"of type {type(what).__name__}"
        return Values(NO_COLUMN, words, np.zeros(self._n, np.uint64), np.zeros(self._n, bool))


def make_values(raw: Any) -> Values:
    """Bring a pandas Series, NumPy array, Arrow array or list into one form."""
    if isinstance(raw, NoColumn):
        return raw.values()
    try:
        if type(raw).__module__.partition(".")[0] == "pandas":
            return _from_pandas(raw)
        return _from_numpy(raw) if isinstance(raw, np.ndarray) else _from_arrow(_to_arrow(raw))
    except _NoCommonTypeError:
        return _from_objects(list(raw))
    except Exception as error:  # whatever a column holds, the report says so and goes on
        what = next(iter(str(error).splitlines()), "") or type(error).__name__
        return Values(OTHER, what, np.zeros(len(raw), np.uint64), np.zeros(len(raw), bool))


class _NoCommonTypeError(Exception):
    """Objects that no type of Arrow holds."""


def _from_objects(objects: list[Any]) -> Values:
    """Python integers that are too large for 64 bits, objects of one type, or of several."""
    missing = are_missing(objects)
    there = [value for value, is_missing in zip(objects, missing, strict=True) if not is_missing]
    types = {type(value) for value in there}
    name = ", ".join(sorted(some.__name__ for some in types))
    if types == {int}:
        rows = np.full(len(objects), np.nan)
        try:
            rows[~missing] = [float(value) for value in there]
        except OverflowError:
            return Values(OTHER, f"{name}, beyond floating-point numbers", hash_objects(objects), missing)
        return Values(DECIMALS, LARGE, rows, missing)
    return Values(MIXED if len(types) > 1 else OTHER, name, hash_objects(objects), missing)


def _from_pandas(series: Any) -> Values:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        values = getattr(series, "array", series)
        codes = np.asarray(values.codes, np.int64)
        check_indices("", codes, len(values.categories), least=-1)
        labels = as_labels(values.categories.tolist())
        if len(set(labels)) < len(labels):
            raise DataError("categories that differ, and read the same")
        return Values(CATEGORIES, "category", codes, codes < 0, labels)
    if isinstance(series.dtype, pd.IntervalDtype) or isinstance(next(iter(series), None), pd.Interval):
        return _from_pandas(series.astype("category"))
    if isinstance(series.dtype, pd.PeriodDtype):
        starts = (series.dt if isinstance(series, pd.Series) else series).to_timestamp()
        return _from_numpy(np.asarray(starts))._replace(type=str(series.dtype))
    if isinstance(series.dtype, pd.SparseDtype):
        return _from_numpy(np.asarray(series))
    if isinstance(series.dtype, np.dtype) and series.dtype.kind != "O":
        return _from_numpy(series.to_numpy(copy=False))
    return _from_arrow(_to_arrow(series))


def _from_numpy(values: NDArray[Any]) -> Values:  # noqa: PLR0911
    name = str(values.dtype)
    masked = np.ma.getmaskarray(values) if np.ma.isMaskedArray(values) else None
    if masked is not None:
        found = _from_numpy(np.ma.getdata(values))
        return found._replace(missing=found.missing | masked)
    kind = values.dtype.kind
    if kind in "ui" or kind == "b":
        return Values(BOOLEANS if kind == "b" else INTEGERS, name, values, np.zeros(len(values), bool))
    if kind == "f":
        numbers = values.astype(np.float64)
        return Values(NUMBERS, name, numbers, np.isnan(numbers))
    if kind == "M":
        rows = values.astype("datetime64[us]")
        return Values(DATES, name, rows.astype(np.int64), np.isnat(rows))
    if kind == "m":
        return Values(DURATIONS, name, values.astype("timedelta64[us]").astype(np.float64) / 1e6, np.isnat(values))
    if kind in "OUST":
        return _from_arrow(_to_arrow(values.astype(values.dtype.newbyteorder("="), copy=False)))
    return Values(OTHER, name, hash_objects(values.tolist()), np.zeros(len(values), bool))


def _to_arrow(raw: Any) -> pa.ChunkedArray:
    if isinstance(raw, pa.ChunkedArray):
        return raw
    if isinstance(raw, pa.Array):
        return pa.chunked_array([raw])
    try:
        array = pa.chunked_array(raw) if hasattr(raw, "__arrow_c_stream__") else pa.array(raw, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _NoCommonTypeError from error
    return pa.chunked_array([array]) if isinstance(array, pa.Array) else array


def _from_arrow(array: pa.ChunkedArray) -> Values:  # noqa: PLR0911
    kind, name = array.type, str(array.type)
    missing = array.is_null().to_numpy()
    if pa.types.is_null(kind):
        return Values(NOTHING, name, np.zeros(len(array), np.uint64), missing)
    if pa.types.is_boolean(kind):
        return Values(BOOLEANS, name, array.fill_null(False).to_numpy(), missing)
    if pa.types.is_integer(kind):
        return Values(INTEGERS, name, array.fill_null(0).to_numpy(), missing)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        rows = array.cast(pa.float64()).to_numpy()
        return Values(NUMBERS if pa.types.is_floating(kind) else DECIMALS, name, rows, missing | np.isnan(rows))
    if is_text(kind) or pa.types.is_dictionary(kind):
        return _from_labels(array, missing)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        local = pc.local_timestamp(array) if pa.types.is_timestamp(kind) and kind.tz is not None else array
        rows = local.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).fill_null(0).to_numpy()
        return Values(DATES, name, rows, missing)
    if pa.types.is_time(kind):
        since = array.cast(pa.time64("us"), safe=False).cast(pa.int64()).fill_null(0).to_numpy()
        return Values(TIMES, name, since // 3_600_000_000, missing)
    if pa.types.is_duration(kind):
        since = array.cast(pa.duration("us"), safe=False).cast(pa.int64()).fill_null(0).to_numpy()
        return Values(DURATIONS, name, since / 1e6, missing)
    return Values(OTHER, name, hash_objects(array.to_pylist()), missing)


def _from_labels(array: pa.ChunkedArray, missing: NDArray[np.bool_]) -> Values:
    """Codes of text and of categories, whose dictionary may repeat a label or hold a missing one."""
    is_dictionary = pa.types.is_dictionary(array.type)
    kind, name = (CATEGORIES, str(array.type)) if is_dictionary else (TEXT, "text")
    if is_dictionary:
        for chunk in array.chunks:  # before Arrow follows them
            check_indices("", chunk.indices.fill_null(0).to_numpy(zero_copy_only=False), max(1, len(chunk.dictionary)))
    whole = (array.unify_dictionaries() if is_dictionary else pc.dictionary_encode(array)).combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0)
    try:
        labels = as_labels(whole.dictionary.to_pylist())
    except UnicodeDecodeError as error:
        raise DataError(not_text(error)) from error
    if is_dictionary and any(isinstance(label, list | dict) for label in labels):
        return Values(OTHER, name, hash_objects(array.to_pylist()), missing)
    codes = whole.indices.cast(pa.int64()).fill_null(-1).to_numpy()
    gaps = np.array([label is None for label in labels], bool)
    if gaps.any():
        codes = np.where((codes >= 0) & gaps[codes], -1, codes)
    return Values(kind, name, codes, codes < 0, labels)


def are_missing(objects: Sequence[Any]) -> NDArray[np.bool_]:
    """Which objects stand for no value."""
    import pandas as pd

    return np.array(
        [x is None or x is pd.NA or x is pd.NaT or (isinstance(x, float) and math.isnan(x)) for x in objects], bool
    )


def hash_values(values: Values) -> NDArray[np.uint64]:
    """A number of 64 bits for the value of each row, the same in every batch: different values differ in it."""
    if values.kind in (TEXT, CATEGORIES):
        by_label = np.append(hash_objects(values.labels), MISSING)  # the last one is that of code -1
        return by_label[values.rows]
    rows = values.rows
    if rows.dtype.kind in "iu" and rows.dtype != np.uint64:
        as_float = rows.astype(np.float64)
        large = np.abs(as_float) >= 2.0**53
        bits = (as_float + 0.0).view(np.uint64)
        out = np.where(large, rows.astype(np.int64).view(np.uint64), bits) if large.any() else bits
    elif rows.dtype == np.uint64:
        out = rows if values.kind != INTEGERS else np.where(rows < 2**53, rows.astype(np.float64).view(np.uint64), rows)
    else:
        out = (rows.astype(np.float64) + 0.0).view(np.uint64)
    return np.where(values.missing, MISSING, out) if values.missing.any() else out


def hash_objects(objects: Sequence[Any]) -> NDArray[np.uint64]:
    """Hashes of texts and other objects, the same in every process."""
    from pandas.util import hash_array

    texts = np.empty(len(objects), object)
    texts[:] = [x if isinstance(x, str) else f"\0{x!r}" for x in objects]
    try:
        return hash_array(texts, categorize=False)
    except UnicodeEncodeError:
        texts[:] = [x.encode("utf-8", "surrogatepass") for x in texts]
        return hash_array(texts, categorize=False)
