"""Sources: rows that come in chunks, because memory does not hold them all.

A chunk is a Table with the names and declared levels of the whole. All chunks but the last have the same number of
rows, however the files are cut, so that results do not depend on that.
"""

import threading
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from queue import Empty, Full, Queue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.data.batches import Batches
from bnjit.data.column import FEW_ROWS, Column, code_type, identifier
from bnjit.data.encoding import Encoder
from bnjit.data.split import check_fraction, row_numbers
from bnjit.data.table import Labels, Layout, Table, listing
from bnjit.errors import BnjitWarning, DataError

BATCH_ROWS = 1 << 16
CHUNK_ROWS = 1 << 19
AHEAD = 2  # chunks that are read while one is counted
POLL = 0.1  # seconds after which a reader looks whether anybody still waits for it

Values = list[NDArray[Any]]
Watch = Callable[[int, int, int], None]  # told of the pass, the rows read and all rows


class Source(Layout):
    """Rows that come in chunks: those of a root, changed or chosen chunk by chunk.

    root : Chunks
        Where the rows come from.
    whole : object
        What statistics keep of all rows, if they have collected it.
    """

    root: "Chunks"
    whole: Any = None

    @property
    def nbytes(self) -> int:
        """Memory that the columns would take."""
        return self.n * sum(np.dtype(code_type(r)).itemsize if r else 8 for r in self.levels)

    def requires(self, columns: Iterable[int]) -> set[int]:
        """Return the columns of the root that some columns are made of."""
        return set(columns)

    def before(self, first: int) -> int:
        """Rows of this source before those that it has from the chunk of the root that begins with row `first`."""
        return first

    def derive(self, first: int, chunk: Table) -> Table:
        """Rows of this source from a chunk of the root, whose first row has the number `first`."""
        return chunk


class Chunks(Source):
    """Rows of files, read chunk by chunk and column by column.

    Attributes
    ----------
    chunk_rows : int
        Rows of a chunk.
    passes, bytes_read : int
        How often rows were read, and how much of the files that was.
    watch : callable, optional
        Told of progress.
    """

    def __init__(self, batches: Batches, discrete: Iterable[Hashable], chunk_rows: int = CHUNK_ROWS) -> None:
        self.batches, self.chunk_rows = batches, max(1, chunk_rows)
        names, declared = batches.schema.names, set(discrete)
        self._encoders = [Encoder(name, batches.schema.field(name).type, name in declared) for name in names]
        self.n = 0
        self.passes = self.bytes_read = 0
        self.watch: Watch | None = None
        self.root = self
        super().__init__(names, [encoder.labels for encoder in self._encoders])

    def look(self) -> Iterator[tuple[int, Table]]:
        """Read all rows for the first time, to find levels and the number of rows; chunks have continuous columns."""
        rows = 0
        for first, chunk in self._chunks(range(len(self.names)), self.continuous, self.batches.n):
            rows = first + chunk.n
            yield first, chunk
        self.n = rows
        for encoder in self._encoders:
            if encoder.grows:
                encoder.settle()
        super().__init__(self.names, [encoder.labels for encoder in self._encoders])

    def reject_identifiers(self) -> None:
        """Raise for a discrete column that is different in each row."""
        for encoder in self._encoders:
            if self.n >= FEW_ROWS and encoder.used == self.n:
                raise DataError(identifier(encoder.name, self.n))

    def relabel(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        """Keep some columns, in this order, and take more levels than there are in the rows."""
        if tuple(names) != self.names:
            self.whole = None
        self._encoders = [self._encoders[self.index(name)] for name in names]
        for encoder, own in zip(self._encoders, labels, strict=True):
            if own is not None:
                encoder.relabel(own)
        super().__init__(names, labels)

    def read(self, columns: Iterable[int]) -> Iterator[tuple[int, Table]]:
        """Chunks with some columns, each with the number of its first row; a chunk is good until the next is asked for.

        The next chunks are decoded while one is used.
        """
        wanted = sorted(set(columns))
        rows = 0
        for first, chunk in self._chunks(wanted, wanted, self.n):
            rows = first + chunk.n
            yield first, chunk
        if rows != self.n:
            raise DataError(f"data had {self.n:,} rows when it was first read and has {rows:,} now; start again")

    def _chunks(self, columns: Sequence[int], kept: Sequence[int], n: int | None) -> Iterator[tuple[int, Table]]:
        """Read columns in another thread and hand over those that are kept."""
        self.passes += 1
        names = [str(self.names[j]) for j in columns]
        size = self.batches.nbytes(names)
        self.bytes_read += size or 0
        ready: Queue[tuple[int, Values, int] | BaseException | None] = Queue(AHEAD)
        free: Queue[Values] = Queue()
        for _ in range(AHEAD + 1):
            free.put([])
        stopped = threading.Event()

        def work() -> None:
            try:
                for item in self._fill(columns, kept, free, stopped, counts_bytes=size is None):
                    if not _put(ready, item, stopped):
                        return
                _put(ready, None, stopped)
            except BaseException as error:
                _put(ready, error, stopped)

        reader = threading.Thread(target=work, name="bnjit-reader", daemon=True)
        reader.start()
        try:
            while (item := ready.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                first, values, rows = item
                if self.watch is not None:
                    self.watch(self.passes, first + rows, n or 0)
                yield first, self._table(kept, values, rows)
                free.put(values)
        finally:
            stopped.set()
            reader.join()

    def _table(self, kept: Sequence[int], values: Values, rows: int) -> Table:
        there = dict(zip(kept, values, strict=True))
        columns = [
            Column(there[j][:rows] if j in there else np.empty(0, code_type(r) if r else np.float64), labels)
            for j, (labels, r) in enumerate(zip(self.labels, self.levels, strict=True))
        ]
        return Table(self.names, columns, rows)

    def _fill(
        self, columns: Sequence[int], kept: Sequence[int], free: "Queue[Values]", stopped: threading.Event,
        counts_bytes: bool,
    ) -> Iterator[tuple[int, Values, int]]:  # fmt: skip
        """Typed values of chunk after chunk, in buffers that come back when they have been used."""
        names = [str(self.names[j]) for j in columns]
        first = filled = 0
        buffers: Values | None = None
        for where, batch in self.batches.read(names, min(BATCH_ROWS, self.chunk_rows)):
            if counts_bytes:
                self.bytes_read += batch.nbytes
            typed = {
                j: self._encoders[j].values(batch.column(name), where, first + filled)
                for j, name in zip(columns, names, strict=True)
            }
            done = 0
            while done < batch.num_rows:
                if buffers is None:
                    buffers = _take(free, stopped)
                    if buffers is None:
                        return
                    if not buffers:
                        buffers += [np.empty(self.chunk_rows, self._encoders[j].dtype) for j in kept]
                some = min(batch.num_rows - done, self.chunk_rows - filled)
                for buffer, j in zip(buffers, kept, strict=True):
                    buffer[filled : filled + some] = typed[j][done : done + some]
                filled += some
                done += some
                if filled == self.chunk_rows:
                    yield first, buffers, filled
                    buffers, first, filled = None, first + filled, 0
        if buffers is not None:
            yield first, buffers, filled


def _put(queue: "Queue[Any]", item: Any, stopped: threading.Event) -> bool:
    """Put an item into a queue unless nobody wants it any more."""
    while not stopped.is_set():
        try:
            queue.put(item, timeout=POLL)
        except Full:
            continue
        return True
    return False


def _take(queue: "Queue[Values]", stopped: threading.Event) -> Values | None:
    while not stopped.is_set():
        try:
            return queue.get(timeout=POLL)
        except Empty:
            continue
    return None


class Part(Source):
    """Training or test rows, which a row's number decides."""

    def __init__(self, base: Source, fraction: float, seed: int | None, test: bool) -> None:
        super().__init__(base.names, base.labels)
        self.base, self.root = base, base.root
        self._fraction, self._seed, self._test = fraction, seed, test
        self.n = sum(
            int(self._chosen(first, min(CHUNK_ROWS, base.n - first)).sum()) for first in range(0, base.n, CHUNK_ROWS)
        )

    def _chosen(self, first: int, n: int) -> NDArray[np.bool_]:
        test: NDArray[np.bool_] = row_numbers(n, self._seed, first) < self._fraction
        return test if self._test else ~test

    def derive(self, first: int, chunk: Table) -> Table:
        """Rows of this part."""
        rows = self.base.derive(first, chunk)
        return rows.take(self._chosen(self.base.before(first), rows.n))


def split_source(source: Source, fraction: float, seed: int | None) -> tuple[Part, Part]:
    """Training and test rows, the same as those of a table."""
    check_fraction(fraction)
    train, test = (Part(source, fraction, seed, test) for test in (False, True))
    if not 2 <= test.n <= source.n - 2:
        raise DataError(f"{source.n} rows are too few to keep {fraction:.0%} of them for testing; give test_data")
    return train, test


class Replaced(Source):
    """A source with other values in one continuous column, computed from each chunk."""

    def __init__(
        self, base: Source, column: int, needed: Iterable[int], compute: Callable[[Table], NDArray[np.float64]]
    ) -> None:
        super().__init__(base.names, base.labels)
        self.base, self.root, self.n = base, base.root, base.n
        self._column, self._needed, self._compute = column, set(needed), compute

    def requires(self, columns: Iterable[int]) -> set[int]:
        """Return the columns, and those that the new values are made of."""
        asked = set(columns)
        return self.base.requires(asked | self._needed if self._column in asked else asked)

    def derive(self, first: int, chunk: Table) -> Table:
        """Rows with the new values, if their makings are there."""
        rows = self.base.derive(first, chunk)
        if rows.n == 0 or any(not len(rows.columns[j].values) for j in self._needed):
            return rows
        return rows.replaced(self._column, self._compute(rows))


def check_source(source: Source) -> None:
    """Raise or warn for what no network can be learned from; continuous columns are checked with their statistics."""
    if source.n < 2:
        raise DataError(f"data has {source.n} row{'s' if source.n != 1 else ''}; at least 2 are needed")
    source.root.reject_identifiers()
    single = [name for name, levels in zip(source.names, source.levels, strict=True) if levels == 1]
    if single:
        warnings.warn(
            f"discrete column{'s' if len(single) > 1 else ''} with one level: {listing(single)}; "
            "nothing can depend on a constant",
            BnjitWarning,
            stacklevel=5,
        )
