"""Rows of files larger than memory, read chunk by chunk.

A chunk is a Table with the names and declared levels of all rows. All chunks but the last have the same number of
rows, whatever the files and their batches are, so that results do not depend on them.
"""

import threading
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from queue import Empty, Full, Queue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.data.chunked.batches import Batches
from bnjit.data.chunked.encoder import Encoder
from bnjit.data.chunked.memory import give_back
from bnjit.data.column import Column, code_type
from bnjit.data.levels import identifier_message
from bnjit.data.passes import Accumulator, PassTask
from bnjit.data.schema import Labels
from bnjit.data.source import Root
from bnjit.data.table import Table
from bnjit.data.tuning import BATCH_ROWS, CHUNK_ROWS, CHUNKS_AHEAD, DECODED_BYTES, POLL_SECONDS
from bnjit.errors import ColumnError, DataError

Values = list[NDArray[Any]]


class Chunks(Root):
    """Rows of files, read chunk by chunk and column by column.

    Attributes
    ----------
    chunk_rows : int
        Rows of a chunk.
    codes_memory : int
        Bytes for codes of discrete columns, which are decoded once if they fit.
    """

    def __init__(
        self, batches: Batches, discrete: Iterable[Hashable], chunk_rows: int = CHUNK_ROWS, keeps_gaps: bool = False
    ) -> None:
        self.batches, self.chunk_rows = batches, max(1, chunk_rows)
        names, declared = batches.schema.names, set(discrete)
        types = [batches.schema.field(name).type for name in names]
        self._encoders = [
            Encoder(name, kind, name in declared, keeps_gaps=keeps_gaps)
            for name, kind in zip(names, types, strict=True)
        ]
        self.codes_memory = 0
        self._codes: dict[int, NDArray[Any]] = {}  # of all rows
        super().__init__(names, [encoder.labels for encoder in self._encoders])

    @property
    def most_rows(self) -> int:
        """Rows of the largest chunk."""
        return self.chunk_rows

    @property
    def reading_bytes(self) -> int:
        """Memory that reading takes: chunks, codes that stay, and batches while they are decoded."""
        codes, left, width = 0, self.codes_memory, 0
        for j, encoder in enumerate(self._encoders):
            itemsize = np.dtype(encoder.dtype).itemsize
            if self.discrete[j] and self.n * itemsize <= left - codes:
                codes += self.n * itemsize
            else:
                width += itemsize
        decoded = min(DECODED_BYTES * len(self.names), self.codes_memory // 4)
        return codes + (CHUNKS_AHEAD + 1) * min(self.chunk_rows, self.n) * width + decoded

    @property
    def firsts(self) -> Sequence[int]:
        """Numbers of the first rows of all chunks."""
        return range(0, self.n, self.chunk_rows)

    def first_pass(self, task: PassTask) -> Accumulator:
        """Read all rows for the first time, to find levels and the number of rows; run a task on continuous columns."""
        rows, accumulator = 0, task.start()
        for first, values, n in self._chunks(range(len(self.names)), self.continuous, self.batches.n):
            rows = first + n
            try:
                accumulator.add_chunk(first, self._table(values, n))
            except DataError as error:
                raise type(error)(f"{error} (rows {first:,} ... {rows - 1:,} of data)") from None
        self.n = rows
        for encoder in self._encoders:
            encoder.fix_levels()
        self._describe(self.names, [encoder.labels for encoder in self._encoders])
        return accumulator

    def run_pass(self, tasks: Sequence[PassTask], columns: Iterable[int]) -> list[Accumulator]:
        """Read some columns once for all tasks."""
        accumulators = [task.start() for task in tasks]
        for first, chunk in self.read(columns):
            for accumulator in accumulators:
                accumulator.add_chunk(first, chunk)
        return accumulators

    def reject_identifiers(self) -> None:
        """Raise for a discrete column that is different in each row."""
        for encoder in self._encoders:
            if encoder.is_identifier:
                raise ColumnError(identifier_message(encoder.name, self.n))

    def numbering(self) -> list[Hashable]:
        """Columns that number the rows or identify them."""
        return [one.name for one in self._encoders if one.row_numbers is not None and one.row_numbers.number_rows]

    def relabel(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        """Keep some columns, in this order, and take more levels than there are in the rows."""
        self._encoders = [self._encoders[self.index(name)] for name in names]
        for encoder, own in zip(self._encoders, labels, strict=True):
            if own is not None:
                encoder.relabel(own)
        self._codes.clear()
        super().relabel(names, labels)

    def read(self, columns: Iterable[int]) -> Iterator[tuple[int, Table]]:
        """Chunks with some columns, each with the number of its first row; a chunk is valid until the next comes.

        The next chunks are decoded while one is used.
        """
        wanted = sorted(set(columns))
        here = {j: self._codes[j] for j in wanted if j in self._codes}
        rest = [j for j in wanted if j not in here]
        if here and not rest:
            for first in self.firsts:
                rows = min(self.chunk_rows, self.n - first)
                yield first, self._table({j: codes[first : first + rows] for j, codes in here.items()}, rows)
            return
        yet: dict[int, NDArray[Any]] = self._room_for_codes(rest)
        rows = 0
        for first, values, n in self._chunks(rest, rest, self.n):
            rows = first + n
            if rows > self.n:
                break
            for j, codes in yet.items():
                codes[first:rows] = values[j]
            yield first, self._table(values | {j: codes[first:rows] for j, codes in here.items()}, n)
        if rows != self.n:
            now = "more" if rows > self.n else f"{rows:,}"
            raise DataError(f"data had {self.n:,} rows when it was first read and has {now} now; start again")
        self._codes |= yet

    def _room_for_codes(self, columns: Sequence[int]) -> dict[int, NDArray[Any]]:
        """Make room for the codes of those columns that may stay in memory."""
        left = self.codes_memory - sum(codes.nbytes for codes in self._codes.values())
        room = {}
        for j in columns:
            kind = np.dtype(self._encoders[j].dtype)
            if self.discrete[j] and self.n * kind.itemsize <= left:
                room[j] = np.empty(self.n, kind)
                left -= room[j].nbytes
        return room

    def _chunks(
        self, columns: Sequence[int], kept: Sequence[int], n: int | None
    ) -> Iterator[tuple[int, dict[int, NDArray[Any]], int]]:
        """Read columns in another thread and hand over those that are kept: first row, values, and number of rows."""
        self.passes += 1
        names = [str(self.names[j]) for j in columns]
        size = self.batches.nbytes(names)
        self.bytes_read += size or 0
        ready: Queue[tuple[int, Values, int] | BaseException | None] = Queue(CHUNKS_AHEAD)
        free: Queue[Values] = Queue()
        for _ in range(CHUNKS_AHEAD + 1):
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
                    self.watch(self.passes, first + rows, n or 0, "rows")
                yield first, {j: buffer[:rows] for j, buffer in zip(kept, values, strict=True)}, rows
                free.put(values)
        finally:
            stopped.set()
            reader.join()
            give_back()

    def _table(self, values: Mapping[int, NDArray[Any]], rows: int) -> Table:
        """Make a chunk of the columns that are there; the others are empty."""
        columns = [
            Column(values[j] if j in values else np.empty(0, code_type(r) if r else np.float64), labels)
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
    """Put an item into a queue; return False if the other side has stopped."""
    while not stopped.is_set():
        try:
            queue.put(item, timeout=POLL_SECONDS)
        except Full:
            continue
        return True
    return False


def _take(queue: "Queue[Values]", stopped: threading.Event) -> Values | None:
    """Take an item from a queue; return None if the other side has stopped."""
    while not stopped.is_set():
        try:
            return queue.get(timeout=POLL_SECONDS)
        except Empty:
            continue
    return None
