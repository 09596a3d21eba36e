"""Rows without a gap: `missing="drop"` leaves out all others, in memory, in chunks and on a cluster."""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnjit.data.chunked.batches import Batches
from bnjit.errors import ColumnError, warn

WORTH_A_WORD = 0.5  # share of rows left out


class NoCompleteRowError(ColumnError):
    """Every row has a gap, in one column or another."""


def missing_values(raw: Any) -> NDArray[np.bool_]:
    """Where a raw column has no value: None, NaN, NA, NaT, masked or an Arrow null; bool[n]."""
    if np.ma.isMaskedArray(raw):
        masked: NDArray[np.bool_] = np.ma.getmaskarray(raw)
        return masked | missing_values(np.asarray(raw.data))
    if isinstance(raw, np.ndarray) and raw.dtype.kind != "O":
        gaps = np.isnan(raw) if raw.dtype.kind == "f" else np.zeros(len(raw), bool)
        return np.asarray(gaps)
    if isinstance(raw, pa.Array | pa.ChunkedArray):
        found: NDArray[np.bool_] = np.asarray(pc.is_null(raw, nan_is_null=True))
        return found
    if hasattr(raw, "isna"):
        return np.asarray(raw.isna(), bool)
    if hasattr(raw, "__arrow_c_stream__"):
        return missing_values(pa.chunked_array(raw))
    import pandas as pd

    return np.asarray(pd.isna(pd.Series(list(raw), dtype=object)), bool)


def complete_columns(columns: Sequence[tuple[Hashable, Any]], what: str = "data") -> list[tuple[Hashable, Any]]:
    """Columns of equal length without the rows in which one of them has no value."""
    gaps = [missing_values(raw) for _, raw in columns]
    incomplete = np.logical_or.reduce(gaps)
    if not incomplete.any():
        return list(columns)
    names = [name for name, _ in columns]
    tell_of_rows(
        len(incomplete), int(incomplete.sum()), dict(zip(names, (int(g.sum()) for g in gaps), strict=True)), what
    )
    kept = np.flatnonzero(~incomplete)
    return [(name, take_rows(raw, kept)) for name, raw in columns]


def take_rows(raw: Any, kept: NDArray[np.intp]) -> Any:
    """Some rows of a raw column, of its own type."""
    if isinstance(raw, pa.Array | pa.ChunkedArray):
        return raw.take(pa.array(kept))
    if hasattr(raw, "iloc"):
        return raw.iloc[kept]
    if isinstance(raw, np.ndarray):
        return raw[kept]
    if hasattr(raw, "__arrow_c_stream__"):
        return pa.chunked_array(raw).take(pa.array(kept))
    return [raw[i] for i in kept.tolist()]


def tell_of_rows(rows: int, left_out: int, gaps: dict[Hashable, int], what: str = "data") -> None:
    """Raise if no row is complete, and warn if most are not; `gaps` has the missing values of each column."""
    if left_out <= WORTH_A_WORD * rows:
        return
    worst = sorted((count, str(name)) for name, count in gaps.items() if count)[::-1][:3]
    which = ", ".join(f"{name!r} ({count:,} missing)" for count, name in worst)
    if left_out == rows:
        raise NoCompleteRowError(
            f'none of the {rows:,} rows of {what} is complete, so that missing="drop" leaves nothing; drop columns '
            f"with many gaps first: {which}"
        )
    warn(f'missing="drop" leaves out {left_out:,} of the {rows:,} rows of {what}; most gaps are in {which}')


class CompleteBatches:
    """Record batches without the rows that have a gap, which is looked for in all columns."""

    def __init__(self, batches: Batches) -> None:
        self._batches, self.schema = batches, batches.schema
        self.n: int | None = None
        self._told = False

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Batches with some columns; all columns are read."""
        everything = list(self.schema.names)
        seen = left_out = 0
        gaps: dict[Hashable, int] = dict.fromkeys(everything, 0)
        for where, batch in self._batches.read(everything, rows):
            found = [missing_values(column) for column in batch.columns]
            incomplete = np.logical_or.reduce(found)
            seen, left_out = seen + len(incomplete), left_out + int(incomplete.sum())
            for name, one in zip(everything, found, strict=True):
                gaps[name] += int(one.sum())
            some = batch.select(list(names) or everything[:1])
            yield where, some.filter(pa.array(~incomplete)) if incomplete.any() else some
        if not self._told:
            self._told = True
            tell_of_rows(seen, left_out, gaps)

    def nbytes(self, names: Sequence[str]) -> int | None:
        """Bytes that reading takes, which is always of all columns."""
        return self._batches.nbytes(list(self.schema.names))

    def memory(self) -> int | None:
        """Bytes that all rows would take, complete or not."""
        return self._batches.memory()
