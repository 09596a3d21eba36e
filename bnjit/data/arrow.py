"""What Arrow says of columns and files, whether they are read whole or in chunks."""

from pathlib import Path

import pyarrow as pa


def is_parquet(path: Path) -> bool:
    """Whether a name is that of a Parquet file."""
    return not {".parquet", ".pq"}.isdisjoint(suffix.lower() for suffix in path.suffixes)


def is_ipc(path: Path) -> bool:
    """Whether a name is that of an Arrow IPC file, also called Feather."""
    return path.suffix.lower() in (".arrow", ".feather", ".ipc")


def is_csv(path: Path) -> bool:
    """Whether a name is that of a CSV file, which may be compressed."""
    suffixes = {suffix.lower() for suffix in path.suffixes}
    return not suffixes.isdisjoint((".csv", ".tsv", ".txt")) or path.suffix.lower() == ".zip"


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is text, however it is stored."""
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def is_number(kind: pa.DataType) -> bool:
    """Whether a type is of whole or floating-point numbers."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def kind_of(kind: pa.DataType) -> str:
    """Type of a column as far as files and batches must agree on it: text is text, however it is stored."""
    if pa.types.is_dictionary(kind):
        return f"categories of {kind_of(kind.value_type)}"
    return "text" if is_text(kind) else str(kind)


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
    return pa.schema([field for field in schema if field.name not in index])
