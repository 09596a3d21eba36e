"""Record batches become values of typed columns; levels that are not known yet are found on the way."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnjit.data.arrow import kind_of
from bnjit.data.check import NOT_SUPPORTED
from bnjit.data.column import check_indices, code_type, level_numbers, not_text, type_column, unusable
from bnjit.data.complete import missing_values, plain_text
from bnjit.data.levels import Levels, as_labels
from bnjit.data.numbering import RowNumbers
from bnjit.data.tuning import IDENTIFIER_ROWS
from bnjit.errors import ColumnError


class Encoder:
    """Values of one column, batch after batch.

    Levels are found as batches come, until `fix_levels` ends that; from then on a level that is new is an error.

    Attributes
    ----------
    labels : tuple, optional
        Levels once they are fixed; none before that, and None for a continuous column.
    dtype : type
        Type of the values.
    is_identifier : bool
        Whether each row had a level of its own when levels were fixed.
    row_numbers : RowNumbers, optional
        Whether integers number the rows, found with the levels.
    """

    def __init__(
        self, name: Hashable, kind: pa.DataType, as_discrete: bool, identifier_rows: int = IDENTIFIER_ROWS,
        keeps_gaps: bool = False,
    ) -> None:  # fmt: skip
        # What in-memory tables say of an empty column of this type is what must be said here.
        try:
            empty = type_column(name, pa.nulls(0, kind), as_discrete)
        except KeyError:  # a type that pyarrow knows, and Python does not
            raise ColumnError(unusable(name, str(kind))) from None
        self.name, self.kind, self.labels = name, kind_of(kind), empty.labels
        self.dtype: Any = empty.values.dtype
        self.keeps_gaps = keeps_gaps
        self._has_codes = self.labels is not None and not pa.types.is_boolean(kind)
        self.is_identifier = False
        self._found = Levels(keeps_order=pa.types.is_dictionary(kind)) if self._has_codes else None
        self._identifier_rows = identifier_rows
        self._codes: dict[Hashable, int] = {}  # of the levels that are fixed
        self._last: pa.Array | None = None
        self._mapping: NDArray[Any] = np.empty(0, np.int64)
        self._has_gaps = self._is_fixed = False
        is_number = pa.types.is_integer(kind) and self.labels is None
        self.row_numbers = RowNumbers(name) if is_number else None

    def fix_levels(self) -> None:
        """End the search for levels; those that have no order of their own are sorted."""
        self._is_fixed = True
        if self._found is not None:
            self.is_identifier = self._found.is_identifier
            self.relabel(self._found.in_order())

    def relabel(self, labels: tuple[Hashable, ...]) -> None:
        """Take these levels in this order, and no others."""
        self.labels = labels
        self._codes = {label: code for code, label in enumerate(labels)}
        self.dtype, self._last = code_type(len(labels) + self.keeps_gaps), None
        self._found = None

    def values(self, array: pa.Array, where: str, first: int) -> NDArray[Any]:
        """Numbers or codes of a batch; `first` is the number of its first row, `where` names its origin.

        Before levels are fixed, the codes of a discrete column are not yet its own.
        """
        if kind_of(array.type) != self.kind:
            raise ColumnError(f"column {self.name!r} is {kind_of(array.type)} in {where} and {self.kind} elsewhere")
        if self.keeps_gaps:
            return self._with_gaps(array, where, first)
        if array.null_count:
            row = first + int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise ColumnError(
                f"column {self.name!r} has missing values in {where}, the first in row {row} (counting from 0); "
                f"{NOT_SUPPORTED}"
            )
        return self._without_gaps(array, where, first)

    def _with_gaps(self, array: pa.Array, where: str, first: int) -> NDArray[Any]:
        """Values of a batch in which some are missing: NaN, or the code after the last level."""
        if self.labels is None:
            return self._numbers(array)
        missing = missing_values(array)
        if pa.types.is_dictionary(array.type):  # which may hold a missing label
            there = array.dictionary.is_valid().to_numpy(zero_copy_only=False)
            there = there if len(there) else np.zeros(1, bool)
            missing = missing | ~there[array.indices.fill_null(0).to_numpy(zero_copy_only=False)]
        codes = np.full(len(missing), len(self.labels), np.int64)
        if not missing.all():
            codes[~missing] = self._without_gaps(plain_text(array).filter(pa.array(~missing)), where, first)
        return codes

    def _without_gaps(self, array: pa.Array, where: str, first: int) -> NDArray[Any]:
        """Numbers or codes of a batch in which none is missing."""
        if not self._has_codes:
            return self._numbers(array)
        if pa.types.is_floating(array.type):
            try:
                array = level_numbers(self.name, array.to_numpy(zero_copy_only=False))
            except ColumnError as error:
                raise ColumnError(f"{where}: {error}") from None
        if pa.types.is_dictionary(array.type):
            indices = array.indices.to_numpy(zero_copy_only=False)
            check_indices(self.name, indices, len(array.dictionary), f" in {where}")
        else:
            array = pc.dictionary_encode(array)
            indices = array.indices.to_numpy(zero_copy_only=False)
        if self._last is None or not self._last.equals(array.dictionary):
            mapping = self._map(array.dictionary, where)
            self._has_gaps = bool(len(mapping)) and int(mapping.min()) < 0
            # Small codes are copied faster.
            self._mapping = mapping if self._found is not None or self._has_gaps else mapping.astype(self.dtype)
            self._last = array.dictionary
        codes = self._mapping[indices]
        if self._has_gaps and len(codes) and codes.min() < 0:
            self._reject(array, codes, where, first)
        if self._found is not None:
            self._found.add_rows(codes)
            self._found.reject_identifier_early(self.name, self._identifier_rows)
        return codes

    def _numbers(self, array: pa.Array) -> NDArray[Any]:
        """Values of a batch of numbers or booleans; at first, whether they number the rows is looked at."""
        values: NDArray[Any] = array.to_numpy(zero_copy_only=False)
        if self.row_numbers is not None and not self._is_fixed:
            if pa.types.is_integer(array.type):
                self.row_numbers.add(values)
            else:
                self.row_numbers = None
        return values

    def _map(self, dictionary: pa.Array, where: str) -> NDArray[np.int64]:
        """Code of each label of a dictionary; -1 for one that must not be used."""
        try:
            labels = as_labels(dictionary.to_pylist())
            if self._found is not None:
                return self._found.add(labels)
            return np.array([self._codes.get(label, -1) for label in labels], np.int64)
        except UnicodeDecodeError as error:
            raise ColumnError(f"column {self.name!r} in {where}: {not_text(error)}") from error
        except TypeError:  # a label that is a list or a dict
            message = f"column {self.name!r} has categories of type {dictionary.type} in {where}; convert them"
            raise ColumnError(message) from None

    def _reject(self, array: pa.Array, codes: NDArray[Any], where: str, first: int) -> None:
        """Raise for a missing label, or one that was not there when levels were looked for."""
        row = int(np.argmin(codes))
        label = array[row].as_py()
        what = "missing values" if label is None else f"the level {label!r}, which was not there before,"
        raise ColumnError(f"column {self.name!r} has {what} in {where}, the first in row {first + row}")
