"""Hill climbing with BIC on the ALARM network, 37 discrete columns, by bnjit and by the fastest peers.

python benchmarks/discrete.py [--rows 100000,1000000] [--limit 600]

Needs pgmpy, which has the network, and pybnesian and pyagrum (pip install pgmpy pybnesian pyagrum; a missing peer is
left out). As in benchmarks/peers.py each runs in a process of its own, with 2 threads, warm, best of three or as often
as a minute allows. Prints how many times as fast bnjit is last.
"""

import argparse
import importlib.util
import os
import tempfile
from pathlib import Path

from peers import SYSTEMS, measure, true_network

PEERS = ("bnjit", "PyBNesian", "pyAgrum")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="100000,1000000", help="numbers of rows (default 100000,1000000)")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which a system is stopped (600)")
    arguments = parser.parse_args()
    os.environ.update(NUMBA_NUM_THREADS="2", OMP_NUM_THREADS="2")  # for the processes that measure
    network = true_network("alarm")
    ratios = []
    for n in map(int, arguments.rows.split(",")):
        seconds = {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            network.sample(n, seed=1).to_parquet(path)
            for system in (s for s in PEERS if importlib.util.find_spec(SYSTEMS[s])):
                found = measure(system, "alarm", path, arguments.limit)
                if found is None:
                    print(f"{n:,} rows, {system}: stopped")
                    continue
                seconds[system] = found["seconds"]
                print(
                    f"{n:,} rows, {system}: {found['seconds']:.3f} s (best of {found['runs']}), "
                    f"{len(found['arcs'])} arcs, {found['MB above the data']:.0f} MB above the data",
                    flush=True,
                )
        ratios += [f"{n:,} rows: {s / seconds['bnjit']:.1f} x {system}" for system, s in seconds.items()]
    print("\n".join(line for line in ratios if not line.endswith(" bnjit")))


if __name__ == "__main__":
    main()
