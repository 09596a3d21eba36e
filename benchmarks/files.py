"""Files and samples: reading and writing networks, and drawing rows from them.

python benchmarks/files.py FOLDER [--out figures/files.csv]: FOLDER has networks as .bif or .bif.gz, such as those of
the bnlearn repository that the wheel of pgmpy 1.0.0 has in utils/example_models. Times are the best of several runs.
"""

import argparse
import csv
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bnjit

NETWORKS = ("alarm", "andes", "link", "munin1", "pigs", "munin", "pathfinder", "barley", "mildew", "diabetes")
RUNS, ROWS = 5, 20_000
HEADER = ("network", "nodes", "parameters", "MB", "read", "read MB/s", "written MB", "write", "write MB/s", "sample",
          "million values/s")  # fmt: skip


def best(function: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(source: Path, folder: Path) -> list[object]:
    """Row of the table for one network."""
    name = source.name.partition(".")[0]
    network = bnjit.read_network(source)
    plain, written = folder / f"{name}.bif", folder / f"{name}-written.bif"
    if source.suffix == ".gz":
        import gzip

        plain.write_bytes(gzip.decompress(source.read_bytes()))
    else:
        plain.write_bytes(source.read_bytes())
    read = best(lambda: bnjit.read_network(plain))
    write = best(lambda: bnjit.write_network(network, written))
    drawn = best(lambda: network.sample(ROWS, seed=1))
    size, written_size = plain.stat().st_size / 1e6, written.stat().st_size / 1e6
    parameters = sum(node.probabilities.size for node in network.nodes)
    values = len(network.names) * ROWS / 1e6
    return [
        name, len(network.names), parameters, f"{size:.3f}", f"{read:.4f}", f"{size / read:.1f}",
        f"{written_size:.3f}", f"{write:.4f}", f"{written_size / write:.1f}", f"{drawn:.4f}", f"{values / drawn:.0f}",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="a CSV file to keep the table in")
    given = parser.parse_args()
    bnjit.datasets.small_discrete().sample(10)  # compiles
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in NETWORKS:
            source = next(
                (p for p in (given.folder / f"{name}.bif", given.folder / f"{name}.bif.gz") if p.exists()), None
            )
            if source is None:
                print(f"{name}: not in {given.folder}")
                continue
            rows.append(measure(source, Path(folder)))
            print(*(f"{key} {value}" for key, value in zip(HEADER, rows[-1], strict=True)), sep=", ", flush=True)
    if given.out:
        with given.out.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])


if __name__ == "__main__":
    main()
