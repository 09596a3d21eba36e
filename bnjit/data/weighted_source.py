"""Weights of rows that come in chunks: a column of theirs, which is no node."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from bnjit.data.repeat import are_counts
from bnjit.data.schema import Labels
from bnjit.data.source import Root, Source
from bnjit.data.table import Table
from bnjit.data.weights import check_weights
from bnjit.errors import ArgumentError, DataError


@dataclass(frozen=True)
class _Repeat:
    """Each row as often as the last column of the root says, which is then left out."""

    column: int

    def requires(self, columns: set[int]) -> set[int]:
        return columns | {self.column}

    def __call__(self, first: int, rows: Table) -> Table:
        weights = rows.columns[self.column].values.astype(np.int64)
        some = Table(rows.names[:-1], rows.columns[:-1], rows.n, rows.scale)
        return some.take(np.repeat(np.arange(rows.n), weights))


@dataclass(frozen=True)
class SumOfWeights:
    """Asks for the sum of the weights in each chunk."""

    column: int

    def start(self) -> "SummedWeights":
        """Begin, with no row seen."""
        return SummedWeights(self.column)


class SummedWeights:
    """Sums of weights by the number of each chunk's first row."""

    def __init__(self, column: int) -> None:
        self._column = column
        self.sums: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        """Memory that the sums take."""
        return 16 * len(self.sums)

    def add_chunk(self, first: int, chunk: Table) -> None:
        """Check and add the weights of a chunk."""
        name, values = chunk.names[self._column], chunk.columns[self._column].values.astype(np.float64)
        check_weights(name, values, first)
        if not are_counts(values):
            row = int(np.argmax(values != np.floor(values)))
            raise ArgumentError(
                "weights of rows that come in chunks, or from a cluster, are whole numbers; "
                f"{name!r} is {values[row]} in row {first + row} (counting from 0)"
            )
        self.sums[first] = self.sums.get(first, 0) + int(values.sum())

    def finish(self) -> None:
        """Nothing is kept but the sums."""

    def merged(self, others: Sequence["SummedWeights"]) -> "SummedWeights":
        """Return the sums of these chunks and of those that follow."""
        out = SummedWeights(self._column)
        for one in (self, *others):
            for first, total in one.sums.items():
                out.sums[first] = out.sums.get(first, 0) + total
        return out


class RepeatedRows(Source):
    """Rows of a root, each as often as a column says. The root has been read once."""

    def __init__(self, root: Root, weights: Hashable) -> None:
        if root.labels[root.index(weights)] is not None:
            raise ArgumentError(f"{weights!r}, the weights, is a discrete column; give numbers")
        at = [j for j, name in enumerate(root.names) if name != weights]
        self._weights = weights
        root.relabel([*(root.names[j] for j in at), weights], [*(root.labels[j] for j in at), None])
        super().__init__(root.names[:-1], root.labels[:-1])
        self._base, self.steps = root, (_Repeat(len(at)),)
        (found,) = root.run_pass([SumOfWeights(len(at))], [len(at)])
        assert isinstance(found, SummedWeights)
        self.begins, self.n = {}, 0
        for first in sorted(found.sums):
            self.begins[first] = self.n
            self.n += found.sums[first]
        if not self.n:
            raise DataError(f"{weights!r}, the weights, are all 0; no row is left")

    def relabel(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        """Keep some columns, in this order, and take more levels than there are in the rows."""
        root = self.root
        if tuple(names) != self.names:
            self.whole = None
            root.factors = None if root.factors is None else root.factors[[self.index(name) for name in names]]
        factors, root.factors = root.factors, None
        root.relabel([*names, self._weights], [*labels, None])
        root.factors = factors
        n = self.n
        Source.__init__(self, names, labels)
        self.n, self.steps = n, (_Repeat(len(names)),)
