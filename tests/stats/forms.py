"""A table in every form that comes in chunks."""

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bnjit.data.open import open_source
from bnjit.data.source import check_source
from bnjit.stats.opening import look_at

ROWS = 400


def mixed_arrow():
    """Every type of column; levels that come late, and one that only the last rows have."""
    rng = np.random.default_rng(3)
    place = rng.integers(0, 3, ROWS)
    place[:50] = np.minimum(place[:50], 1)
    hot = rng.random(ROWS) < 0.3 + 0.2 * place
    dose = rng.integers(1, 4, ROWS)
    x = rng.normal(size=ROWS) + place
    y = (2 * x + hot + rng.normal(size=ROWS)).astype(np.float32)
    z = y - x * (1 + place) + rng.normal(size=ROWS)
    return pa.table(
        {
            "place": pa.array(np.array(["south", "north", "east"])[place]),
            "x": pa.array(x),
            "hot": pa.array(hot),
            "kind": pa.array(np.where(rng.random(ROWS) < 0.8 - 0.5 * hot, "a", "b")).dictionary_encode(),
            "y": pa.array(y),
            "dose": pa.array(dose.astype(np.int8)),
            "z": pa.array(z),
        }
    )


def in_chunks(data, rows, discrete=()):
    """Read data for the first time, in chunks of so many rows; a Source to learn from."""
    root = open_source(data, discrete, None, None, True, rows)
    look_at(root)
    check_source(root)
    return root


def as_folder(table, folder):
    """Uneven files, one of them without rows."""
    folder.mkdir()
    cuts = [0, 1, 50, 50, 333, len(table)]
    for i, (a, b) in enumerate(itertools.pairwise(cuts)):
        part = table.slice(a, b - a).combine_chunks()
        pq.write_table(part, folder / f"part{i}.parquet", row_group_size=40)
    return folder


def as_parquet(table, folder):
    folder.mkdir()
    pq.write_table(table, folder / "table.parquet", row_group_size=64)
    return folder / "table.parquet"


def as_ipc(table, folder):
    folder.mkdir()
    with pa.OSFile(str(folder / "table.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=37)
    return folder / "table.arrow"


def as_function(table, folder):
    empty = pa.RecordBatch.from_pylist([], table.schema)
    return lambda: iter([empty, *table.to_batches(max_chunksize=29), empty])


FORMS = {"folder": as_folder, "parquet": as_parquet, "ipc": as_ipc, "function": as_function}
