"""Ancestral sampling: parents before children, a block of rows at a time, into memory or a file."""

from collections.abc import Hashable, Iterator
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bnjit._files import write_whole
from bnjit._jit import Ints64
from bnjit._threads import in_ranges
from bnjit.data import Column, Table
from bnjit.data.column import code_type
from bnjit.errors import as_count, as_seed
from bnjit.kernels.configurations import append_keys
from bnjit.kernels.sampling import draw_levels, draw_values, stream_of
from bnjit.kernels.tuning import KEYED_ROWS
from bnjit.network.nodes import DiscreteNode, dense_lookup
from bnjit.network.tuning import SAMPLE_ROWS, THREADED_DRAWS

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network.network import Network


def empty_columns(network: "Network", n: int) -> list[NDArray[Any]]:
    """Columns of zeros for n rows: codes or numbers."""
    return [
        np.zeros(n, code_type(r) if d else np.float64) for r, d in zip(network.levels, network.discrete, strict=True)
    ]


def as_table(network: "Network", columns: list[NDArray[Any]]) -> Table:
    """Columns as a Table that shares them."""
    return Table(
        network.names, [Column(values, labels) for values, labels in zip(columns, network.labels, strict=True)]
    )


def as_categorical(codes: NDArray[Any], labels: tuple[Hashable, ...]) -> Any:
    """Codes as a pandas Categorical."""
    import pandas as pd

    return pd.Categorical.from_codes(codes, dtype=_category_type(labels, tuple(map(type, labels))), validate=False)


@lru_cache(maxsize=128)
def _category_type(labels: tuple[Hashable, ...], _: tuple[type, ...]) -> Any:
    """Type of a pandas Categorical, made once for all columns with these levels of these types."""
    import pandas as pd

    return pd.CategoricalDtype(pd.Index(list(labels)))


def configuration_keys(table: Table, parents: tuple[int, ...]) -> Ints64:
    """Configuration of discrete parents in every row."""
    keys = np.zeros(table.n, np.int64)
    append_keys(table.view, np.array(parents, np.int32), keys)
    return keys


def draw_node(network: "Network", j: int, table: Table, seed: int, first: int) -> None:
    """Draw node j for all rows of a table that holds its parents, in place."""
    node = network.nodes[j]
    stream = np.uint64(stream_of(np.uint64(seed % 2**64), j))  # type: ignore[arg-type]
    target = table.columns[j].values
    conditions = node.parents if isinstance(node, DiscreteNode) else node.discrete
    keys = configuration_keys(table, conditions)
    dense = dense_lookup(node.keys, table.configurations(conditions))
    blocks = -(-table.n // KEYED_ROWS)
    if isinstance(node, DiscreteNode):
        levels = np.empty(table.n, np.int32)
        threaded = table.n >= THREADED_DRAWS
        shares = node.cumulative()
        in_ranges(draw_levels, blocks, keys, node.keys, dense, shares, stream, first, levels, threaded=threaded)
        target[:] = levels
    else:
        coefficients, sd = node.with_fallback()
        parents = np.empty((len(node.continuous), table.n))
        for i, p in enumerate(node.continuous):
            parents[i] = table.columns[p].values
        in_ranges(draw_values, blocks, keys, node.keys, dense, coefficients, sd, parents, stream, first, target)


def draw_rows(network: "Network", n: int, seed: int, first: int = 0) -> Table:
    """Draw rows first ... first + n - 1 of the sample that a seed stands for."""
    table = as_table(network, empty_columns(network, n))
    for j in network.order():
        draw_node(network, j, table, seed, first)
    return table


def sample_frame(network: "Network", n: int, seed: int | None, at_once: int = SAMPLE_ROWS) -> "pd.DataFrame":
    """Draw rows as a DataFrame, `at_once` of them at a time; discrete columns are categorical."""
    import pandas as pd

    n, seed = as_count("n", n, least=0), as_seed(seed)
    columns = empty_columns(network, n)
    for first in range(0, n, at_once):
        block = draw_rows(network, min(at_once, n - first), seed, first)
        for values, drawn in zip(columns, block.columns, strict=True):
            values[first : first + block.n] = drawn.values
    made: dict[int, Any] = {}
    for j, (values, labels) in enumerate(zip(columns, network.labels, strict=True)):
        made[j] = values if labels is None else as_categorical(values, labels)
    return pd.DataFrame(made).set_axis(pd.Index(network.names, tupleize_cols=False), axis=1)


def record_batches(network: "Network", n: int, seed: int, at_once: int) -> Iterator[pa.RecordBatch]:
    """Draw rows as Arrow record batches of `at_once` rows, at least one batch; discrete columns are dictionaries.

    Levels that are numbers become strings: Parquet would give them back as numbers, and so as a continuous column.
    """
    names = [str(name) for name in network.names]
    for first in range(0, max(n, 1), at_once):
        block = draw_rows(network, min(at_once, n - first), seed, first)
        arrays = []
        for column in block.columns:
            if column.labels is None:
                arrays.append(pa.array(column.values))
            else:
                codes = column.values.astype(np.int32 if column.values.dtype.itemsize > 1 else np.int16)
                kept = all(isinstance(label, bool | np.bool_) for label in column.labels)
                labels = pa.array([label if kept else str(label) for label in column.labels])
                arrays.append(pa.DictionaryArray.from_arrays(pa.array(codes), labels))
        yield pa.RecordBatch.from_arrays(arrays, names=names)


def _writer(path: Path, schema: Any) -> Any:
    """Parquet writer that does not compress continuous columns: random numbers get no smaller, only slower to read."""
    import pyarrow.parquet as pq

    discrete = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    codecs = {field.name: "snappy" if field.name in discrete else "none" for field in schema}
    return pq.ParquetWriter(path, schema, use_dictionary=discrete, compression=codecs)


def sample_parquet(
    network: "Network", path: Path, n: int, seed: int | None, progress: bool | None, at_once: int = SAMPLE_ROWS
) -> None:
    """Draw rows into a Parquet file, `at_once` of them at a time; an incomplete file is removed."""
    from bnjit.progress import is_interactive

    n = as_count("n", n, least=0)
    batches = record_batches(network, n, as_seed(seed), at_once)
    if is_interactive() if progress is None else progress:
        from tqdm import tqdm

        batches = tqdm(batches, total=-(-n // at_once), desc=path.name, unit=" blocks", leave=False)
    with write_whole(path) as part, ExitStack() as stack:
        writer = None
        for batch in batches:
            writer = writer or stack.enter_context(_writer(part, batch.schema))
            writer.write_batch(batch)
