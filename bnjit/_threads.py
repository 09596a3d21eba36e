"""Threads: how many kernels may use, and how work is divided among them.

Numba's own threads are not used: after a fork they are gone, or end the process, and some kinds of them do not take two
callers at a time.
"""

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeVar

import numba
from numba.core.compiler_lock import global_compiler_lock

from bnjit._team import Job, Team

T = TypeVar("T")

# Values to read for each further thread of in_threads: with fewer, waking it takes longer than it saves.
VALUES_PER_THREAD = 1 << 18
RANGES_PER_THREAD = 2  # of in_ranges: more would even out better, and take longer to begin


class _Threads(threading.local):
    """How many threads the calls of a Python thread may use; None for all that there are."""

    number: int | None = None


_threads = _Threads()


def thread_count() -> int:
    """Threads that kernels may use now."""
    return _threads.number or numba.config.NUMBA_NUM_THREADS


@contextmanager
def threads(n_threads: int | None) -> Iterator[None]:
    """Run the kernels inside with `n_threads` threads, at most as many as the machine has; None for all."""
    before = _threads.number
    if n_threads is not None:
        _threads.number = max(1, min(n_threads, numba.config.NUMBA_NUM_THREADS))
    try:
        yield
    finally:
        _threads.number = before


@cache
def _team() -> Team:
    """Threads beside the one that calls; a forked process has its own. What they divide again they do alone."""
    return Team(max(1, numba.config.NUMBA_NUM_THREADS - 1), _use_one_thread)


def _use_one_thread() -> None:
    _threads.number = 1


def _begin_anew() -> None:
    _team.cache_clear()
    global_compiler_lock.release()


if hasattr(os, "register_at_fork"):
    # A process that is forked while another thread compiles would wait for that thread, which it does not have.
    os.register_at_fork(
        before=global_compiler_lock.acquire, after_in_parent=global_compiler_lock.release,
        after_in_child=_begin_anew,
    )  # fmt: skip


def in_ranges(kernel: Callable[..., None], number: int, *arguments: Any, threaded: bool = True) -> None:
    """Call kernel(first, last, *arguments) for ranges that make up 0 ... number - 1, side by side if `threaded`.

    Each number writes its own part of the result, so that threads cannot change it.
    """
    count = thread_count() if threaded else 1
    if count == 1 or number <= 1:
        kernel(0, number, *arguments)
        return
    ranges = min(number, RANGES_PER_THREAD * count)
    bounds = [number * i // ranges for i in range(ranges + 1)]
    in_threads([partial(kernel, first, last, *arguments) for first, last in pairwise(bounds)])


def in_threads(tasks: Sequence[Callable[[], T]], values: int | None = None) -> list[T]:
    """Results of tasks that call kernels, which release the GIL.

    `values` is how many values they read in all, if that is known: a thread is used only for enough of them.
    """
    workers = min(len(tasks), thread_count())
    if values is not None:
        workers = min(workers, 1 + values // VALUES_PER_THREAD)
    if workers <= 1:
        return [task() for task in tasks]
    left = iter(enumerate(tasks))
    results: dict[int, T] = {}

    def work() -> None:
        try:
            for i, task in left:
                results[i] = task()
        finally:
            for _ in left:  # after an error or Ctrl-C, no other task is begun
                pass

    jobs: list[Job] = []
    try:
        for _ in range(workers - 1):
            jobs.append(Job(work))
            _team().give(jobs[-1])
        work()
    finally:
        begun = [job for job in jobs if not _team().take_back(job)]  # not those that wait for busy threads
        _wait(begun)
    for error in [job.error for job in begun if job.error is not None]:
        raise error
    return [results[i] for i in range(len(tasks))]


def _wait(begun: Sequence[Job]) -> None:
    """Wait until all have ended, even if Ctrl-C comes meanwhile: they write to memory that is then given up."""
    try:
        for job in begun:
            job.wait()
    except KeyboardInterrupt:
        for job in begun:
            job.wait()
        raise


def side_by_side(task: Callable[[int], T], number: int, most: int) -> Generator[T, None, None]:
    """Results of task(0), task(1), ..., in this order, from as many Python threads as kernels use and at most `most`.

    For long tasks that are Python in part: kernels release the GIL, so that other tasks go on. The threads of kernels
    are divided among the tasks. After an error, Ctrl-C or `close` no further task is begun, and those that run are
    waited for.
    """
    kernels = thread_count()
    workers = max(1, min(number, kernels, most))
    if workers == 1:
        yield from map(task, range(number))
        return

    def work(i: int) -> T:
        with threads(max(1, kernels // workers)):
            return task(i)

    pool = ThreadPoolExecutor(workers, "bnjit-task")
    try:
        for future in [pool.submit(work, i) for i in range(number)]:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
