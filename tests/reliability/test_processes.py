"""Forks, threads and signals: whoever calls, from wherever, gets the same answer, and no process dies or hangs."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

import bnjit
from bnjit import datasets

LIMIT = 120  # seconds, after which a child counts as hanging


@pytest.fixture(scope="module")
def frame():
    return datasets.random_network("cgaussian", 8, seed=3).sample(20_000, seed=1)


def run(code, **environment):
    """Run a script in a process of its own, with a limit of time."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=LIMIT, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


FORKED = """
    import os, sys, bnjit
    from bnjit import datasets
    frame = datasets.random_network("cgaussian", 8, seed=3).sample(20_000, seed=1)
    whole = bnjit.learn(frame)
    child = os.fork()
    if child == 0:
        again = bnjit.learn(frame)
        os._exit(0 if again.score == whole.score and list(again.dag.edges) == list(whole.dag.edges) else 7)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
class TestFork:
    def test_learning_after_a_fork(self):
        done = run(FORKED)
        assert done.stdout.strip() == "0", done.stderr

    def test_fork_while_another_thread_compiles(self):
        code = """
            import os, threading, time
            os.environ["BNJIT_CACHE"] = "0"
            import bnjit
            from bnjit import datasets
            frame = datasets.random_network("gaussian", 4, seed=3).sample(300, seed=1)
            other = threading.Thread(target=bnjit.learn, args=(frame,))
            other.start()
            time.sleep(2.0)
            child = os.fork()
            if child == 0:
                os._exit(0 if bnjit.learn(frame).score < 0.0 else 7)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            other.join()
        """
        done = run(code)
        assert done.stdout.strip() == "0", done.stderr

    def test_pool_of_forked_processes(self):
        code = """
            import multiprocessing, bnjit
            from bnjit import datasets
            frame = datasets.random_network("cgaussian", 8, seed=3).sample(20_000, seed=1)
            whole = bnjit.learn(frame).score
            with multiprocessing.get_context("fork").Pool(2) as pool:
                scores = [result.score for result in pool.map(bnjit.learn, [frame] * 4)]
            print(scores == [whole] * 4)
        """
        done = run(code)
        assert done.stdout.strip() == "True", done.stderr


@pytest.mark.parametrize("layer", ["default", "workqueue"])
def test_two_python_threads_learn_at_once(layer):
    code = """
        import bnjit
        from bnjit import datasets
        from concurrent.futures import ThreadPoolExecutor
        frames = [datasets.random_network(kind, 8, seed=3).sample(20_000, seed=1)
                  for kind in ("cgaussian", "gaussian", "discrete") * 4]
        alone = [bnjit.learn(frame).score for frame in frames]
        with ThreadPoolExecutor(4) as pool:
            together = [result.score for result in pool.map(bnjit.learn, frames)]
        print(alone == together)
    """
    done = run(code, **({} if layer == "default" else {"NUMBA_THREADING_LAYER": layer}))
    assert done.stdout.strip() == "True", done.stderr


def test_every_public_call_from_threads(frame):
    """Learning, fitting, sampling, scoring and bootstrapping side by side, with threads of their own."""
    dag = bnjit.learn(frame).dag

    def work(i):
        network = bnjit.fit(dag, frame, n_threads=1 + i % 4)
        strength = bnjit.arc_strength(frame.iloc[:2000], 3, seed=1, n_threads=1 + i % 4)
        return (
            bnjit.learn(frame, n_threads=1 + i % 4).score,
            bnjit.score(dag, frame, n_threads=1 + i % 4),
            network.sample(500, seed=2).to_csv(),
            strength.to_csv(),
        )

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(6)))
    assert all(one == found[0] for one in found)


SLOW = """
    import sys, time, bnjit
    import bnjit.search.score_memo as memo
    from bnjit import datasets
    from bnjit.scores.scorer import Scorer
    frame = datasets.random_network("gaussian", 12, seed=3).sample(2_000, seed=1)
    asked = []
    quick = Scorer.local_scores
    def slow(self, batch):
        asked.append(len(batch.nodes))
        if sys.argv[2] == "slow":
            print("asked", flush=True)
            time.sleep(0.3)
        return quick(self, batch)
    Scorer.local_scores = slow
    found = bnjit.learn(frame, checkpoint=sys.argv[1], algorithm=bnjit.Tabu(restarts=3), seed=1)
    print(sum(asked), found.score)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_sigterm_saves_the_checkpoint(tmp_path):
    code = [sys.executable, "-c", textwrap.dedent(SLOW)]
    process = subprocess.Popen([*code, str(tmp_path / "a"), "slow"], stdout=subprocess.PIPE, text=True)
    for _ in range(6):
        process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(LIMIT) == 128 + signal.SIGTERM
    process.stdout.close()
    assert (tmp_path / "a").exists()
    runs = [subprocess.run([*code, str(tmp_path / name), "quick"], capture_output=True, text=True, check=True).stdout
            for name in ("a", "b")]  # fmt: skip
    (again, score), (anew, expected) = (run.split() for run in runs)
    assert score == expected
    assert int(again) < int(anew)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_handlers_of_others_stay(frame, tmp_path):
    calls = []
    before = signal.signal(signal.SIGTERM, lambda *_: calls.append("own"))
    try:
        bnjit.learn(frame, checkpoint=tmp_path / "scores")
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert calls == ["own"]
    bnjit.learn(frame, checkpoint=tmp_path / "scores")
    assert signal.getsignal(signal.SIGTERM) == before
