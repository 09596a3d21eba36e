"""Record batches of files larger than memory, or of any function that makes them, with only the columns asked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from bnjit.data.table import listing
from bnjit.errors import DataError

IPC = (".arrow", ".feather", ".ipc")
TEXT_BYTES = 16  # that a value of a text column takes, about


class Batches(Protocol):
    """Where record batches come from, as often as they are needed.

    schema : names and types of the columns; n : rows, if that is known beforehand
    """

    schema: pa.Schema
    n: int | None

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Batches of about so many rows of some columns, each with what messages call where it is from."""
        ...

    def nbytes(self, names: Sequence[str]) -> int | None:
        """Bytes that reading some columns once takes from the disk; None if only reading tells."""
        ...

    def memory(self) -> int | None:
        """Bytes that all rows would take in memory, about; None if nobody knows."""
        ...


def index_columns(schema: pa.Schema) -> set[str]:
    """Columns that hold the index of a pandas DataFrame, which is none of its columns."""
    try:
        kept = (schema.pandas_metadata or {}).get("index_columns", [])
    except ValueError:  # somebody else's metadata
        return set()
    return {name for name in kept if isinstance(name, str)} & set(schema.names)


def without_index(schema: pa.Schema) -> pa.Schema:
    """Return the columns of a file that are columns of a table."""
    index = index_columns(schema)
    return pa.schema([field for field in schema if field.name not in index]) if index else schema


def kind_of(kind: pa.DataType) -> str:
    """Type of a column as far as files must agree on it: text is text, however it is stored."""
    if pa.types.is_dictionary(kind):
        return f"categories of {kind_of(kind.value_type)}"
    if any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)):
        return "text"
    return str(kind)


def check_schema(schema: pa.Schema, where: str, first: pa.Schema, first_where: str) -> None:
    """Raise where the columns of a file are not those of the first one."""
    for mine, theirs, lacks, has in (
        (schema, first, where, first_where),
        (first, schema, first_where, where),
    ):
        missing = [name for name in theirs.names if name not in mine.names]
        if missing:
            raise DataError(f"{lacks} lacks the column {missing[0]!r}, which {has} has; all files need all columns")
    for name in first.names:
        ours, seen = kind_of(first.field(name).type), kind_of(schema.field(name).type)
        if ours != seen:
            raise DataError(
                f"column {name!r} is {seen} in {where} and {ours} in {first_where}; give it one type in all files"
            )


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in the message of an error."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"cannot read {str(path)!r}: {str(error).splitlines()[0]}") from error


class ParquetFiles:
    """Parquet files with the same columns, in their order."""

    def __init__(self, paths: Sequence[Path]) -> None:
        import pyarrow.parquet as pq

        self._files: list[tuple[Path, Any]] = []
        self.schema = pa.schema([])
        for path in paths:
            with _naming(path):
                # Without buffers of whole row groups, which Arrow would keep until the file is read.
                file = pq.ParquetFile(path, pre_buffer=False)
            if self._files:
                check_schema(without_index(file.schema_arrow), str(path), self.schema, str(paths[0]))
            else:
                self.schema = without_index(file.schema_arrow)
            self._files.append((path, file.metadata))
            file.close()
        self.n: int | None = sum(metadata.num_rows for _, metadata in self._files)

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Decode batches file by file, threads over columns."""
        import pyarrow.parquet as pq

        for path, metadata in self._files:
            with _naming(path), pq.ParquetFile(path, pre_buffer=False) as file:
                if file.metadata.num_rows != metadata.num_rows:
                    raise DataError(f"{str(path)!r} was changed while it was read; start again")
                if not names:
                    nothing = pa.nulls(metadata.num_rows)
                    yield str(path), pa.RecordBatch.from_arrays([nothing], names=[""])
                    continue
                for batch in file.iter_batches(batch_size=rows, columns=list(names)):
                    yield str(path), batch

    def nbytes(self, names: Sequence[str]) -> int | None:
        """Compressed bytes of some columns."""
        total = 0
        wanted = set(names)
        for _, metadata in self._files:
            for group in map(metadata.row_group, range(metadata.num_row_groups)):
                for column in map(group.column, range(group.num_columns)):
                    if column.path_in_schema.partition(".")[0] in wanted or column.path_in_schema in wanted:
                        total += column.total_compressed_size
        return total

    def memory(self) -> int | None:
        """Bytes that all rows would take in memory, by the types of the columns."""
        width = 0
        for kind in self.schema.types:
            if pa.types.is_dictionary(kind):
                width += 2
            elif pa.types.is_primitive(kind):
                width += max(1, kind.bit_width // 8)
            else:
                width += TEXT_BYTES
        return (self.n or 0) * width


class IpcFile:
    """An Arrow IPC file (also called Feather), memory-mapped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _naming(path), pa.memory_map(str(path)) as source:
            reader = pa.ipc.open_file(source)
            self.schema, self._all = without_index(reader.schema), reader.schema
            self._batches = reader.num_record_batches
            self.n: int | None = None

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Batches as they lie in the file, cut where they are large."""
        fields = [self._all.get_field_index(name) for name in names] or [0]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with _naming(self.path), pa.memory_map(str(self.path)) as source:
            reader = pa.ipc.open_file(source, options=options)
            for i in range(self._batches):
                batch = reader.get_batch(i)
                for first in range(0, batch.num_rows, rows):
                    yield str(self.path), batch.slice(first, rows)

    def nbytes(self, names: Sequence[str]) -> int | None:
        """Say that only reading tells."""
        return None

    def memory(self) -> int | None:
        """Size of the file, which is as in memory unless it is compressed."""
        return self.path.stat().st_size


class Factory:
    """A function that returns an iterable of record batches, the same ones in every call."""

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        self.make = make
        first = next(iter(self._batches()), None)
        if first is None:
            raise DataError("data is a function that made no record batch; it must make at least one")
        self.schema = without_index(first.schema)
        self.n: int | None = None

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
        """Batches of a new call, cut where they are large."""
        for number, batch in enumerate(self._batches()):
            where = f"record batch {number}"
            check_schema(without_index(batch.schema), where, self.schema, "record batch 0")
            some = batch.select(list(names) or batch.schema.names[:1])
            for first in range(0, some.num_rows, rows):
                yield where, some.slice(first, rows)

    def nbytes(self, names: Sequence[str]) -> int | None:
        """Say that only reading tells."""
        return None

    def memory(self) -> int | None:
        """Say that nobody knows."""
        return None


def files_of(folder: Path) -> list[Path]:
    """Parquet files of a folder, in the order of their names; names that begin with . or _ do not count."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".parquet", ".pq"))
    parts = [path.relative_to(folder).parts for path in found]
    seen = [path for path, names in zip(found, parts, strict=True) if not any(n[0] in "._" for n in names)]
    if not seen:
        raise DataError(f"the folder {str(folder)!r} has no Parquet files")
    for names in parts:
        if any("=" in name for name in names[:-1]):
            raise DataError(
                f"the folders of {str(folder)!r} hold values in their names ({listing(names[:-1])}); "
                "out of core, every column must be in the files"
            )
    return seen
