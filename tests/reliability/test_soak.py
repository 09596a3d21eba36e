"""Long use: memory, handles and threads do not grow with the number of calls."""

import subprocess
import sys
import textwrap

import pytest

CODE = """
    import gc, os, sys, threading, warnings
    from pathlib import Path
    import bnjit
    from bnjit import datasets
    warnings.simplefilter("ignore")
    calls = int(sys.argv[1])
    kinds = ("gaussian", "discrete", "cgaussian")
    networks = {kind: datasets.random_network(kind, 9, seed=1) for kind in kinds}
    frames = [networks[kind].sample(n, seed=n) for n in (50, 400, 3000) for kind in kinds]
    folder = Path(sys.argv[2])
    frames[2].to_parquet(folder / "rows.parquet")

    def use(i):
        frame = frames[i % len(frames)]
        score = ("bic", "pred", bnjit.BIC(sparse="pool"), bnjit.BIC(penalty="local"))[i // 9 % 4]
        algorithm = ("hc", "tabu", bnjit.HillClimbing(restarts=1))[i // 5 % 3]
        bnjit.learn(frame, score, algorithm, seed=i, n_threads=1 + i % 3).fit().sample(20, seed=1)
        if i % 10 == 0:
            bnjit.learn(folder / "rows.parquet", out_of_core=True, checkpoint=folder / "scores", max_iter=3)
            (folder / "scores").unlink()
        if i % 25 == 0:
            bnjit.arc_strength(frame, 2, seed=i)

    def held():
        gc.collect()
        status = Path("/proc/self/status").read_text()
        memory = int(status.split("VmRSS:")[1].split()[0]) / 1024
        return memory, len(os.listdir("/proc/self/fd")), threading.active_count()

    for i in range(180):  # every combination: kernels are loaded
        use(i)
    before = held()
    for i in range(calls):
        use(i)
    after = held()
    print(*before, *after)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory and handles are read as Linux shows them")
@pytest.mark.parametrize("calls", [pytest.param(100), pytest.param(1000, marks=pytest.mark.slow)])
def test_many_calls(tmp_path, calls):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE), str(calls), str(tmp_path)], capture_output=True, text=True,
        check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    memory, handles, threads, more_memory, more_handles, more_threads = map(float, done.stdout.split())
    assert more_memory < memory + 20.0  # megabytes
    assert more_handles <= handles
    assert more_threads <= threads
