"""Weights of rows in memory: how often each counts, given as a column or as an array.

Whole numbers stand for repeated rows: rows of weight zero are left out before anything else is seen of them, and the
typed rows are repeated, so that all that follows has the digits of a table in which they stand several times.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from bnjit.data.check import check_names
from bnjit.data.complete import complete_columns, take_rows
from bnjit.data.gaps import GapRule
from bnjit.data.read import raw_columns
from bnjit.data.repeat import Weights
from bnjit.data.schema import listing
from bnjit.errors import ArgumentError, DataError

Raw = list[tuple[Hashable, Any]]


def is_array(weights: Any) -> bool:
    """Whether weights are an array, and not the name of a column."""
    return not isinstance(weights, str | tuple) and hasattr(weights, "__len__")


def split_weights(
    data: Any, names: Sequence[Hashable] | None, discrete: Sequence[Hashable], weights: Any, gaps: GapRule,
    what: str = "data",
) -> tuple[Raw, Weights]:  # fmt: skip
    """Return the raw columns of the rows that count, and how often each does."""
    columns = raw_columns(data, names)
    found = [name for name, _ in columns]
    check_names(found)
    if is_array(weights):
        name: Hashable = "weights"
        values = weights
        rest = columns
        lengths = {len(raw) for _, raw in columns if hasattr(raw, "__len__")}
        if len(lengths) == 1 and len(weights) not in lengths:
            raise ArgumentError(
                f"weights has {len(weights):,} values, {what} has {lengths.pop():,} rows; give one each"
            )
    else:
        name = weight_column(weights, found, discrete, what)
        values = dict(columns)[name]
        rest = [(other, raw) for other, raw in columns if other != name]
    if gaps == "drop":  # a row without a weight is one of those
        *rest, (_, values) = complete_columns([*rest, (name, values)], what)
    own = _numbers(name, values)
    check_weights(name, own)
    kept = np.flatnonzero(own)
    if not len(kept):
        raise DataError(f"{name!r}, the weights, are all 0; no row is left")
    if len(kept) < len(own):
        rest, own = [(other, take_rows(raw, kept)) for other, raw in rest], own[kept]
    return rest, own


def weight_column(weights: Any, names: Sequence[Hashable], discrete: Sequence[Hashable], what: str) -> Hashable:
    """Return the name of the column that has the weights."""
    if weights not in names:
        raise ArgumentError(f"weights={weights!r} is no column of {what}, which has {listing(names)}")
    if weights in ((discrete,) if isinstance(discrete, str) else tuple(discrete)):
        raise ArgumentError(f"discrete names {weights!r}, which has the weights and is no node; leave it out there")
    if len(names) == 1:
        raise DataError(f"{what} has no column but {weights!r}, which has the weights")
    name: Hashable = weights
    return name


def _numbers(name: Hashable, raw: Any) -> Weights:
    """Weights as numbers; NaN where there is none."""
    if isinstance(raw, pa.Array | pa.ChunkedArray) or hasattr(raw, "__arrow_c_stream__"):
        array = raw if isinstance(raw, pa.Array | pa.ChunkedArray) else pa.chunked_array(raw)
        values = array.to_pandas().to_numpy()
    else:
        values = np.ma.filled(raw, np.nan) if np.ma.isMaskedArray(raw) else np.asarray(raw)
    if values.dtype.kind == "O":
        values = np.array([np.nan if value is None or str(value) == "<NA>" else value for value in values.tolist()])
    if values.dtype.kind not in "iuf" or values.ndim != 1:
        kind = f"an array of shape {values.shape}" if values.ndim != 1 else f"of type {values.dtype}"
        raise ArgumentError(f"{name!r}, the weights, is {kind}; give one number for each row")
    return values.astype(np.float64)


def check_weights(name: Hashable, values: Weights, first: int = 0) -> None:
    """Raise for weights that are no numbers from 0 on; `first` is the number of the first row."""
    wrong = ~(np.isfinite(values) & (values >= 0.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise DataError(
            f"{name!r}, the weights, is {values[row]} in row {first + row} (counting from 0); weights are finite and "
            "not negative: leave the row out by a weight of 0, or correct it"
        )
