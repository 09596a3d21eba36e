"""Give one raw column its type: discrete codes or continuous numbers, or an error that says what to do."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnjit.data.arrow import is_number, is_text
from bnjit.data.check import reject_missing, reject_not_finite
from bnjit.data.levels import FEW_ROWS, Levels, as_labels, codes_if_distinct, sort_labels
from bnjit.errors import ColumnError


class Column(NamedTuple):
    """A typed column: codes of labels if it is discrete, numbers (then labels is None) if it is continuous.

    fill : what stands for NaN, in a continuous column whose gaps another column tells of
    """

    values: NDArray[Any]
    labels: tuple[Hashable, ...] | None
    fill: float | None = None

    def numbers(self, rows: Any = slice(None)) -> NDArray[Any]:
        """Numbers of a continuous column in some rows, by default all; where NaN is a gap, what stands for it."""
        values = self.values[rows]
        return values if self.fill is None else np.where(np.isnan(values), values.dtype.type(self.fill), values)


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
        raise ColumnError(f"column {name!r} is a DataFrame; a column has one axis")
    if isinstance(series.dtype, np.dtype) and series.dtype.kind != "O":
        return _from_numpy(name, series.to_numpy(copy=False), as_discrete)
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = getattr(series, "array", series)
        labels = tuple(as_labels(values.categories.tolist()))
        if len(set(labels)) < len(labels):
            raise ColumnError(f"column {name!r} has categories that differ, and read the same; rename them")
        check_indices(name, values.codes, len(labels), least=-1)
        return _encoded(name, values.codes, labels)
    if isinstance(series.dtype, pd.IntervalDtype) or isinstance(next(iter(series), None), pd.Interval):
        return _from_pandas(name, series.astype("category"), as_discrete)
    if isinstance(series.dtype, pd.SparseDtype):
        return _from_numpy(name, np.asarray(series), as_discrete)
    return _from_arrow(name, _to_arrow(name, series), as_discrete)


def _from_numpy(name: Hashable, values: NDArray[Any], as_discrete: bool) -> Column:
    if values.ndim != 1:
        raise ColumnError(f"column {name!r} has shape {values.shape}; a column has one axis")
    if np.ma.is_masked(values):
        reject_missing(name, np.ma.getmaskarray(values), "masked")
    kind = values.dtype.kind
    if kind == "b":
        return Column(np.ascontiguousarray(values).view(np.uint8), (False, True))
    if kind in "iuf" and not as_discrete:
        return Column(_numbers(values), None)
    if kind == "f":
        values = values.astype(np.float64)  # Arrow has no long doubles
    if kind in "iufUSTO":
        native = values.astype(values.dtype.newbyteorder("="), copy=False)
        return _from_arrow(name, _to_arrow(name, native), as_discrete)
    raise ColumnError(unusable(name, str(values.dtype)))


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
        raise ColumnError(
            f"column {name!r} mixes types, or holds values that are neither numbers nor text "
            f"(types seen: {', '.join(seen)}; {str(error).splitlines()[0]}); convert it to one type first"
        ) from error
    return pa.chunked_array([array]) if isinstance(array, pa.Array) else array


def _from_arrow(name: Hashable, array: pa.ChunkedArray, as_discrete: bool) -> Column:
    kind = array.type
    if pa.types.is_null(kind):
        raise ColumnError(f"column {name!r} has no values at all; drop it")
    if not (is_text(kind) or is_number(kind) or pa.types.is_boolean(kind) or pa.types.is_dictionary(kind)):
        raise ColumnError(unusable(name, str(kind)))
    if array.null_count:
        reject_missing(name, array.is_null().to_numpy())
    if pa.types.is_boolean(kind):
        return Column(array.cast(pa.uint8()).to_numpy(), (False, True))
    if is_number(kind) and not as_discrete:
        return Column(_numbers(array.to_numpy()), None)
    if pa.types.is_floating(kind):
        array = pa.chunked_array([level_numbers(name, array.to_numpy())])
    if pa.types.is_dictionary(kind):
        for chunk in array.chunks:  # before Arrow follows them
            check_indices(name, chunk.indices.to_numpy(zero_copy_only=False), len(chunk.dictionary))
        return _from_categories(name, _one_array(array.unify_dictionaries()))
    whole = _one_array(pc.dictionary_encode(array))
    try:
        labels, codes = sort_labels(whole.dictionary.to_pylist())
    except UnicodeDecodeError as error:
        raise ColumnError(f"column {name!r}: {not_text(error)}") from error
    return _mapped(name, whole.indices, codes, labels)


def level_numbers(name: Hashable, values: NDArray[Any]) -> pa.Array:
    """Return floating-point numbers that are levels: all finite, and 0.0 and -0.0 are one level."""
    reject_not_finite(name, values)
    return pa.array(values.astype(np.float64) + 0.0)


def _from_categories(name: Hashable, array: pa.DictionaryArray) -> Column:
    """Codes of categories in their own order; Arrow lets a dictionary repeat a label, or hold a missing one."""
    levels = Levels(keeps_order=True)
    try:
        codes = levels.add(as_labels(array.dictionary.to_pylist()))
    except UnicodeDecodeError as error:
        raise ColumnError(f"column {name!r}: {not_text(error)}") from error
    except TypeError:  # a label that is a list or a dict
        raise ColumnError(unusable(name, str(array.type))) from None
    return _mapped(name, array.indices, codes, levels.labels)


def _mapped(name: Hashable, indices: pa.Array, codes: NDArray[np.int64], labels: tuple[Hashable, ...]) -> Column:
    """Discrete column from indices of a dictionary, given the code of each of its entries; -1 is missing."""
    rows = indices.to_numpy(zero_copy_only=False)
    if np.array_equal(codes, np.arange(len(codes))):
        return _encoded(name, rows, labels)
    # Small codes are copied faster; they have no place for -1.
    small = codes if len(codes) and codes.min() < 0 else codes.astype(code_type(len(labels)))
    return _encoded(name, small[rows], labels)


def check_indices(name: Hashable, indices: NDArray[Any], entries: int, where: str = "", least: int = 0) -> None:
    """Raise for indices that point outside a dictionary: memory would be read, and written, that is not the table's."""
    if indices.size and (int(indices.max()) >= entries or int(indices.min()) < least):
        raise ColumnError(
            f"column {name!r} is damaged{where}: it has categories with numbers from {indices.min()} to "
            f"{indices.max()}, but there are {entries}"
        )


def not_text(error: UnicodeDecodeError) -> str:
    """What is wrong with bytes that are no text."""
    return f"a text is not in UTF-8 ({error.reason}); convert it first"


def _one_array(array: pa.ChunkedArray) -> pa.Array:
    whole = array.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def code_type(levels: int) -> type[np.unsignedinteger[Any]]:
    """Smallest unsigned type for the codes of so many levels."""
    return np.uint8 if levels <= 1 << 8 else np.uint16 if levels <= 1 << 16 else np.uint32


def _encoded(name: Hashable, codes: NDArray[Any], labels: tuple[Hashable, ...]) -> Column:
    """Discrete column from codes in which -1 is missing, in the smallest unsigned type for its levels."""
    if codes.size and codes.dtype.kind == "i" and codes.min() < 0:
        reject_missing(name, codes < 0)
    smallest = code_type(len(labels))
    if codes.dtype.itemsize == np.dtype(smallest).itemsize:
        return Column(np.ascontiguousarray(codes).view(smallest), labels)
    return Column(codes.astype(smallest), labels)


def relabelled(column: Column, labels: tuple[Hashable, ...]) -> Column:
    """Return a discrete column in terms of other labels, which include its own."""
    if column.labels is None or column.labels == labels:
        return column
    position = {label: code for code, label in enumerate(labels)}
    # A gap is the code after the last level.
    mapping = np.array([*(position[label] for label in column.labels), len(labels)], np.int64)
    codes = mapping[column.values]
    if len(codes) and codes.max() == len(labels):
        return Column(codes.astype(code_type(len(labels) + 1)), labels)
    return _encoded("", codes, labels)


def is_identifier(column: Column) -> bool:
    """Whether a column is discrete and different in each row, of which there are not just a few."""
    n, labels = len(column.values), column.labels
    return labels is not None and n >= FEW_ROWS and codes_if_distinct(column.values, len(labels)) is not None


def unusable(name: Hashable, kind: str) -> str:
    """What is wrong with a column of a type that holds neither numbers nor levels."""
    return (
        f"column {name!r} has type {kind}; a column must hold numbers (continuous), or strings, booleans or "
        "categories (discrete): convert or drop it"
    )
