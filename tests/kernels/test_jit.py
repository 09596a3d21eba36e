"""The compilation policy: where kernels live, how many threads they use, and that threads change no digit."""

import importlib
import pkgutil
import threading
import time

import numba
import numpy as np
import pytest

import bnjit.kernels
from bnjit._jit import in_ranges, in_threads, thread_count, threads
from tests.comparison import local_scores
from tests.strategies import to_table


def test_every_jitted_function_is_in_the_kernels():
    """Each module of the package but kernels is free of dispatchers of its own; each kernel has a summary."""
    count = 0
    for info in pkgutil.walk_packages(bnjit.__path__, "bnjit."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if hasattr(value, "py_func") and value.py_func.__module__ == info.name:
                count += 1
                assert info.name.startswith("bnjit.kernels.")
                assert value.py_func.__doc__
    assert count > 25


def test_thread_numbers():
    before = thread_count()
    assert before == numba.config.NUMBA_NUM_THREADS
    with threads(2):
        assert thread_count() == 2
        with threads(None):
            assert thread_count() == 2
    with threads(10_000):
        assert thread_count() == before
    assert thread_count() == before


@pytest.mark.parametrize("number", [0, 1, 2, 17, 1000])
@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_ranges_make_up_all_numbers(number, n_threads):
    done = np.zeros(number, int)

    def kernel(first, last, out):
        out[first:last] += 1

    with threads(n_threads):
        in_ranges(kernel, number, done)
    assert (done == 1).all()


def test_a_task_that_is_divided_again_does_not_wait_for_itself():
    def outer():
        return sum(in_threads([lambda i=i: i for i in range(10)]))

    with threads(4):
        assert in_threads([outer] * 40) == [45] * 40


def test_an_error_in_a_thread_is_raised_and_ends_the_others():
    begun = []

    def task(i):
        begun.append(i)
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("not the main thread")
        time.sleep(0.002)

    with threads(4), pytest.raises(ValueError, match="not the main thread"):
        in_threads([lambda i=i: task(i) for i in range(1000)])
    assert len(begun) < 1000


@pytest.mark.parametrize("kernel_score", ["loglik", "pred"])
@pytest.mark.parametrize("estimator", ["stats", "qr", "2p"])
def test_threads_change_no_digit(kernel_score, estimator):
    from bnjit.scores import make_scorer

    rng = np.random.default_rng(3)
    n = 100_000
    z, w = rng.integers(0, 3, n), rng.integers(0, 40, n)
    a, b = rng.normal(size=(2, n)) + z
    data = {"Z": (z.tolist(), 3), "W": (w.tolist(), 40), "A": a.tolist(), "B": b.tolist(), "Y": (a * b + z).tolist()}
    table = to_table(data)
    half = np.arange(n) % 2 == 0
    sets = [(), (0,), (1,), (0, 1), (2,), (2, 3), (0, 2), (0, 1, 2, 3)]
    results = []
    for n_threads in (1, 2, 4):
        with threads(n_threads):
            if kernel_score == "pred":
                scorer = make_scorer(table.take(half), "pred", estimator, table.take(~half))
            else:
                scorer = make_scorer(table, "loglik", estimator)
            results.append([local_scores(scorer, 4, sets), local_scores(scorer, 0, [(), (1,)])])
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)
