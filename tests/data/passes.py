"""A task that keeps the rows it is given, to compare what a pass gives with the rows in memory."""

import numpy as np

from bnjit.data import Column, Table
from bnjit.data.open import open_source


class KeepRows:
    """Keep rows."""

    def start(self):
        return KeptRows()


class KeptRows:
    """Rows of chunks, and the numbers of their first rows."""

    def __init__(self):
        self.firsts, self.chunks = [], []

    @property
    def nbytes(self):
        return sum(chunk.nbytes for chunk in self.chunks)

    def add_chunk(self, first, chunk):
        self.firsts.append(first)
        self.chunks.append(chunk.take(np.arange(chunk.n)))  # a copy: buffers of a chunk are used again

    def finish(self):
        pass

    def merged(self, others):
        out = KeptRows()
        for one in (self, *others):
            out.firsts += one.firsts
            out.chunks += one.chunks
        return out

    def table(self):
        """All rows; chunks without rows have no types of their own."""
        chunks = [chunk for chunk in self.chunks if chunk.n]
        columns = [
            Column(np.concatenate([chunk.columns[j].values for chunk in chunks]), chunks[0].labels[j])
            for j in range(len(chunks[0].names))
        ]
        return Table(chunks[0].names, columns, sum(chunk.n for chunk in chunks))


def read_in_chunks(data, chunk_rows, discrete=()):
    """Read data out of core; return the source after its first pass, and all rows of a second pass."""
    root = open_source(data, discrete, None, None, True, chunk_rows)
    return root, read_again(root)


def read_again(root):
    """Run the first pass and another one over all columns; return its rows."""
    root.first_pass(KeepRows())
    (kept,) = root.run_pass([KeepRows()], range(len(root.names)))
    assert kept.firsts == list(root.firsts)
    return kept.table()


def assert_same_rows(table, other):
    """Assert that two tables have the same columns, levels and values, in the same types."""
    assert table.names == other.names
    assert table.labels == other.labels
    assert table.n == other.n
    for name, ours, theirs in zip(table.names, table.columns, other.columns, strict=True):
        assert ours.values.dtype == theirs.values.dtype, name
        np.testing.assert_array_equal(ours.values, theirs.values, err_msg=str(name))
