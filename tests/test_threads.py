"""Threads: how many kernels use, how work is divided among them, and that they change no digit."""

import threading
import time
from functools import partial

import numba
import numpy as np
import pytest

from bnjit._team import Job, Team
from bnjit._threads import in_ranges, in_threads, thread_count, threads
from tests.comparison import local_scores
from tests.strategies import to_table


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


def test_a_team_does_jobs_again_after_it_slept():
    team = Team(2, lambda: None)
    for pause in (0.0, 0.0, 0.05, 0.0):
        time.sleep(pause)
        done: list[int] = []
        jobs = [Job(partial(done.append, i)) for i in range(5)]
        for job in jobs:
            team.give(job)
        for job in jobs:
            job.wait()
        assert sorted(done) == [0, 1, 2, 3, 4]
        assert not any(team.take_back(job) for job in jobs)


def test_a_job_that_nobody_began_is_taken_back():
    team, busy = Team(1, lambda: None), threading.Event()
    first, second = Job(busy.wait), Job(lambda: pytest.fail("it was taken back"))
    team.give(first)
    while team.take_back(first):  # until it has begun
        team.give(first)
        time.sleep(0.001)
    team.give(second)
    assert team.take_back(second)
    busy.set()
    first.wait()


def test_a_job_keeps_its_error():
    team, job = Team(1, lambda: None), Job(lambda: 1 // 0)
    team.give(job)
    job.wait()
    assert isinstance(job.error, ZeroDivisionError)


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
