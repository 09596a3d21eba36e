"""One place for the compilation policy: how every kernel is compiled, cached and threaded."""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import numba
import numpy as np
from numba import carray, prange
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

__all__ = [
    "Floats",
    "Ints32",
    "Ints64",
    "carray",
    "in_threads",
    "jit",
    "jit_parallel",
    "jit_reordering",
    "pointer",
    "prange",
    "side_by_side",
    "threads",
]

# The canonical types of arrays at the border of the kernels, of any number of axes.
Floats = NDArray[np.float64]
Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]

F = TypeVar("F", bound=Callable[..., object])
T = TypeVar("T")

# Values to read for each further thread of in_threads: with fewer, waking it takes longer than it saves.
VALUES_PER_THREAD = 1 << 18

# BNJIT_CACHE=0 compiles anew in every process; anything else keeps machine code on disk.
_OPTIONS = {"nogil": True, "error_model": "numpy", "cache": os.environ.get("BNJIT_CACHE", "1") != "0"}


@cache
def _start_threads() -> None:
    """Start the threads of `prange` so that they sleep while there is nothing to do.

    OpenMP reads its settings when it starts; by default its threads then spin, on processors that others could use.
    """
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ["OMP_WAIT_POLICY"] = before or "passive"
    try:
        numba.get_num_threads()
    finally:
        if before is None:
            del os.environ["OMP_WAIT_POLICY"]


def jit(function: F) -> F:
    """Compile a sequential kernel."""
    return numba.njit(**_OPTIONS)(function)


def jit_reordering(function: F) -> F:
    """Compile a kernel whose sums the compiler may reorder and contract, to use vector registers.

    Safe where a sum's order carries no meaning and no NaN or infinity is expected: the machine code,
    and so the result, is the same on every thread.
    """
    return numba.njit(fastmath={"reassoc", "contract"}, **_OPTIONS)(function)


def jit_parallel(function: F) -> F:
    """Compile a kernel with `prange` loops.

    Each turn of such a loop writes its own part of the result, so that the number of threads cannot change it. Its
    body is one call of a sequential kernel: that compiles faster, and Numba has been seen to miscompile longer bodies.
    """
    return numba.njit(parallel=True, **_OPTIONS)(function)


@intrinsic  # type: ignore[untyped-decorator]
def pointer(typing_context: Any, address: Any) -> Any:
    """Turn the address of an array's first value into a pointer for `carray`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@contextmanager
def threads(n_threads: int | None) -> Iterator[None]:
    """Run the kernels inside with `n_threads` threads, at most as many as the machine has; None for all."""
    _start_threads()
    if n_threads is None:
        yield
        return
    before = numba.get_num_threads()
    numba.set_num_threads(max(1, min(n_threads, numba.config.NUMBA_NUM_THREADS)))
    try:
        yield
    finally:
        numba.set_num_threads(before)


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """Threads that are kept: starting them takes as long as counting ten thousand rows. A fork has its own."""
    return ThreadPoolExecutor(max(1, numba.config.NUMBA_NUM_THREADS - 1), "bnjit")


def in_threads(tasks: Sequence[Callable[[], T]], values: int) -> list[T]:
    """Results of tasks that call sequential kernels, which release the GIL; as many threads as kernels use.

    For few and large tasks of different size; `prange` is for many equal ones. `values` is how many values they read
    in all: a thread is used only for enough of them.
    """
    workers = min(len(tasks), numba.get_num_threads(), 1 + values // VALUES_PER_THREAD)
    if workers <= 1:
        return [task() for task in tasks]
    left = iter(enumerate(tasks))
    results: dict[int, T] = {}

    def work() -> None:
        for i, task in left:
            results[i] = task()

    others = [_pool(os.getpid()).submit(work) for _ in range(workers - 1)]
    try:
        work()
    finally:
        for _ in left:  # after an error or Ctrl-C, no other task is begun
            pass
        wait(others)
    for other in others:
        other.result()
    return [results[i] for i in range(len(tasks))]


def side_by_side(task: Callable[[int], T], number: int, most: int) -> Generator[T, None, None]:
    """Results of task(0), task(1), ..., in this order, from as many Python threads as kernels use and at most `most`.

    For long tasks that are Python in part: kernels release the GIL, so that other tasks go on. The threads of kernels
    are divided among the tasks. After an error, Ctrl-C or `close` no further task is begun, and those that run are
    waited for.
    """
    _start_threads()
    kernels = numba.get_num_threads()
    # Where neither OpenMP nor TBB is installed, Numba has threads of its own, which two tasks cannot use at a time.
    workers = 1 if numba.threading_layer() == "workqueue" else max(1, min(number, kernels, most))
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
