"""Rows of a dask.dataframe: computation is sent to the partitions, and only accumulators are sent back.

A pass is one Dask task for each partition, which also reads it, and a tree of merges. The tree depends on the number of
partitions alone, so that neither the scheduler, nor the number of workers, nor one that dies changes a digit: Dask runs
again what was lost with it.
"""

import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import Any, NamedTuple

from bnjit._threads import thread_count, threads
from bnjit.data.check import check_names, declared_names
from bnjit.data.complete import tell_of_rows
from bnjit.data.dask.partitions import (
    ColumnFindings,
    find_levels,
    merge_findings,
    partition_name,
    type_partition,
    without_gaps,
)
from bnjit.data.levels import identifier_message
from bnjit.data.passes import Accumulator, PassTask
from bnjit.data.schema import Labels
from bnjit.data.source import Root
from bnjit.data.tuning import MERGED_AT_ONCE
from bnjit.errors import ColumnError, DataError

_KERNELS = threading.Lock()  # kernels have threads of their own; tasks of one worker take turns


class _Pass(NamedTuple):
    """What workers need to know of a pass.

    Attributes
    ----------
    names : tuple
        All columns.
    declared : frozenset
        Columns that are discrete though they are numbers, for as long as levels are not known.
    labels : tuple, optional
        Levels of all columns; None in the first pass, which finds them.
    wanted : tuple of int
        Columns to read.
    starts : tuple of int
        The number of rows before each partition, and of all rows.
    tasks : tuple of PassTask
        What to compute.
    threads : int
        Threads of a kernel where the worker does not say.
    keeps_gaps : bool
        Whether missing values are kept: NaN, and the code after the last level.
    leaves_out : bool
        Whether rows with a gap are still there, to be counted and left out.
    """

    names: tuple[Hashable, ...]
    declared: frozenset[Hashable]
    labels: tuple[Labels, ...] | None
    wanted: tuple[int, ...]
    starts: tuple[int, ...]
    tasks: tuple[PassTask, ...]
    threads: int | None
    keeps_gaps: bool = False
    leaves_out: bool = False


class _Outcome(NamedTuple):
    """What a pass found in some partitions.

    Attributes
    ----------
    rows : tuple of int
        Rows of each partition.
    nbytes : int
        Bytes that were read.
    travelled : int
        Bytes that were sent so far, at most.
    names : tuple
        All columns.
    findings : list of ColumnFindings
        Of the first pass; empty later, and for partitions without rows.
    accumulators : list of Accumulator
        One for each task.
    gaps : tuple of int
        Of the first pass: rows that were left out since they have a gap, and missing values of each column.
    is_leaf : bool
        Whether this is one partition, before any merge.
    """

    rows: tuple[int, ...]
    nbytes: int
    travelled: int
    names: tuple[Hashable, ...]
    findings: list[ColumnFindings]
    accumulators: list[Accumulator]
    gaps: tuple[int, ...] = ()
    is_leaf: bool = False


@contextmanager
def _running_kernels(n_threads: int | None) -> Iterator[None]:
    """Run kernels of one task at a time, with the threads that a worker has."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        with suppress(ValueError):  # not on a worker
            n_threads = distributed.get_worker().state.nthreads
    with _KERNELS, threads(n_threads):
        yield


def run_on_partition(frame: Any, current: _Pass, partition_info: Any = None) -> _Outcome:
    """Type the columns of a partition and add it to an accumulator of each task; runs on a worker."""
    number = partition_info["number"]
    findings: list[ColumnFindings] = []
    gaps: tuple[int, ...] = ()
    if current.leaves_out:
        frame, gaps = without_gaps(frame, current.names, number)
    if current.labels is None:
        table, findings = find_levels(frame, current.names, current.declared, number, current.keeps_gaps)
        first = 0
    else:
        table = type_partition(frame, current.names, current.labels, current.wanted, number, current.keeps_gaps)
        first = current.starts[number]
        before = current.starts[number + 1] - first
        if table.n != before:
            raise DataError(
                f"{partition_name(number)} had {before:,} rows when it was first read and has {table.n:,} now; "
                "start again"
            )
    accumulators = [task.start() for task in current.tasks]
    with _running_kernels(current.threads):
        for accumulator in accumulators:
            try:
                accumulator.add_chunk(first, table)
            except DataError as error:
                raise type(error)(f"{partition_name(number)}: {error}") from None
            accumulator.finish()
    size = sum(accumulator.nbytes for accumulator in accumulators)
    return _Outcome((table.n,), table.nbytes, size, current.names, findings, accumulators, gaps, is_leaf=True)


def merge_parts(*parts: _Outcome) -> _Outcome:
    """What was found in partitions together, in their order; runs on a worker."""
    findings = merge_findings(parts[0].names, [part.findings for part in parts])
    with _running_kernels(None):
        accumulators = [
            first.merged(others) for first, *others in zip(*(part.accumulators for part in parts), strict=True)
        ]
    return _Outcome(
        tuple(rows for part in parts for rows in part.rows),
        sum(part.nbytes for part in parts),
        sum(part.travelled for part in parts) + sum(accumulator.nbytes for accumulator in accumulators),
        parts[0].names,
        findings,
        accumulators,
        tuple(map(sum, zip(*(part.gaps for part in parts), strict=True))),
    )


class DaskRows(Root):
    """Rows of a dask.dataframe, wherever its partitions are.

    Attributes
    ----------
    bytes_travelled : int
        Bytes that workers sent to each other and here, at most: what a worker merges itself stays there.
    """

    brings_rows = False

    def __init__(
        self, frame: Any, discrete: Iterable[Hashable], complete: bool = False, keeps_gaps: bool = False
    ) -> None:
        names = list(frame.columns)
        check_names(names)
        self._incomplete: Any = frame if complete else None  # rows with a gap are counted in the first pass
        frame = frame.dropna() if complete else frame
        self._frame, self._declared = frame, frozenset(declared_names(discrete, names))
        self._rows: tuple[int, ...] = ()
        self._keeps_gaps = keeps_gaps
        self._findings: list[ColumnFindings] = []
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
        """Find levels and the number of rows of each partition, and run a task on continuous columns."""
        whole = self._run(range(len(self.names)), [task])
        self._rows, self.n = whole.rows, sum(whole.rows)
        if self._incomplete is not None:
            left_out, *counts = whole.gaps
            tell_of_rows(self.n + left_out, left_out, dict(zip(self.names, counts, strict=True)))
        if whole.findings:
            self._findings = whole.findings
            self._describe(self.names, [column.labels for column in whole.findings])
        return whole.accumulators[0]

    def reject_identifiers(self) -> None:
        """Raise for a discrete column that is different in each row."""
        for name, column in zip(self.names, self._findings, strict=True):
            if column.levels is not None and column.levels.is_identifier:
                raise ColumnError(identifier_message(name, self.n))

    def numbering(self) -> list[Hashable]:
        """Columns that number the rows or identify them."""
        found = ((name, column.row_numbers) for name, column in zip(self.names, self._findings, strict=True))
        return [name for name, numbers in found if numbers is not None and numbers.number_rows]

    def run_pass(self, tasks: Sequence[PassTask], columns: Iterable[int]) -> list[Accumulator]:
        """Run tasks on some columns of all rows, in one pass; return the accumulator of each."""
        return self._run(sorted(set(columns)) or [0], tasks).accumulators

    def relabel(self, names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
        """Keep some columns, in this order, and take more levels than there are in the rows."""
        self._findings = [self._findings[self.index(name)] for name in names]
        super().relabel(names, labels)

    def _run(self, columns: Sequence[int], tasks: Sequence[PassTask]) -> _Outcome:
        """One pass: a task for each partition, and merges of MERGED_AT_ONCE until one is left."""
        import dask

        self.passes += 1
        parts = self._leaves(self._describe_pass(columns, tasks))
        merge = dask.delayed(merge_parts, pure=False)
        level = parts
        while len(level) > 1:
            level = [merge(*level[at : at + MERGED_AT_ONCE]) for at in range(0, len(level), MERGED_AT_ONCE)]
        whole = self._compute(level[0], parts)
        self.bytes_read += whole.nbytes
        self.bytes_travelled += whole.travelled
        return whole

    def _describe_pass(self, columns: Sequence[int], tasks: Sequence[PassTask]) -> _Pass:

        labels = self.labels if self._rows else None
        leaves_out = self._incomplete is not None and not self._rows
        starts = tuple(accumulate(self._rows, initial=0))
        return _Pass(
            self.names,
            self._declared,
            labels,
            tuple(columns),
            starts,
            tuple(tasks),
            thread_count(),
            self._keeps_gaps,
            leaves_out,
        )

    def _leaves(self, current: _Pass) -> list[Any]:
        """One Dask task for each partition, which reads some columns of it and computes from them."""
        import dask
        import pandas as pd

        # The pass is a Dask task of its own: it is sent to each worker once, and again if a worker is lost.
        described = dask.delayed(current, pure=False, traverse=False)
        frame: Any = self._incomplete if current.leaves_out else self._frame
        outcomes = frame[[self.names[j] for j in current.wanted]].map_partitions(
            run_on_partition, described, meta=pd.Series([], dtype=object), enforce_metadata=False, clear_divisions=True
        )
        # Partitions stay as they are, however few of their columns are read.
        with dask.config.set({"optimization.tune.active": False}):
            leaves: list[Any] = list(outcomes.to_delayed())
        if self._rows and len(leaves) != len(self._rows):
            raise DataError(f"data had {len(self._rows)} partitions when it was first read and has {len(leaves)} now")
        return leaves

    def _compute(self, whole: Any, parts: list[Any]) -> _Outcome:
        """Compute on whatever Dask is set to use: a cluster, or threads of this process."""
        from dask.base import get_scheduler
        from dask.callbacks import Callback

        client = getattr(get_scheduler(collections=[whole]), "__self__", None)
        if client is None or not hasattr(client, "submit"):

            def finished(key: Any, result: Any, *_: Any) -> None:
                if isinstance(result, _Outcome) and result.is_leaf:
                    report(sum(result.rows))

            report = self._progress_report()
            with Callback(posttask=finished):
                return whole.compute()
        if self.watch is None:
            return client.compute(whole).result()
        from distributed import as_completed

        future, *leaves = client.compute([whole, *parts])
        rows = {leaf.key: n for leaf, n in zip(leaves, self._rows or (0,) * len(leaves), strict=True)}
        done = as_completed(leaves)
        del leaves  # so that the outcome of a partition is released as soon as it is merged
        report = self._progress_report()
        for leaf in done:
            report(rows[leaf.key])
        return future.result()

    def _progress_report(self) -> Callable[[int], None]:
        """Return what to call with the rows of each partition that is done; the first pass counts partitions."""
        done, known = 0, bool(self._rows)

        def report(rows: int) -> None:
            nonlocal done
            done += rows if known else 1
            if self.watch is not None:
                total = self.n if known else self._frame.npartitions
                self.watch(self.passes, done, total, "rows" if known else "partitions")

        return report
