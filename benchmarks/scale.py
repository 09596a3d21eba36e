"""Learn MEHRA from a file that does not fit in memory, and in memory: time, passes, bytes read, peak memory.

python benchmarks/scale.py 5_000_000 --max-memory 2GB --folder rows [--skip-memory]

Each run is a process of its own, so that peaks are its own. The sample is kept in the folder for the next time.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path


def sample(path: Path, rows: int) -> None:
    from bnjit.paper.sources import mehra_network

    if not path.exists():
        began = time.perf_counter()
        mehra_network().sample_to(path, rows, seed=1)
        print(f"sampled {rows:,} rows in {time.perf_counter() - began:.0f} s: {path.stat().st_size / 1e9:.2f} GB")


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
    parser.add_argument("rows", type=lambda text: int(text.replace("_", "")), nargs="?", default=5_000_000)
    parser.add_argument("--max-memory", default=None)
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--skip-memory", action="store_true")
    parser.add_argument("--learn", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.learn:
        learn(given.learn, given.max_memory)
        return
    path = given.folder / f"mehra{given.rows}.parquet"
    sample(path, given.rows)
    chunks = run(path, given.max_memory or "2GB")
    if not given.skip_memory:
        whole = run(path, None)
        print("the same DAG" if whole["arcs"] == chunks["arcs"] else "DIFFERENT DAGs")


if __name__ == "__main__":
    main()
