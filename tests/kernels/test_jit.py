"""The compilation policy: where kernels live, how many threads they use, and that threads change no digit."""

import importlib
import pkgutil

import numpy as np
import pytest

import bnjit.kernels
from bnjit._jit import threads
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
    import numba

    before = numba.get_num_threads()
    with threads(2):
        assert numba.get_num_threads() == 2
    with threads(10_000):
        assert numba.get_num_threads() == numba.config.NUMBA_NUM_THREADS
    with threads(None):
        assert numba.get_num_threads() == before
    assert numba.get_num_threads() == before


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
