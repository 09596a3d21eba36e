"""Two checkouts of bnjit side by side: is one slower, or does it take more memory, on what speed.py measures?

python benchmarks/compare_versions.py OLD NEW [--only small,gaussian,alarm,...] [--rounds 5] [--out FILE]

OLD and NEW are folders of checkouts. Each has a process of its own, with kernels compiled; the two take turns on the
same rows, and the best time of each counts. MEHRA is the real network if BNJIT_DATA has it, else mehra_like; AIRLINE is
left out without it. Prints a table, and the ratio new / old of each row last.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from peers import true_network

from bnjit import DataError, datasets

MILLION = 1_000_000


class Case(NamedTuple):
    """Rows, and what is asked of `learn` beside them; so many runs at a turn, and how many turns."""

    name: str
    frame: pd.DataFrame
    arguments: dict[str, Any]
    runs: int = 1
    rounds: int | None = None


def small() -> Iterator[Case]:
    for kind in ("gaussian", "discrete", "cgaussian"):
        frame = datasets.random_network(kind, 7, parents=1.5, seed=7).sample(5_000, seed=1)
        yield Case(f"5,000 x 7, {kind}", frame, {}, runs=60)


def gaussian() -> Iterator[Case]:
    network = true_network("gaussian")
    for n in (100_000, MILLION):
        yield Case(f"Gaussian 37 x {n:,}", network.sample(n, seed=1), {}, runs=5 if n < MILLION else 2)
    yield Case("Gaussian 37 x 100,000, boss", network.sample(100_000, seed=1), {"algorithm": "boss"})
    yield Case("Gaussian 37 x 100,000, ges", network.sample(100_000, seed=1), {"algorithm": "ges"})


def alarm() -> Iterator[Case]:
    network = true_network("alarm")
    yield Case(f"ALARM {MILLION:,}", network.sample(MILLION, seed=1), {})
    frame = network.sample(100_000, seed=1)
    for algorithm in ("hc", "tabu", "boss", "ges"):
        yield Case(f"ALARM 100,000, {algorithm}", frame, {"algorithm": algorithm})


def mehra() -> Iterator[Case]:
    network = true_network("mehra")
    for n in (100_000, MILLION):
        frame = network.sample(n, seed=1)
        for score in ("bic", "pred"):
            runs, rounds = (5, None) if n < MILLION else (1, 4)
            yield Case(f"MEHRA {n:,}, {score}", frame, {"score": score}, runs, rounds)
    yield Case("MEHRA 100,000, cv", network.sample(100_000, seed=1), {"score": "cv"}, rounds=3)


def airline() -> Iterator[Case]:
    try:
        frame = datasets.airline(download=False)
    except DataError:
        return
    yield Case(f"AIRLINE {len(frame):,}, 5 parents", frame, {"max_parents": 5})


def nodes() -> Iterator[Case]:
    for N in (50, 100, 200):
        frame = datasets.random_network("gaussian", N, parents=2.0, rows=1e4, seed=1).sample(20_000, seed=1)
        yield Case(f"Gaussian {N} x 20,000", frame, {}, runs=2)


PARTS = {part.__name__: part for part in (small, gaussian, alarm, mehra, airline, nodes)}

WORKER = """
import gc, json, sys, time
from pathlib import Path
import pandas as pd
import bnjit

def held(what):
    return float(Path("/proc/self/status").read_text().split(what + ":")[1].split()[0]) / 1024

frames = {}
for line in sys.stdin:
    asked = json.loads(line)
    if asked["path"] not in frames:
        frames.clear()
        frames[asked["path"]] = pd.read_parquet(asked["path"])
        bnjit.learn(frames[asked["path"]].iloc[:3000], progress=False, **asked["arguments"])
    frame = frames[asked["path"]]
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before, times = held("VmRSS"), []
    for _ in range(asked["runs"]):
        began = time.perf_counter()
        result = bnjit.learn(frame, progress=False, **asked["arguments"])
        times.append(time.perf_counter() - began)
    peak = 1.0 + (held("VmHWM") - before) / (frame.memory_usage(index=False).sum() / 2**20)
    arcs = sorted(map(list, result.dag.edges))
    print(json.dumps({"seconds": min(times), "peak": peak, "score": result.score, "arcs": arcs}), flush=True)
"""


class Worker:
    """A process that learns with one checkout."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment, cwd=folder,
        )  # fmt: skip

    def ask(self, path: Path, case: Case) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(
            json.dumps({"path": str(path), "arguments": case.arguments, "runs": case.runs}) + "\n"
        )
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def compare(case: Case, workers: list[Worker], rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{time.time_ns()}.parquet"
        case.frame.to_parquet(path)
        found = [[worker.ask(path, case) for worker in workers] for _ in range(case.rounds or rounds)]
    old, new = ([turn[side] for turn in found] for side in (0, 1))
    seconds = [min(one["seconds"] for one in side) for side in (old, new)]
    return {
        "what": case.name, "old seconds": seconds[0], "new seconds": seconds[1], "new / old": seconds[1] / seconds[0],
        "old peak": max(one["peak"] for one in old), "new peak": max(one["peak"] for one in new),
        "same arcs": old[0]["arcs"] == new[0]["arcs"],
        "score difference": (new[0]["score"] - old[0]["score"]) / abs(old[0]["score"]),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)} (default all)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (default 5)")
    parser.add_argument("--out", type=Path, help="a CSV file to keep the table in")
    arguments = parser.parse_args()
    workers = [Worker(folder.resolve()) for folder in (arguments.old, arguments.new)]
    rows = []
    for part in arguments.only.split(","):
        for case in PARTS[part]():
            rows.append(compare(case, workers, arguments.rounds))
            print(f"{case.name}: {rows[-1]['new / old']:.3f}", flush=True)
    for worker in workers:
        worker.close()
    table = pd.DataFrame(rows)
    if arguments.out:
        table.to_csv(arguments.out, index=False)
    print(table.to_string(index=False, float_format=lambda x: f"{x:.4g}"))


if __name__ == "__main__":
    main()
