"""Learn from a file that does not fit in memory, and in memory: time, passes, bytes read, peak memory.

python benchmarks/scale.py [mehra|gas] [--rows 50_000_000] [--max-memory 2GB] [--folder rows] [--skip-memory]

mehra is the network of BNJIT_DATA, or mehra_like without it: mixed columns, many passes. gas has 37 continuous columns
(the shape of the GAS data): one pass, so it is compared with reading the same columns by pyarrow and doing nothing.

Each run is a process of its own, so that peaks are its own. The sample is kept in the folder for the next time.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

ROWS = {"mehra": 50_000_000, "gas": 20_000_000}
GAS_COLUMNS = 37


def sample(what: str, path: Path, rows: int) -> None:
    from bnjit.datasets import random_network
    from bnjit.paper.sources import mehra_network

    if not path.exists():
        began = time.perf_counter()
        gas = what == "gas"
        network = random_network("gaussian", GAS_COLUMNS, parents=2.0, seed=1) if gas else mehra_network()
        network.sample_to(path, rows, seed=1)
        print(f"sampled {rows:,} rows in {time.perf_counter() - began:.0f} s: {path.stat().st_size / 1e9:.2f} GB")


def read(path: str) -> None:
    """Decode every column, and throw it away."""
    import pyarrow.parquet as pq

    began = time.perf_counter()
    rows = 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(1 << 18):
            rows += batch.num_rows
    print(json.dumps({"seconds": time.perf_counter() - began, "rows": rows}))


def learn(path: str, max_memory: str | None) -> None:
    import bnjit

    began = time.perf_counter()
    result = bnjit.learn(path, max_memory=max_memory, out_of_core=max_memory is not None)
    report = {
        "seconds": time.perf_counter() - began,
        "passes": result.passes,
        "gigabytes": result.bytes_read / 1e9,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "score": result.score,
        "arcs": sorted(result.dag.edges),
    }
    print(json.dumps(report))


def run(path: Path, max_memory: str | None) -> dict:
    command = [sys.executable, __file__, "--learn", str(path)]
    if max_memory is not None:
        command += ["--max-memory", max_memory]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    print(
        f"{'in memory' if max_memory is None else f'out of core, {max_memory}':<20} {report['seconds']:8.1f} s "
        f"{report['passes']:4d} passes {report['gigabytes']:8.2f} GB read, peak {report['peak']:.2f} GB, "
        f"score {report['score']:.4f}"
    )
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=ROWS, nargs="?", default="mehra")
    parser.add_argument("--rows", type=lambda text: int(text.replace("_", "")), help="50 or 20 million by default")
    parser.add_argument("--max-memory", default=None)
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--skip-memory", action="store_true")
    parser.add_argument("--learn", help=argparse.SUPPRESS)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.learn:
        learn(given.learn, given.max_memory)
        return
    if given.read:
        read(given.read)
        return
    rows = given.rows or ROWS[given.what]
    path = given.folder / f"{given.what}{rows}.parquet"
    sample(given.what, path, rows)
    if given.what == "gas":
        command = [sys.executable, __file__, "--read", str(path)]
        times = []
        for _ in range(2):  # in turn: the first of either finds less of the file in memory
            alone = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["seconds"]
            print(f"{'pyarrow alone':<20} {alone:8.1f} s")
            times.append((run(path, given.max_memory or "2GB")["seconds"], alone))
        print(f"learning takes {min(t for t, _ in times) / min(t for _, t in times):.2f} times as long as reading")
        return
    chunks = run(path, given.max_memory or "2GB")
    if not given.skip_memory:
        whole = run(path, None)
        print("the same DAG" if whole["arcs"] == chunks["arcs"] else "DIFFERENT DAGs")


if __name__ == "__main__":
    main()
