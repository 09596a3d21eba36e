"""Rows of a dask.dataframe: tasks go to where the partitions are, and only what they find travels.

A pass is one task for each partition, which also reads it, and a tree of merges. The tree depends on the number of
partitions alone, so that neither the scheduler, nor the number of workers, nor one that dies changes a digit: Dask runs
again what was lost with it.
"""

import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import Any, NamedTuple

from bnjit._jit import threads
from bnjit.data.partitions import Seen, look_at_partition, place, table_of, united
from bnjit.data.readers import check_names, declared_names
from bnjit.data.source import Accumulator, PassTask, Root
from bnjit.data.table import Labels
from bnjit.errors import DataError

FAN_IN = 8  # that are merged at a time
_ALONE = threading.Lock()  # kernels have threads of their own; tasks of one worker take turns


def is_dask(data: Any) -> bool:
    """Whether data is a dask.dataframe; if so, somebody has loaded dask."""
    loaded = sys.modules.get("dask.dataframe")
    return loaded is not None and isinstance(data, loaded.DataFrame)


class _Pass(NamedTuple):
    """What every partition is asked: some columns, with these levels, and the number of rows before each partition.

    Before levels are known, `labels` is None, and `declared` says which columns are discrete though they are numbers.
    """

    names: tuple[Hashable, ...]
    declared: frozenset[Hashable]
    labels: tuple[Labels, ...] | None
    wanted: tuple[int, ...]
    starts: tuple[int, ...]
    tasks: tuple[PassTask, ...]
    threads: int | None


class _Part(NamedTuple):
    """What some partitions answer: rows of each, bytes read, bytes that travelled so far at most, findings."""

    rows: tuple[int, ...]
    nbytes: int
    travelled: int
    names: tuple[Hashable, ...]
    seen: list[Seen]
    accumulators: list[Accumulator]
    is_leaf: bool = False


@contextmanager
def _kernels(n_threads: int | None) -> Iterator[None]:
    """Run kernels of one task at a time, with the threads that a worker has."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        with suppress(ValueError):  # not on a worker
            n_threads = distributed.get_worker().state.nthreads
    with _ALONE, threads(n_threads):
        yield


def see_partition(frame: Any, asked: _Pass, partition_info: Any = None) -> _Part:
    """Decode a partition and let tasks see it; runs on a worker."""
    number = partition_info["number"]
    seen: list[Seen] = []
    if asked.labels is None:
        table, seen = look_at_partition(frame, asked.names, asked.declared, number)
        first = 0
    else:
        table = table_of(frame, asked.names, asked.labels, asked.wanted, number)
        first = asked.starts[number]
        if table.n != asked.starts[number + 1] - first:
            raise DataError(
                f"{place(number)} had {asked.starts[number + 1] - first:,} rows when it was first read and has "
                f"{table.n:,} now; start again"
            )
    accumulators = [task.start() for task in asked.tasks]
    with _kernels(asked.threads):
        for accumulator in accumulators:
            try:
                accumulator.add_chunk(first, table)
            except DataError as error:
                raise DataError(f"{place(number)}: {error}") from None
            accumulator.finish()
    size = sum(accumulator.nbytes for accumulator in accumulators)
    return _Part((table.n,), table.nbytes, size, asked.names, seen, accumulators, is_leaf=True)


def merge_parts(*parts: _Part) -> _Part:
    """What partitions answer together, in their order; runs on a worker."""
    seen = united(parts[0].names, [part.seen for part in parts])
    with _kernels(None):
        accumulators = [
            first.merged(others) for first, *others in zip(*(part.accumulators for part in parts), strict=True)
        ]
    return _Part(
        tuple(rows for part in parts for rows in part.rows),
        sum(part.nbytes for part in parts),
        sum(part.travelled for part in parts) + sum(accumulator.nbytes for accumulator in accumulators),
        parts[0].names,
        seen,
        accumulators,
    )


class DaskRows(Root):
    """Rows of a dask.dataframe, wherever its partitions are.

    Attributes
    ----------
    bytes_travelled : int
        Tables that workers sent to each other and here, at most: those that a worker merges itself stay there.
    """

    brings_rows = False

    def __init__(self, frame: Any, discrete: Iterable[Hashable]) -> None:
        names = list(frame.columns)
        check_names(names)
        self._frame, self._declared = frame, frozenset(declared_names(discrete, names))
        self._rows: tuple[int, ...] = ()
        self._seen: list[Seen] = []
        self.bytes_travelled = 0
        super().__init__(names, [None] * len(names))

    @property
    def most_rows(self) -> int:
        """Rows of the largest partition."""
        return max(self._rows)

    @property
    def firsts(self) -> Sequence[int]:
        """Numbers of the first rows of all partitions."""
        return list(accumulate(self._rows, initial=0))[:-1]

    def first_pass(self, task: PassTask) -> Accumulator:
        """Find levels and the numbers of rows; a task sees continuous columns."""
        part = self._run(range(len(self.names)), [task])
        self._rows, self.n = part.rows, sum(part.rows)
        if part.seen:
            self._seen = part.seen
            self._describe(self.names, [seen.settled for seen in part.seen])
        return part.accumulators[0]

    def reject_identifiers(self) -> None:
        """Raise for a discrete column that is different in each row."""
        for name, seen in zip(self.names, self._seen, strict=True):
            seen.reject_identifier(name, self.n)

    def run_pass(self, tasks: Sequence[PassTask], columns: Iterable[int]) -> list[Accumulator]:
        """Let tasks see some columns of all rows, in one pass."""
        return self._run(sorted(set(columns)) or [0], tasks).accumulators

    def relabel(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        """Keep some columns, in this order, and take more levels than there are in the rows."""
        self._seen = [self._seen[self.index(name)] for name in names]
        super().relabel(names, labels)

    def _run(self, columns: Sequence[int], tasks: Sequence[PassTask]) -> _Part:
        """One pass: a task for each partition, and merges of FAN_IN until one is left."""
        import dask

        self.passes += 1
        parts = self._leaves(self._asked(columns, tasks))
        merge = dask.delayed(merge_parts, pure=False)
        level = parts
        while len(level) > 1:
            level = [merge(*level[at : at + FAN_IN]) for at in range(0, len(level), FAN_IN)]
        whole = self._compute(level[0], parts)
        self.bytes_read += whole.nbytes
        self.bytes_travelled += whole.travelled
        return whole

    def _asked(self, columns: Sequence[int], tasks: Sequence[PassTask]) -> _Pass:
        import numba

        labels = self.labels if self._rows else None
        starts = tuple(accumulate(self._rows, initial=0))
        return _Pass(self.names, self._declared, labels, tuple(columns), starts, tuple(tasks), numba.get_num_threads())

    def _leaves(self, asked: _Pass) -> list[Any]:
        """One task for each partition, which reads some columns of it and sees them."""
        import dask
        import pandas as pd

        # The question is a task of its own: it goes to each worker once, and is there again if a worker is lost.
        question = dask.delayed(asked, pure=False, traverse=False)
        seen = self._frame[[self.names[j] for j in asked.wanted]].map_partitions(
            see_partition, question, meta=pd.Series([], dtype=object), enforce_metadata=False, clear_divisions=True
        )
        # Partitions stay as they are, however few of their columns are read.
        with dask.config.set({"optimization.tune.active": False}):
            leaves: list[Any] = list(seen.to_delayed())
        if self._rows and len(leaves) != len(self._rows):
            raise DataError(f"data had {len(self._rows)} partitions when it was first read and has {len(leaves)} now")
        return leaves

    def _compute(self, whole: Any, parts: list[Any]) -> _Part:
        """Compute on whatever Dask is set to use: a cluster, or threads of this process."""
        from dask.base import get_scheduler
        from dask.callbacks import Callback

        client = getattr(get_scheduler(collections=[whole]), "__self__", None)
        if client is None or not hasattr(client, "submit"):

            def finished(key: Any, result: Any, *_: Any) -> None:
                if isinstance(result, _Part) and result.is_leaf:
                    tell(sum(result.rows))

            tell = self._teller()
            with Callback(posttask=finished):
                return whole.compute()
        if self.watch is None:
            return client.compute(whole).result()
        from distributed import as_completed

        future, *seen = client.compute([whole, *parts])
        rows = {one.key: n for one, n in zip(seen, self._rows or (0,) * len(seen), strict=True)}
        done = as_completed(seen)
        del seen  # tables of a partition are let go of as soon as it is done and they are merged
        tell = self._teller()
        for one in done:
            tell(rows[one.key])
        return future.result()

    def _teller(self) -> Callable[[int], None]:
        """Return what is told of the rows of each partition that is done; in the first pass partitions are counted."""
        done, known = 0, bool(self._rows)

        def tell(rows: int) -> None:
            nonlocal done
            done += rows if known else 1
            if self.watch is not None:
                total = self.n if known else self._frame.npartitions
                self.watch(self.passes, done, total, "rows" if known else "partitions")

        return tell
