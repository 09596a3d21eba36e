"""Give one raw column its type: discrete codes or continuous numbers, or an error that says what to do."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnjit.errors import DataError

FEW_ROWS = 3  # below this, as many levels as rows says nothing


class Column(NamedTuple):
    """A typed column: codes of labels if it is discrete, numbers (then labels is None) if it is continuous."""

    values: NDArray[Any]
    labels: tuple[Hashable, ...] | None


def type_column(name: Hashable, raw: Any, as_discrete: bool) -> Column:
    """Type a NumPy array, a pandas Series, an Arrow array or a list; integers are discrete only if `as_discrete`."""
    if type(raw).__module__.partition(".")[0] == "pandas":
        return _from_pandas(name, raw, as_discrete)
    if isinstance(raw, np.ndarray):
        return _from_numpy(name, raw, as_discrete)
    return _from_arrow(name, _to_arrow(name, raw), as_discrete)


def _from_pandas(name: Hashable, series: Any, as_discrete: bool) -> Column:
    import pandas as pd

    if isinstance(series, pd.DataFrame):
        raise DataError(f"column {name!r} is a DataFrame; a column has one axis")
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = getattr(series, "array", series)
        return _encoded(name, values.codes, tuple(values.categories.tolist()))
    if isinstance(series.dtype, pd.SparseDtype):
        return _from_numpy(name, np.asarray(series), as_discrete)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind != "O":
        return _from_numpy(name, series.to_numpy(copy=False), as_discrete)
    return _from_arrow(name, _to_arrow(name, series), as_discrete)


def _from_numpy(name: Hashable, values: NDArray[Any], as_discrete: bool) -> Column:
    if values.ndim != 1:
        raise DataError(f"column {name!r} has shape {values.shape}; a column has one axis")
    if np.ma.is_masked(values):
        mask = np.ma.getmaskarray(values)
        raise DataError(_missing(name, "masked", int(mask.sum()), int(np.argmax(mask))))
    kind = values.dtype.kind
    if kind == "b":
        return Column(np.ascontiguousarray(values).view(np.uint8), (False, True))
    if kind in "iuf" and not as_discrete:
        return Column(_numbers(values), None)
    if kind == "f":  # discrete: 0.0 and -0.0 are one level
        values = values.astype(np.float64) + 0.0
    if kind in "iufUSTO":
        native = values.astype(values.dtype.newbyteorder("="), copy=False)
        return _from_arrow(name, _to_arrow(name, native), as_discrete)
    raise DataError(_unusable(name, str(values.dtype)))


def _numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as float32 where they are given so, or are integers that it holds exactly; else as float64."""
    is_float = values.dtype.kind == "f"
    return np.ascontiguousarray(values, np.float32 if values.dtype.itemsize <= 2 + 2 * is_float else np.float64)


def _to_arrow(name: Hashable, raw: Any) -> pa.ChunkedArray:
    if isinstance(raw, pa.ChunkedArray):
        return raw
    if isinstance(raw, pa.Array):
        return pa.chunked_array([raw])
    try:
        if hasattr(raw, "__arrow_c_stream__"):
            return pa.chunked_array(raw)
        array = pa.array(raw, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        seen = sorted({type(value).__name__ for value in raw})
        raise DataError(
            f"column {name!r} mixes types, or holds values that are neither numbers nor text "
            f"(types seen: {', '.join(seen)}; {str(error).splitlines()[0]}); convert it to one type first"
        ) from error
    return pa.chunked_array([array]) if isinstance(array, pa.Array) else array


def _from_arrow(name: Hashable, array: pa.ChunkedArray, as_discrete: bool) -> Column:
    kind = array.type
    if pa.types.is_dictionary(kind):
        _reject_missing(name, array)
        whole = _one_array(array.unify_dictionaries())
        # Arrow lets a dictionary repeat a value, or hold a missing one.
        position: dict[Hashable, int] = {}
        labels = whole.dictionary.to_pylist()
        if not all(isinstance(label, Hashable) for label in labels):
            raise DataError(_unusable(name, str(kind)))
        code = [-1 if label is None else position.setdefault(label, len(position)) for label in labels]
        codes = whole.indices.to_numpy(zero_copy_only=False)
        return _encoded(name, codes if len(position) == len(labels) else np.array(code)[codes], tuple(position))
    if pa.types.is_null(kind):
        raise DataError(f"column {name!r} has no values at all; drop it")
    is_text = any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
    is_number = pa.types.is_floating(kind) or pa.types.is_integer(kind)
    if not (is_text or is_number or pa.types.is_boolean(kind)):
        raise DataError(_unusable(name, str(kind)))
    _reject_missing(name, array)
    if pa.types.is_boolean(kind):
        return Column(array.cast(pa.uint8()).to_numpy(), (False, True))
    if is_number and not as_discrete:
        return Column(_numbers(array.to_numpy()), None)
    if pa.types.is_floating(kind):
        reject_not_finite(name, array.to_numpy())
    whole = _one_array(pc.dictionary_encode(array))
    labels = whole.dictionary.to_pylist()
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(labels), np.int64)
    rank[order] = np.arange(len(labels))
    codes = rank[whole.indices.to_numpy(zero_copy_only=False)]
    return _encoded(name, codes, tuple(labels[i] for i in order))


def _one_array(array: pa.ChunkedArray) -> pa.Array:
    whole = array.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def code_type(levels: int) -> type[np.unsignedinteger[Any]]:
    """Smallest unsigned type for the codes of so many levels."""
    return np.uint8 if levels <= 1 << 8 else np.uint16 if levels <= 1 << 16 else np.uint32


def _encoded(name: Hashable, codes: NDArray[Any], labels: tuple[Hashable, ...]) -> Column:
    """Discrete column from codes in which -1 is missing, in the smallest unsigned type for its levels."""
    if codes.size and codes.min() < 0:
        raise DataError(_missing(name, "missing", int((codes < 0).sum()), int(np.argmax(codes < 0))))
    smallest = code_type(len(labels))
    if codes.dtype.itemsize == np.dtype(smallest).itemsize:
        return Column(np.ascontiguousarray(codes).view(smallest), labels)
    return Column(codes.astype(smallest), labels)


def relabelled(column: Column, labels: tuple[Hashable, ...]) -> Column:
    """Return a discrete column in terms of other labels, which include its own."""
    if column.labels is None or column.labels == labels:
        return column
    position = {label: code for code, label in enumerate(labels)}
    mapping = np.array([position[label] for label in column.labels], np.int64)
    return _encoded("", mapping[column.values], labels)


def _reject_missing(name: Hashable, array: pa.ChunkedArray) -> None:
    if array.null_count:
        mask = array.is_null().to_numpy()
        raise DataError(_missing(name, "missing", array.null_count, int(np.argmax(mask))))


def reject_not_finite(name: Hashable, values: NDArray[Any]) -> None:
    """Raise for NaN or infinite values, with their number and the first row."""
    for what, bad in (("missing (NaN)", np.isnan(values)), ("infinite", np.isinf(values))):
        if bad.any():
            raise DataError(_missing(name, what, int(bad.sum()), int(np.argmax(bad))))


def reject_identifier(name: Hashable, column: Column) -> None:
    """Raise for a discrete column that is different in each row."""
    n = len(column.values)
    if column.labels is not None and n >= FEW_ROWS and len(column.labels) >= n == len(np.unique(column.values)):
        raise DataError(identifier(name, n))


def identifier(name: Hashable, n: int) -> str:
    """Say that a discrete column is different in each row."""
    return (
        f"column {name!r} is discrete and different in each of its {n:,} rows, like an identifier; "
        "drop it, or make it a number if it measures something"
    )


def _missing(name: Hashable, what: str, count: int, row: int) -> str:
    why = "they cannot be modelled" if what == "infinite" else "missing data is not supported yet"
    return (
        f"column {name!r} has {count:,} {what} value{'s' if count != 1 else ''}, the first in row {row} "
        f"(counting from 0); {why}: drop or impute those rows"
    )


def _unusable(name: Hashable, kind: str) -> str:
    return (
        f"column {name!r} has type {kind}; a column must hold numbers (continuous), or strings, booleans or "
        "categories (discrete): convert or drop it"
    )


def check_continuous(name: Hashable, values: NDArray[Any], mean: float, variance: float, tolerance: float) -> None:
    """Raise if a continuous column cannot be modelled, given its mean and variance; a tolerance of 0 allows constants.

    A value that is not finite shows in the mean and the variance, so that only a doubtful column is read again.
    """
    if not (np.isfinite(mean) and np.isfinite(variance)):
        reject_not_finite(name, values)
        raise DataError(f"column {name!r} has values up to {np.abs(values).max():g}, too large to square: rescale it")
    deviation = float(np.sqrt(max(variance, 0.0)))
    if tolerance == 0.0 or deviation > max(tolerance, 1e-12 * abs(mean)):
        return
    if values.min() == values.max():
        raise DataError(f"column {name!r} is constant (every row is {values[0]:g}); drop it")
    if deviation < tolerance:
        raise DataError(
            f"column {name!r} is numerically constant (standard deviation {deviation:g} around {mean:g}, below "
            f"{tolerance:g}); rescale it, or drop it"
        )
