"""Parquet and Arrow files as record batches, with only the columns asked for."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from bnjit.data.arrow import is_ipc, is_parquet, without_index
from bnjit.data.chunked.batches import Batches, BatchFunction, check_schema
from bnjit.data.schema import listing
from bnjit.data.tuning import TEXT_BYTES
from bnjit.errors import DataError


@contextmanager
def _name_in_errors(path: Path) -> Iterator[None]:
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
            with _name_in_errors(path):
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
            with _name_in_errors(path), pq.ParquetFile(path, pre_buffer=False) as file:
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
        with _name_in_errors(path), pa.memory_map(str(path)) as source:
            reader = pa.ipc.open_file(source)
            self.schema, self._all = without_index(reader.schema), reader.schema
            self._batches = reader.num_record_batches
            self.n: int | None = None

    def read(self, names: Sequence[str], rows: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Batches as they are in the file; large ones are cut."""
        fields = [self._all.get_field_index(name) for name in names] or [0]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with _name_in_errors(self.path), pa.memory_map(str(self.path)) as source:
            reader = pa.ipc.open_file(source, options=options)
            for i in range(self._batches):
                batch = reader.get_batch(i)
                for first in range(0, batch.num_rows, rows):
                    yield str(self.path), batch.slice(first, rows)

    def nbytes(self, names: Sequence[str]) -> int | None:
        """None: the size of a column is not known before it is read."""
        return None

    def memory(self) -> int | None:
        """Size of the file, which is as in memory unless it is compressed."""
        return self.path.stat().st_size


def files_of(folder: Path) -> list[Path]:
    """Parquet files of a folder, in the order of their names; names that begin with . or _ are left out."""
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
        return ParquetFiles(files_of(path))
    if is_file and is_parquet(path):
        return ParquetFiles([path])
    return IpcFile(path) if is_file and is_ipc(path) else None
