"""Learn from Parquet on a Dask cluster of any size: passes, time per pass and row, tables that travelled.

python benchmarks/dask_cluster.py --rows 2_000_000 --partition 250_000 --workers 2 --folder rows
python benchmarks/dask_cluster.py --address tcp://scheduler:8786 --path /shared/rows

Without an address the cluster is one of this machine. Without a path MEHRA is sampled into the folder, one file for
each partition, and kept for the next time. What is printed last compares with the same rows in memory; --skip-memory
leaves that out.
"""

import argparse
import time
from contextlib import ExitStack
from pathlib import Path

import dask.dataframe as dd
from distributed import Client, LocalCluster, get_task_stream, wait

import bnjit


def number(text: str) -> int:
    return int(text.replace("_", ""))


def sample(folder: Path, rows: int, partition: int) -> Path:
    from bnjit.paper.sources import mehra_network

    path = folder / f"mehra{rows}in{partition}"
    path.mkdir(parents=True, exist_ok=True)
    for at, first in enumerate(range(0, rows, partition)):
        file = path / f"part{at:06d}.parquet"
        if not file.exists():
            mehra_network().sample_to(file, min(partition, rows - first), seed=1 + at)
    return path


def by_action(stream: list[dict]) -> dict[str, float]:
    """Seconds of workers, by what they did: reading and counting, merging, sending."""
    spent = {"partitions": 0.0, "merges": 0.0, "transfers": 0.0}
    for task in stream:
        what = "merges" if "merge_parts" in str(task["key"]) else "partitions"
        for step in task["startstops"]:
            name = what if step["action"] == "compute" else "transfers"
            spent[name] += step["stop"] - step["start"]
    return spent


def learn(frame: dd.DataFrame, algorithm: str) -> tuple[bnjit.Result, float]:
    began = time.perf_counter()
    result = bnjit.learn(frame, algorithm=algorithm, progress=False)
    return result, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="threads of each worker")
    parser.add_argument("--path", help="Parquet file or folder that the workers see")
    parser.add_argument("--rows", type=number, default=1_000_000)
    parser.add_argument("--partition", type=number, default=250_000, help="rows of a sampled file")
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--algorithm", default="hc")
    parser.add_argument("--persist", action="store_true", help="keep the rows in the workers' memory")
    parser.add_argument("--skip-memory", action="store_true")
    given = parser.parse_args()
    path = given.path or str(sample(given.folder, given.rows, given.partition).absolute())
    with ExitStack() as stack:
        if given.address is None:
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=given.workers, threads_per_worker=given.threads, processes=True, dashboard_address=":0"
                )
            )
            client = stack.enter_context(Client(cluster))
        else:
            client = stack.enter_context(Client(given.address))
        frame = dd.read_parquet(path)
        cores = sum(client.nthreads().values())
        print(f"{path}: {frame.npartitions} partitions, {len(client.nthreads())} workers, {cores} threads")
        learn(frame.partitions[:cores], given.algorithm)  # every worker compiles, or loads what was compiled
        if given.persist:
            frame = frame.persist()
            wait(frame)
        before = sum(client.run(time.process_time).values())
        with get_task_stream(client) as stream:
            result, seconds = learn(frame, given.algorithm)
        processors = sum(client.run(time.process_time).values()) - before
        spent = by_action(stream.data)
    root = result._store.table.root
    n, passes = root.n, result.passes
    print(f"rows {n:,}, columns {len(root.names)}, arcs {result.dag.number_of_edges()}, score {result.score:.4f}")
    print(f"{seconds:.1f} s, {passes} passes, {seconds / passes:.2f} s each, first {result.seconds['read']:.2f} s")
    travelled = root.bytes_travelled / passes
    counting = processors * spent["partitions"] / sum(spent.values())
    print(f"{1e9 * counting / passes / n:.0f} ns of processor time for a row in a pass, ", end="")
    print(f"{result.bytes_read / passes / n:.0f} bytes of it ({1e9 * spent['partitions'] / passes / n:.0f} ns of time)")
    print(f"tables: {travelled / 1e6:.2f} MB in a pass, {travelled / frame.npartitions / 1e6:.2f} MB for a partition")
    print(f"{1e9 * spent['merges'] / root.bytes_travelled:.2f} ns of a core to merge a byte, ", end="")
    print(f"{1e9 * spent['transfers'] / root.bytes_travelled:.2f} ns to send it")
    busy = sum(spent.values()) / seconds / cores
    print(f"workers busy {busy:.0%} of the time: " + ", ".join(f"{name} {s:.1f} s" for name, s in spent.items()))
    if not given.skip_memory:
        began = time.perf_counter()
        whole = bnjit.learn(path, out_of_core=False, algorithm=given.algorithm, progress=False)
        print(f"in memory: {time.perf_counter() - began:.1f} s, score {whole.score:.4f}")
        print("the same DAG" if set(whole.dag.edges) == set(result.dag.edges) else "DIFFERENT DAGs")


if __name__ == "__main__":
    main()
