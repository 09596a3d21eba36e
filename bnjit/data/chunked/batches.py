"""Record batches: where they come from, the columns that they must have, and functions that make them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from bnjit.data.arrow import is_number, kind_of, without_index
from bnjit.data.schema import listing
from bnjit.errors import DataError


class Batches(Protocol):
    """Record batches that can be read as often as they are needed.

    Attributes
    ----------
    schema : pyarrow.Schema
        Names and types of the columns.
    n : int, optional
        Rows, if their number is known before they are read.
    """

    schema: pa.Schema
    n: int | None

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Batches of at most so many rows with some columns, each with the name of its origin for messages."""
        ...

    def nbytes(self, names: Sequence[str]) -> int | None:
        """Bytes that reading some columns once takes from the disk; None if that is not known before."""
        ...

    def memory(self) -> int | None:
        """Bytes that all rows would take in memory, about; None if that is not known."""
        ...


def check_schema(schema: pa.Schema, where: str, first: pa.Schema, first_where: str) -> None:
    """Raise where the columns of a file are not those of the first one; one that has no value there has any type."""
    for mine, theirs, lacks, has in (
        (schema, first, where, first_where),
        (first, schema, first_where, where),
    ):
        missing = [name for name in theirs.names if name not in mine.names]
        if missing:
            raise DataError(f"{lacks} lacks the column {missing[0]!r}, which {has} has; all files need all columns")
    for name in first.names:
        ours, seen = kind_of(first.field(name).type), kind_of(schema.field(name).type)
        if ours != seen and not pa.types.is_null(schema.field(name).type):
            raise DataError(
                f"column {name!r} is {seen} in {where} and {ours} in {first_where}; give it one type in all files"
            )


def with_types(schema: pa.Schema, other: pa.Schema) -> pa.Schema:
    """Return a schema in which columns without a type, since no value was there, have those of another one."""
    return pa.schema([
        field.with_type(other.field(field.name).type)
        if pa.types.is_null(field.type) and field.name in other.names
        else field
        for field in schema
    ])  # fmt: skip


def typed(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column, or as many gaps of some type if it has no type of its own."""
    return pa.nulls(len(column), kind) if pa.types.is_null(column.type) else column


def common_schema(schemas: Sequence[tuple[str, pa.Schema]]) -> tuple[pa.Schema, str | None]:
    """Columns of all files, each with its name, in the order of the first; and a word on numbers whose types differ.

    They have the type that holds them all: float64 for whole and floating-point ones.
    """
    (first_where, first), *others = schemas
    for _, schema in others:
        first = with_types(first, schema)
    kinds = dict(zip(first.names, first.types, strict=True))
    widened: dict[str, str] = {}
    for where, schema in others:
        same = [field.with_type(first.field(field.name).type) if _both_numbers(kinds, field) else field
                for field in schema]  # fmt: skip
        check_schema(pa.schema(same), where, first, first_where)
        for field in schema:
            if _both_numbers(kinds, field) and kinds[field.name] != field.type:
                kinds[field.name] = _wider(kinds[field.name], field.type)
                widened.setdefault(field.name, where)
    message = None
    if widened:
        name, where = next(iter(widened.items()))
        message = (
            f"columns {listing(list(widened))} have numbers of different types in some files, for example {name!r} in "
            f"{where} and in {first_where}; they are read as {kinds[name]}" + (", ..." if len(widened) > 1 else "")
        )
    return pa.schema([field.with_type(kinds[field.name]) for field in first]), message


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """Type that holds the numbers of both."""
    if pa.uint64() in (one, other) and not (pa.types.is_unsigned_integer(one) and pa.types.is_unsigned_integer(other)):
        return pa.float64()
    pair = [pa.schema([("", kind)]) for kind in (one, other)]
    return pa.unify_schemas(pair, promote_options="permissive").types[0]


def _both_numbers(kinds: Mapping[str, pa.DataType], field: pa.Field) -> bool:
    kind = kinds.get(field.name)
    return kind is not None and is_number(kind) and is_number(field.type)


class BatchFunction:
    """A function that returns an iterable of record batches, the same ones in every call."""

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        self.make = make
        first = next(iter(self._batches()), None)
        if first is None:
            raise DataError("data is a function that made no record batch; it must make at least one")
        self.schema = without_index(first.schema)
        self.n: int | None = None
        if any(map(pa.types.is_null, self.schema.types)):
            self._find_types()

    def _find_types(self) -> None:
        """Read batches until every column has had a value."""
        for batch in self._batches():
            self.schema = with_types(self.schema, batch.schema)
            if not any(map(pa.types.is_null, self.schema.types)):
                return

    def _batches(self) -> Iterator[pa.RecordBatch]:
        made = self.make()
        if not isinstance(made, Iterable):
            raise DataError(f"data() returned a {type(made).__name__}; it must return an iterable of record batches")
        for batch in made:
            if isinstance(batch, pa.Table):
                yield from batch.to_batches()
            elif isinstance(batch, pa.RecordBatch):
                yield batch
            else:
                raise DataError(f"data() made a {type(batch).__name__}; it must make pyarrow.RecordBatches")

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Call the function again; cut batches that are large."""
        for number, batch in enumerate(self._batches()):
            where = f"record batch {number}"
            check_schema(without_index(batch.schema), where, self.schema, "record batch 0")
            some = batch.select(list(names) or batch.schema.names[:1])
            if any(map(pa.types.is_null, some.schema.types)):
                columns = [typed(some.column(name), self.schema.field(name).type) for name in some.schema.names]
                some = pa.RecordBatch.from_arrays(columns, names=some.schema.names)
            for first in range(0, some.num_rows, rows):
                yield where, some.slice(first, rows)

    def nbytes(self, names: Sequence[str]) -> int | None:
        """None: the size is not known before batches are made."""
        return None

    def memory(self) -> int | None:
        """None: the number of rows is not known."""
        return None
