"""Parquet and Arrow files as record batches, with only the columns asked for."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import pyarrow as pa

from bnjit.data.arrow import is_ipc, is_number, is_parquet, without_index
from bnjit.data.check import check_names
from bnjit.data.chunked.batches import Batches, BatchFunction, common_schema, typed
from bnjit.data.column import not_text
from bnjit.data.schema import listing
from bnjit.data.tuning import READ_BYTES, TEXT_BYTES
from bnjit.errors import DataError, warn

Checked = TypeVar("Checked", pa.RecordBatch, pa.Table)


@contextmanager
def name_in_errors(path: Path) -> Iterator[None]:
    """Name the file in the message of an error."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        what = next(iter(str(error).splitlines()), type(error).__name__)
        raise DataError(f"cannot read {str(path)!r}: {what}") from error
    except KeyError as error:
        raise DataError(f"cannot read {str(path)!r}: {error} is not there, or twice") from error
    except UnicodeDecodeError as error:
        raise DataError(f"cannot read {str(path)!r}: {not_text(error)}") from error


def checked(rows: Checked) -> Checked:
    """Rows from a file, if their offsets, texts and categories are what they must be: no file is trusted."""
    rows.validate(full=True)
    return rows


class ParquetFiles:
    """Parquet files with the same columns, in their order, and columns that the names of their folders hold.

    Numbers that have different types in some files have one that holds them all.
    """

    def __init__(self, paths: Sequence[Path], folder: Path | None = None) -> None:
        import pyarrow.parquet as pq

        self._files: list[tuple[Path, Any]] = []
        schemas = []
        for path in paths:
            # Without buffers of whole row groups, which Arrow would keep until the file is read.
            with name_in_errors(path), pq.ParquetFile(path, pre_buffer=False) as file:
                schemas.append((str(path), without_index(file.schema_arrow)))
                self._files.append((path, file.metadata))
        for _, schema in schemas:
            check_names(list(schema.names))
        self._own, self._widened = common_schema(schemas)
        self._in_folders = folder_columns(folder, paths, self._own.names) if folder is not None else []
        self.schema = pa.schema([*self._own, *((name, values.type) for name, values in self._in_folders)])
        self.n: int | None = sum(metadata.num_rows for _, metadata in self._files)

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Decode batches file by file, threads over columns."""
        import pyarrow.parquet as pq

        self._warn_once()
        own = [name for name in names if name in self._own.names]
        for number, (path, metadata) in enumerate(self._files):
            with (
                name_in_errors(path),
                pq.ParquetFile(path, pre_buffer=False, buffer_size=READ_BYTES) as file,
            ):
                if file.metadata.num_rows != metadata.num_rows:
                    raise DataError(f"{str(path)!r} was changed while it was read; start again")
                if not own:
                    nothing = pa.RecordBatch.from_arrays([pa.nulls(metadata.num_rows)], names=[""])
                    yield str(path), self._completed(nothing, names, number)
                    continue
                for batch in file.iter_batches(batch_size=rows, columns=own):
                    yield str(path), self._completed(checked(batch), names, number)

    def _completed(self, batch: pa.RecordBatch, names: Sequence[str], number: int) -> pa.RecordBatch:
        """Give columns the types that they have in all files, and add those of the folders."""
        in_folders = {name: values[number] for name, values in self._in_folders if name in names}
        if not in_folders and all(batch.schema.field(name).type == self._own.field(name).type for name in names):
            return batch
        columns = []
        for name in names:
            if name in in_folders:
                columns.append(pa.repeat(in_folders[name], batch.num_rows))
                continue
            kind = self._own.field(name).type
            column = typed(batch.column(name), kind)
            is_other = is_number(kind) and column.type != kind
            columns.append(column.cast(kind, safe=False) if is_other else column)
        return pa.RecordBatch.from_arrays(columns, names=list(names)) if columns else batch

    def _warn_once(self) -> None:
        """Say that types were widened, when rows are read for the first time."""
        if self._widened is not None:
            warn(self._widened)
            self._widened = None

    def table(self) -> pa.Table:
        """All rows, in memory."""
        import pyarrow.parquet as pq

        self._warn_once()
        names, parts = self.schema.names, []
        for number, (path, _) in enumerate(self._files):
            with name_in_errors(path), pq.ParquetFile(path, pre_buffer=False) as file:  # no second copy of the file
                found = checked(file.read(columns=self._own.names))
                batches = found.to_batches() or [_no_rows(found)]
                parts.append(pa.Table.from_batches([self._completed(batch, names, number) for batch in batches]))
        with name_in_errors(self._files[0][0]):
            return parts[0] if len(parts) == 1 else pa.concat_tables(parts, promote_options="permissive")

    def nbytes(self, names: Sequence[str]) -> int | None:
        """Compressed bytes of some columns; of all of them, the size of the files.

        Columns are looked up only for some of them, and so after all have been read: pyarrow ends the process where the
        description of a column is damaged, but not while it reads.
        """
        wanted = set(names)
        if wanted.issuperset(self._own.names):
            return sum(path.stat().st_size for path, _ in self._files)
        total = 0
        for path, metadata in self._files:
            with name_in_errors(path):
                groups = map(metadata.row_group, range(metadata.num_row_groups))
                for column in (group.column(i) for group in groups for i in range(group.num_columns)):
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


def _no_rows(table: pa.Table) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(0, kind) for kind in table.schema.types], schema=table.schema)


class IpcFile:
    """An Arrow IPC file (also called Feather), memory-mapped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with name_in_errors(path), path.open("rb") as file:
            if file.read(4) == b"FEA1":
                raise DataError(
                    f"{str(path)!r} is a Feather file of version 1; give pyarrow.feather.read_table(path), or write it "
                    "again in version 2"
                )
        with name_in_errors(path), pa.memory_map(str(path)) as source:
            reader = pa.ipc.open_file(source)
            self.schema, self._all = without_index(reader.schema), reader.schema
            self._batches = reader.num_record_batches
            self.n: int | None = None

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Batches as they are in the file; large ones are cut."""
        fields = [self._all.get_field_index(name) for name in names] or [0]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with name_in_errors(self.path), pa.memory_map(str(self.path)) as source:
            reader = pa.ipc.open_file(source, options=options)
            for i in range(self._batches):
                batch = checked(reader.get_batch(i))
                for first in range(0, batch.num_rows, rows):
                    yield str(self.path), batch.slice(first, rows)

    def table(self) -> pa.Table:
        """All rows, in memory."""
        with name_in_errors(self.path), pa.memory_map(str(self.path)) as source:
            return checked(pa.ipc.open_file(source).read_all())

    def nbytes(self, names: Sequence[str]) -> int | None:
        """None: the size of a column is not known before it is read."""
        return None

    def memory(self) -> int | None:
        """Size of the file, which is as in memory unless it is compressed."""
        return self.path.stat().st_size


def files_of(folder: Path) -> list[Path]:
    """Parquet files of a folder, in the order of their names; names that begin with . or _ are left out."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".parquet", ".pq") and path.is_file())
    parts = [path.relative_to(folder).parts for path in found]
    seen = [path for path, names in zip(found, parts, strict=True) if not any(n[0] in "._" for n in names)]
    if not seen:
        raise DataError(
            f"the folder {str(folder)!r} has no Parquet files; for several CSV files give a DataFrame of pandas.concat"
        )
    return seen


def folder_columns(folder: Path, paths: Sequence[Path], names: Sequence[str]) -> list[tuple[str, pa.Array]]:
    """Columns that the names of folders hold, as in year=2024/month=5: a value for each file.

    Whole numbers and numbers are such; anything else is text. A column that the files have themselves is read there.
    """
    found = []
    for path in paths:
        parts = [part.split("=", 1) for part in path.relative_to(folder).parts[:-1] if "=" in part]
        found.append({unquote(name): unquote(value) for name, value in parts if unquote(name) not in names})
    for values, path in zip(found, paths, strict=True):
        if list(values) != list(found[0]):
            raise DataError(
                f"the folders of {str(path)!r} name the columns {listing(list(values)) or 'none'}, those of "
                f"{str(paths[0])!r} {listing(list(found[0])) or 'none'}; all files need the same"
            )
    return [(name, _typed([values[name] for values in found])) for name in found[0]]


def _typed(texts: Sequence[str]) -> pa.Array:
    """Numbers if all texts are, else texts; what Hive and Spark write for a missing value is missing."""
    values = pa.array([None if text == "__HIVE_DEFAULT_PARTITION__" else text for text in texts], pa.string())
    for kind in (pa.int64(), pa.float64()):
        try:
            return values.cast(kind)
        except pa.ArrowInvalid:
            continue
    return values


def open_batches(data: Any) -> Batches | None:
    """Record batches of a Parquet file or a folder of them, of an Arrow file or a function; None for other data."""
    if callable(data):
        return BatchFunction(data)
    if not isinstance(data, str | os.PathLike):
        return None
    path = Path(data)
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except OSError:  # a name that no file can have
        return None
    if is_folder:
        return ParquetFiles(files_of(path), path)
    if is_file and is_parquet(path):
        return ParquetFiles([path])
    return IpcFile(path) if is_file and is_ipc(path) else None
