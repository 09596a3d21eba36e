"""Where the time of a search on MEHRA goes: milliseconds of its parts, and how well threads share them.

python benchmarks/time_of_mehra.py [--rows 100000,1000000] [--scores bic,pred,cv] [--runs 3] [--out figures]

Every call that divides work among threads is timed, and named after the module that makes it. "busy" is the time of all
threads in it, so that with two threads it is twice the other at the best. What is left is Python, NumPy, and kernels
that run alone. With BNJIT_DATA=folder MEHRA is the real network. Writes time_of_mehra.csv.
"""

import argparse
import importlib
import pkgutil
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from peers import true_network

import bnjit
from bnjit import _threads

PARTS = {
    "collect.py": "tables of moments",
    "cells.py": "joining cells",
    "counting.py": "counting",
    "bitmaps.py": "counting",
    "collapse.py": "counting",
    "memory.py": "counting",
    "folds.py": "counting",
    "table.py": "copying rows",
    "discrete.py": "scoring discrete nodes",
    "cell_scores.py": "regressions in cells",
    "cgaussian.py": "regressions in cells",
    "folds_at_once.py": "regressions in cells",
    "sorting.py": "rows of doubtful cells",
    "triangles.py": "rows of doubtful cells",
    "residuals.py": "rows of doubtful cells",
}
divide = _threads.in_threads  # as it is


class Clock:
    """Takes the place of `in_threads`, and adds up what it takes by who calls it."""

    def __init__(self) -> None:
        self.wall: dict[str, float] = defaultdict(float)
        self.busy: dict[str, float] = defaultdict(float)
        self._inside = False

    def __call__(self, tasks: Sequence[Callable[[], Any]], values: int | None = None) -> list[Any]:
        if self._inside or threading.current_thread() is not threading.main_thread():
            return divide(tasks, values)
        caller = sys._getframe(1)
        while caller.f_back is not None and caller.f_code.co_name == "in_ranges":
            caller = caller.f_back
        part = PARTS.get(Path(caller.f_code.co_filename).name, "other kernels")
        times: list[float] = []
        self._inside, began = True, time.perf_counter()
        try:
            return divide([self._timed(task, times) for task in tasks], values)
        finally:
            self._inside = False
            self.wall[part] += time.perf_counter() - began
            self.busy[part] += sum(times)

    @staticmethod
    def _timed(task: Callable[[], Any], times: list[float]) -> Callable[[], Any]:
        def work() -> Any:
            began = time.perf_counter()
            try:
                return task()
            finally:
                times.append(time.perf_counter() - began)

        return work


def measure(frame: pd.DataFrame, score: str, runs: int) -> list[dict[str, Any]]:
    """Parts of the fastest of some searches."""
    bnjit.learn(frame, score, progress=False)
    best: tuple[float, Clock] | None = None
    for _ in range(runs):
        clock = Clock()
        for module in [module for name, module in sys.modules.items() if name.startswith("bnjit")]:
            if hasattr(module, "in_threads"):
                module.in_threads = clock  # type: ignore[attr-defined]
        began = time.perf_counter()
        bnjit.learn(frame, score, progress=False)
        seconds = time.perf_counter() - began
        if best is None or seconds < best[0]:
            best = seconds, clock
    assert best is not None
    seconds, clock = best
    parts = sorted(clock.wall, key=lambda part: -clock.wall[part])
    lines = [{"part": part, "ms": 1000 * clock.wall[part], "busy": 1000 * clock.busy[part]} for part in parts]
    rest = 1000 * (seconds - sum(clock.wall.values()))
    return [
        {"part": "all", "ms": 1000 * seconds},
        *lines,
        {"part": "Python, NumPy, kernels that run alone", "ms": rest},
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="100000,1000000")
    parser.add_argument("--scores", default="bic,pred,cv")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("figures"))
    given = parser.parse_args()
    for found in pkgutil.walk_packages(bnjit.__path__, "bnjit."):
        if found.name.startswith(("bnjit.kernels", "bnjit.scores", "bnjit.stats", "bnjit.search")):
            importlib.import_module(found.name)
    network, lines = true_network("mehra"), []
    for n in map(int, given.rows.split(",")):
        frame = network.sample(n, seed=1)
        for score in given.scores.split(","):
            lines += [{"rows": n, "score": score, **line} for line in measure(frame, score, given.runs)]
    table = pd.DataFrame(lines)
    given.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(given.out / "time_of_mehra.csv", index=False, float_format="%.3g")
    print(table.to_string(index=False, float_format="%.0f"))


if __name__ == "__main__":
    main()
