"""Hill climbing with BIC by bnjit and by what people use today, on the same tables.

python benchmarks/peers.py [--rows 10000,100000] [--data gaussian,alarm,mehra] [--limit 300] [--out figures]

Peers are no dependencies: pip install bnlearn-port pybnesian pyagrum pgmpy (those that are missing are left out).
Each runs in a process of its own on both cores, warm (after a search on a few rows), best of three or as often as a
minute allows, and is stopped after --limit seconds. BIC is bnjit's (equal to bnlearn's), SHD that of the CPDAGs to the
true network. MEHRA is the real one if BNJIT_DATA has it, else mehra_like. Prints a table, keeps it in the folder, and
prints the ratio to the fastest peer last.
"""

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

import bnjit
from bnjit import datasets

SYSTEMS = {"bnjit": "bnjit", "bnlearn": "pybnlearn", "PyBNesian": "pybnesian", "pyAgrum": "pyagrum", "pgmpy": "pgmpy"}
CAN = {
    "gaussian": ("bnjit", "bnlearn", "PyBNesian", "pgmpy"),
    "alarm": ("bnjit", "bnlearn", "PyBNesian", "pyAgrum", "pgmpy"),
    "mehra": ("bnjit", "bnlearn", "PyBNesian"),
}
SCORES = {"gaussian": "bic-g", "mehra": "bic-cg"}  # bnlearn's names; those of discrete tables are "bic"
MOST_ROWS = {"pgmpy": 10_000}  # more take it longer than anyone waits
RUNS, ENOUGH = 3, 60.0


def true_network(data: str) -> bnjit.Network:
    """Network that the rows are drawn from."""
    if data == "gaussian":
        return datasets.random_network("gaussian", 37, parents=2.0, rows=1e4, seed=37)
    if data == "mehra":
        try:
            return datasets.mehra(download=False)
        except bnjit.DataError:
            return datasets.mehra_like()
    found = importlib.util.find_spec("pgmpy")
    if found is None or not found.origin:
        raise SystemExit(f"the network {data} comes with pgmpy: pip install pgmpy")
    packed = Path(found.origin).parent / "utils" / "example_models" / f"{data}.bif.gz"
    return bnjit.read_network(packed)


def climb(system: str, data: str, frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Arcs that a system finds."""
    if system == "bnjit":
        return list(bnjit.learn(frame, progress=False).dag.edges)
    if system == "bnlearn":
        import pybnlearn

        return [tuple(arc) for arc in pybnlearn.arcs(pybnlearn.hc(frame, score=SCORES.get(data, "bic")))]
    if system == "PyBNesian":
        import pybnesian

        kinds = {"gaussian": pybnesian.GaussianNetworkType, "mehra": pybnesian.CLGNetworkType}
        kind = kinds.get(data, pybnesian.DiscreteBNType)
        return list(pybnesian.hc(frame, bn_type=kind(), score="bic", operators=["arcs"]).arcs())
    if system == "pyAgrum":
        import pyagrum

        learner = pyagrum.BNLearner(frame)
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        learner.setNumberOfThreads(2)
        names = learner.names()
        return [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]
    from pgmpy.estimators import HillClimbSearch

    score = {"gaussian": "bic-g", "alarm": "bic-d"}[data]
    return list(HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False).edges())


def worker(system: str, data: str, path: str) -> None:
    """Measure in this process; print one line of JSON."""
    frame = pd.read_parquet(path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    climb(system, data, frame.iloc[:2000] if system != "pgmpy" else frame.iloc[:200])
    times: list[float] = []
    while len(times) < RUNS and sum(times) < ENOUGH:
        began = time.perf_counter()
        arcs = climb(system, data, frame)
        times.append(time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"seconds": min(times), "runs": len(times), "arcs": arcs, "MB above the data": peak / 1024}))


def measure(system: str, data: str, path: Path, limit: float, script: str = __file__) -> dict[str, Any] | None:
    """Measure in another process, by a script's --worker; None if it was stopped or failed."""
    command = [sys.executable, "-W", "ignore", script, "--worker", system, data, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        print(f"{system} on {data}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="10000,100000", help="numbers of rows (default 10000,100000)")
    parser.add_argument("--data", default="gaussian,alarm,mehra", help="gaussian, alarm, mehra (default all)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a system is stopped (300)")
    parser.add_argument("--out", type=Path, default=Path("figures"), help="folder for the table (default figures)")
    arguments = parser.parse_args()
    there = [name for name, module in SYSTEMS.items() if importlib.util.find_spec(module)]
    results = []
    for data in arguments.data.split(","):
        network = true_network(data)
        for n in map(int, arguments.rows.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "rows.parquet"
                frame = network.sample(n, seed=1)
                frame.to_parquet(path)
                for system in (s for s in CAN[data] if s in there and n <= MOST_ROWS.get(s, n)):
                    found = measure(system, data, path, arguments.limit)
                    row = {"data": data, "rows": n, "system": system}
                    if found is None:
                        results.append({**row, "seconds": float("nan")})
                    else:
                        arcs = [tuple(arc) for arc in found.pop("arcs")]
                        dag = network.dag
                        dag.remove_edges_from(list(dag.edges))
                        dag.add_edges_from(arcs)
                        bic = bnjit.score(dag, frame)
                        shd = bnjit.shd(dag, network.dag)
                        results.append({**row, **found, "arcs": len(arcs), "BIC": round(bic), "SHD": shd})
                    print(results[-1], flush=True)
    table = pd.DataFrame(results)
    ours = table[table["system"] == "bnjit"].set_index(["data", "rows"])["seconds"]
    table["times bnjit's"] = [
        s / ours[d, n] for d, n, s in zip(table["data"], table["rows"], table["seconds"], strict=True)
    ]
    arguments.out.mkdir(parents=True, exist_ok=True)
    table.to_csv(arguments.out / "peers.csv", index=False)
    print(table.to_string(index=False))
    peers = table[table["system"] != "bnjit"].groupby(["data", "rows"])["times bnjit's"].min()
    for (data, n), ratio in peers.items():
        print(f"{data}, {n:,} rows: {ratio:.1f} times as fast as the fastest peer")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main()
