"""Every target of speed and memory in one run: a row each, with the ratio that counts and what was asked.

python benchmarks/speed.py [--only gaussian,alarm,mehra,wide,airline,growth,nodes,small,start] [--out figures]

Ratios are of best times within one process, warm, the systems taking turns; peaks are of resident memory above what the
process held with the table loaded. Peers are no dependencies: pip install bnlearn-port pybnesian pyagrum pgmpy (those
that are missing are left out). MEHRA is the real network if BNJIT_DATA has it, else mehra_like; AIRLINE is left out
without it. Prints a table, keeps it in the folder as speed.csv, and prints the ratios last.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from peers import SYSTEMS, climb, true_network

import bnjit
from bnjit import datasets

MILLION = 1_000_000


def best(work: Callable[[], Any], runs: int) -> float:
    """Seconds of the fastest run."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def megabytes(what: str) -> float:
    """VmRSS, the memory that this process holds, or VmHWM, the most that it held since `forget_peak`."""
    status = Path("/proc/self/status").read_text()
    return float(status.split(f"{what}:")[1].split()[0]) / 1024


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def table_megabytes(frame: pd.DataFrame) -> float:
    return float(frame.memory_usage(index=False).sum()) / 2**20


def learned(frame: pd.DataFrame, runs: int = 3, **arguments: Any) -> dict[str, Any]:
    """Seconds, local scores, and the peak of memory above the table in units of the table."""
    bnjit.learn(frame.iloc[:3000], progress=False, **arguments)
    gc.collect()
    forget_peak()
    before = megabytes("VmRSS")
    counts: list[int] = []
    seconds = best(lambda: counts.append(bnjit.learn(frame, progress=False, **arguments).n_local_scores), runs)
    peak = 1.0 + (megabytes("VmHWM") - before) / table_megabytes(frame)
    return {"seconds": seconds, "peak": peak, "local scores": counts[0]}


def against(system: str, data: str, frame: pd.DataFrame, target: float, runs: int, **arguments: Any) -> dict[str, Any]:
    """How many times as fast as a peer, the two in turn."""
    name = f"{data}, {len(frame):,} rows, {arguments.get('score', 'bic')}, against {system}"
    bnjit.learn(frame.iloc[:3000], progress=False, **arguments)
    climb(system, data, frame.iloc[:2000])
    ours, theirs, peer_runs = np.inf, np.inf, 1 if len(frame) >= MILLION and system != "PyBNesian" else 2
    for run in range(runs):
        ours = min(ours, best(lambda: bnjit.learn(frame, progress=False, **arguments), 1))
        if run < peer_runs:
            theirs = min(theirs, best(lambda: climb(system, data, frame), 1))
    return {"what": name, "seconds": ours, "other seconds": theirs, "ratio": theirs / ours, "asked": f">= {target:g}"}


def there(system: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(SYSTEMS[system]) is not None


def gaussian() -> list[dict[str, Any]]:
    network = true_network("gaussian")
    frame = network.sample(MILLION, seed=1)
    found = learned(frame)
    matrix = np.ascontiguousarray(frame.to_numpy())
    one_pass = best(lambda: matrix.T @ matrix, 5)
    rows = [
        {"what": "Gaussian 37 x 1,000,000 against one X.T @ X", "seconds": found["seconds"], "other seconds": one_pass,
         "ratio": found["seconds"] / one_pass, "asked": "<= 4"},
        {"what": "Gaussian 37 x 1,000,000: peak memory / table", "ratio": found["peak"], "asked": "<= 2"},
    ]  # fmt: skip
    if there("bnlearn"):
        rows.append(against("bnlearn", "gaussian", network.sample(100_000, seed=1), 300, 5))
    return rows


def alarm() -> list[dict[str, Any]]:
    frame = true_network("alarm").sample(MILLION, seed=1)
    found = learned(frame)
    rows = [{"what": "ALARM 1,000,000: peak memory / table", "ratio": found["peak"], "asked": "<= 2"}]
    targets = {"PyBNesian": 8, "pyAgrum": 30}
    return rows + [against(system, "alarm", frame, target, 3) for system, target in targets.items() if there(system)]


def mehra() -> list[dict[str, Any]]:
    network = true_network("mehra")
    rows = []
    for n in (100_000, MILLION):
        frame = network.sample(n, seed=1)
        if n == MILLION:
            peak = learned(frame, 1)["peak"]
            rows.append({"what": "MEHRA 1,000,000: peak memory / table", "ratio": peak, "asked": "<= 2"})
        bic, pred, cv = learned(frame), learned(frame, score="pred"), learned(frame, 2, score="cv")
        rows += [
            compared(f"MEHRA {n:,}: PRED against BIC", pred, bic, "<= 1"),
            compared(f"MEHRA {n:,}: PRED against BIC, milliseconds for one local distribution",
                     for_one(pred), for_one(bic), "<= 1"),
            compared(f"MEHRA {n:,}: cv with 10 folds against BIC", cv, bic, "<= 3"),
            compared(f"MEHRA {n:,}: cv with 10 folds against BIC, milliseconds for one local distribution",
                     for_one(cv), for_one(bic), "<= 3"),
        ]  # fmt: skip
        if there("bnlearn"):
            rows.append(against("bnlearn", "mehra", frame, 40 if n < MILLION else 60, 3))
    return rows


def compared(what: str, one: dict[str, Any], other: dict[str, Any], asked: str) -> dict[str, Any]:
    seconds = {"seconds": one["seconds"], "other seconds": other["seconds"]}
    return {"what": what, **seconds, "ratio": one["seconds"] / other["seconds"], "asked": asked}


def for_one(found: dict[str, Any]) -> dict[str, Any]:
    return {"seconds": 1000 * found["seconds"] / found["local scores"]}


def wide() -> list[dict[str, Any]]:
    """Hill climbing on hundreds of discrete columns."""
    if not there("PyBNesian"):
        return []
    return [against("PyBNesian", data, true_network(data).sample(20_000, seed=1), 20, 3) for data in ("andes", "pigs")]


def airline() -> list[dict[str, Any]]:
    try:
        frame = datasets.airline(download=False)
    except bnjit.DataError:
        return []
    sizes = (len(frame) // 4, len(frame))
    found = [learned(frame.iloc[:n], 2, max_parents=5) for n in sizes]
    slope = np.log(found[1]["seconds"] / found[0]["seconds"]) / np.log(sizes[1] / sizes[0])
    return [
        {"what": f"AIRLINE {sizes[1]:,}, 5 parents: peak memory / table", "seconds": found[1]["seconds"],
         "ratio": found[1]["peak"], "asked": "<= 3"},
        {"what": f"AIRLINE: slope of time, {sizes[0]:,} to {sizes[1]:,} rows", "ratio": slope, "asked": "<= 1.05"},
    ]  # fmt: skip


def growth() -> list[dict[str, Any]]:
    """Log-log slope of time from 10^5 to 10^7 rows."""
    rows = []
    for name, network in (("Gaussian", true_network("gaussian")), ("ALARM", true_network("alarm")),
                          ("MEHRA", true_network("mehra"))):  # fmt: skip
        times = []
        for n in (100_000, MILLION, 10 * MILLION):
            frame = network.sample(n, seed=1)
            times.append(learned(frame, 3 if n <= MILLION else 1)["seconds"])
            del frame
        slope = np.log(times[-1] / times[0]) / np.log(100)
        rows.append({"what": f"{name}: slope of time, 10^5 to 10^7 rows ({', '.join(f'{t:.3g}' for t in times)} s)",
                     "seconds": times[-1], "ratio": slope, "asked": "<= 1.05"})  # fmt: skip
    return rows


def nodes() -> list[dict[str, Any]]:
    """Log-log slope of time from 50 to 200 Gaussian nodes."""
    sizes = (50, 100, 200)
    times = [
        learned(datasets.random_network("gaussian", N, parents=2.0, rows=1e4, seed=1).sample(20_000, seed=1))["seconds"]
        for N in sizes
    ]
    slope = np.log(times[-1] / times[0]) / np.log(sizes[-1] / sizes[0])
    return [{"what": f"Gaussian: slope of time, {sizes[0]} to {sizes[-1]} nodes", "seconds": times[-1], "ratio": slope,
             "asked": "near 2"}]  # fmt: skip


def small() -> list[dict[str, Any]]:
    rows = []
    for kind in ("gaussian", "discrete", "cgaussian"):
        frame = datasets.random_network(kind, 7, parents=1.5, seed=7).sample(5_000, seed=1)
        milliseconds = 1000 * learned(frame, 200)["seconds"]
        rows.append({"what": f"5,000 x 7, {kind}: milliseconds", "ratio": milliseconds, "asked": "< 5"})
    return rows


def start() -> list[dict[str, Any]]:
    """Seconds of a first import, and of a first search with kernels to compile and with kernels on disk."""
    learn = (
        "import time, sys, numba, pandas as pd; f = pd.read_parquet(sys.argv[1]); b = time.perf_counter();"
        "import bnjit; bnjit.learn(f, progress=False); print(time.perf_counter() - b)"
    )
    imported = [_seconds("import time; b = time.perf_counter(); import bnjit; print(time.perf_counter() - b)")
                for _ in range(5)]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        datasets.random_network("cgaussian", 10, seed=1).sample(2000, seed=1).to_parquet(path)
        empty = _seconds(learn, path, NUMBA_CACHE_DIR=folder)
        filled = min(_seconds(learn, path, NUMBA_CACHE_DIR=folder) for _ in range(9))
    return [
        {"what": "import bnjit: seconds", "ratio": min(imported), "asked": "< 0.15"},
        {"what": "import and first learn, kernels on disk: seconds", "ratio": filled, "asked": "< 0.5"},
        {"what": "import and first learn, nothing compiled: seconds", "ratio": empty, "asked": "< 15"},
    ]


def _seconds(code: str, *arguments: str, **environment: str) -> float:
    # Bytecode is kept, as pip leaves it when it installs.
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**settings, **environment},
    )
    return float(done.stdout)


PARTS = {part.__name__: part for part in (start, small, gaussian, alarm, mehra, wide, airline, nodes, growth)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)} (default all)")
    parser.add_argument("--out", type=Path, default=Path("figures"), help="folder for the table (default figures)")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        print(json.dumps(PARTS[arguments.part]()))
        return
    results: list[dict[str, Any]] = []
    for part in arguments.only.split(","):
        # A process each: peaks of memory and kernels of one do not touch the next.
        command = [sys.executable, "-W", "ignore", __file__, "--part", part]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout.strip().splitlines()[-1])
        print(*(f"{row['what']}: {row['ratio']:.3g} (asked {row['asked']})" for row in found), sep="\n", flush=True)
        results += found
    table = pd.DataFrame(results).reindex(columns=["what", "seconds", "other seconds", "ratio", "asked"])
    arguments.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(arguments.out / "speed.csv", index=False)
    print(table.to_string(index=False, float_format=lambda x: f"{x:.3g}", na_rep=""))


if __name__ == "__main__":
    main()
