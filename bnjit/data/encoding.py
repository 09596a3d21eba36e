"""Record batches become values of typed columns; levels that nobody knew are found on the way."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnjit.data.batches import kind_of
from bnjit.data.column import code_type, identifier, reject_not_finite, type_column
from bnjit.data.table import Labels
from bnjit.errors import DataError

IDENTIFIER_ROWS = 1 << 20  # rows after which a column that never repeats itself is given up


class Encoder:
    """Values of one column, batch after batch.

    While `grows`, levels that are not known yet are added in the order in which they come; `settle` ends that.
    """

    def __init__(self, name: Hashable, kind: pa.DataType, as_discrete: bool) -> None:
        # What in-memory tables say of an empty column of this type is what must be said here.
        empty = type_column(name, pa.chunked_array([pa.array([], kind)]), as_discrete)
        self.name, self.kind = name, kind_of(kind)
        self.dtype: Any = empty.values.dtype
        self.discrete = empty.labels is not None
        self.grows = self.discrete and not pa.types.is_boolean(kind)
        self._sorted = self.grows and not pa.types.is_dictionary(kind)
        self._number = pa.types.is_floating(kind) and self.discrete
        self._codes: dict[Hashable, int] = {label: code for code, label in enumerate(empty.labels or ())}
        self._seen: set[int] = set()  # codes, while every row may have its own
        self._last: pa.Array | None = None
        self._mapping: NDArray[Any] = np.empty(0, np.int64)
        self._has_gaps = False

    @property
    def labels(self) -> Labels:
        """Levels known by now; None for a continuous column."""
        return tuple(self._codes) if self.discrete else None

    @property
    def used(self) -> int:
        """Levels that were seen, if they may be as many as rows."""
        return len(self._seen)

    def settle(self) -> None:
        """End the search for levels: those that have no order of their own are sorted."""
        labels: list[Any] = list(self._codes)
        self.relabel(tuple(sorted(labels)) if self._sorted else tuple(labels))

    def relabel(self, labels: tuple[Hashable, ...]) -> None:
        """Take these levels in this order, and no others."""
        self._codes = {label: code for code, label in enumerate(labels)}
        self.dtype, self._last = code_type(len(labels)), None
        self.grows = False

    def values(self, array: pa.Array, where: str, first: int) -> NDArray[Any]:
        """Numbers or codes of a batch; `first` is its first row among all.

        While levels are looked for, the codes of a discrete column say nothing.
        """
        if kind_of(array.type) != self.kind:
            raise DataError(f"column {self.name!r} is {kind_of(array.type)} in {where} and {self.kind} elsewhere")
        if array.null_count:
            row = first + int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise DataError(
                f"column {self.name!r} has missing values in {where}, the first in row {row} (counting from 0); "
                "missing data is not supported yet: drop or impute those rows"
            )
        if not self.discrete or pa.types.is_boolean(array.type):
            return array.to_numpy(zero_copy_only=False)
        if self._number:
            numbers = array.to_numpy(zero_copy_only=False).astype(np.float64) + 0.0  # 0.0 and -0.0 are one level
            try:
                reject_not_finite(self.name, numbers)
            except DataError as error:
                raise DataError(f"{where}: {error}") from None
            array = pa.array(numbers)
        if not pa.types.is_dictionary(array.type):
            array = pc.dictionary_encode(array)
        if self._last is None or not self._last.equals(array.dictionary):
            mapping = self._map(array.dictionary, where)
            self._has_gaps = bool(len(mapping)) and int(mapping.min()) < 0
            # Small codes are copied faster.
            self._mapping = mapping if self.grows or self._has_gaps else mapping.astype(self.dtype)
            self._last = array.dictionary
        indices = array.indices.to_numpy(zero_copy_only=False)
        codes = self._mapping[indices]
        if self._has_gaps and len(codes) and codes.min() < 0:
            self._reject(array, codes, where, first)
        if self.grows and len(self._codes) >= first + len(codes):
            self._seen.update(np.unique(codes).tolist())
            if len(self._seen) == first + len(codes) >= IDENTIFIER_ROWS:
                raise DataError(identifier(self.name, len(self._seen)).replace("its", "its first"))
        return codes

    def _map(self, dictionary: pa.Array, where: str) -> NDArray[np.int64]:
        """Code of each label of a dictionary; -1 for what must not be used."""
        labels = dictionary.to_pylist()
        if not all(isinstance(label, Hashable) for label in labels):
            raise DataError(f"column {self.name!r} has categories of type {dictionary.type} in {where}; convert them")
        if self.grows:
            for label in labels:
                if label is not None:
                    self._codes.setdefault(label, len(self._codes))
        return np.array([self._codes.get(label, -1) for label in labels], np.int64)

    def _reject(self, array: pa.Array, codes: NDArray[Any], where: str, first: int) -> None:
        """Raise for a missing label, or one that was not there when levels were looked for."""
        row = int(np.argmin(codes))
        label = array[row].as_py()
        what = "missing values" if label is None else f"the level {label!r}, which was not there before,"
        raise DataError(f"column {self.name!r} has {what} in {where}, the first in row {first + row}")
