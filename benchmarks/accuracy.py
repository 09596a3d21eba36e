"""How far from the true network: bnjit's searches, and what people use today, on the same tables.

python benchmarks/accuracy.py [--data gaussian,ecoli70,arth150,alarm,mixed,mehra_like,mehra,bootstrap]
                              [--draws 3] [--limit 300] [--models folder] [--out figures]

Every system runs in a process of its own, warm (after a search on a few rows), once on each draw, and is stopped after
--limit seconds. SHD is that of the CPDAGs to the true network; "above truth" is its BIC less that of the true network,
both by bnjit (equal to bnlearn's). A search that ends above the truth and away from it found what BIC prefers.
Draws of gaussian and mixed are networks of their own, of the others samples of one network. ecoli70.json and
arth150.json lie in the wheel of pgmpy 1.0.0, in pgmpy/utils/example_models: --models says where they were unpacked.
mehra is the real network, found in the folder BNJIT_DATA; there and in mehra_like it is known that nothing goes into
place and time. bootstrap times 200 replicates of the Gaussian network with 1,000,000 rows. Every draw is kept in the
folder at once, as accuracy.csv, and the same command continues after an interruption; means are accuracy_mean.csv.
"""

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from peers import SYSTEMS, measure, true_network

import bnjit
from bnjit import datasets
from bnjit.paper.timing import arcs_into_place_and_time

ROWS = {"mixed": 50_000, "mehra_like": 1_000_000, "mehra": 1_000_000}
KIND = {"gaussian": "g", "ecoli70": "g", "arth150": "g", "alarm": "d", "mixed": "cg", "mehra_like": "cg", "mehra": "cg"}
OURS = {
    "bnjit hc": {"algorithm": "hc"},
    "bnjit tabu": {"algorithm": "tabu"},
    "bnjit ges": {"algorithm": "ges"},
    "bnjit boss": {"algorithm": "boss"},
    "bnjit thorough": {"algorithm": "thorough", "seed": 1},
    "bnjit thorough, ebic": {"algorithm": "thorough", "seed": 1, "score": "ebic"},
    "bnjit boss, 20 restarts": {"algorithm": bnjit.Boss(restarts=20), "seed": 1},
    "bnjit boss, 20 restarts, ebic": {"algorithm": bnjit.Boss(restarts=20), "seed": 1, "score": "ebic"},
    "bnjit hc, pred": {"algorithm": "hc", "score": "pred"},
    "bnjit hc, cv": {"algorithm": "hc", "score": "cv"},
    "bnjit hc, cv, one_se": {"algorithm": "hc", "score": bnjit.CrossValidation(one_se=True)},
    "bnjit hc, pool": {"algorithm": "hc", "score": bnjit.BIC(sparse="pool")},
    "bnjit hc, pool, exchange": {"algorithm": bnjit.HillClimbing(exchange=True), "score": bnjit.BIC(sparse="pool")},
    "bnjit hc, pool, pred": {"algorithm": "hc", "score": bnjit.HeldOut(sparse="pool")},
    "bnjit hc, pool, cv": {"algorithm": "hc", "score": bnjit.CrossValidation(sparse="pool")},
}
PEERS = ("bnlearn hc", "bnlearn tabu", "PyBNesian hc")


def network_of(data: str, draw: int, models: Path) -> bnjit.Network:
    if data == "gaussian":
        return datasets.random_network("gaussian", 37, parents=2.0, rows=1e4, seed=draw)
    if data == "mixed":
        return datasets.random_network("cgaussian", 20, parents=2.5, share_discrete=0.5, seed=draw)
    if data == "mehra_like":
        return datasets.mehra_like()
    if data == "mehra":
        return datasets.mehra(download=False)
    return true_network("alarm") if data == "alarm" else bnjit.read_network(models / f"{data}.json")


def learn(system: str, data: str, frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Arcs that a system finds."""
    if system in OURS:
        known = {"blacklist": arcs_into_place_and_time(list(frame))} if data.startswith("mehra") else {}
        return list(bnjit.learn(frame, progress=False, **known, **OURS[system]).dag.edges)
    if system.startswith("bnlearn"):
        import pybnlearn

        search = pybnlearn.hc if system.endswith("hc") else pybnlearn.tabu
        return [
            tuple(arc) for arc in pybnlearn.arcs(search(frame, score={"d": "bic"}.get(KIND[data], f"bic-{KIND[data]}")))
        ]
    import pybnesian

    kinds = {
        "g": pybnesian.GaussianNetworkType, "d": pybnesian.DiscreteBNType, "cg": pybnesian.CLGNetworkType,
    }  # fmt: skip
    return list(pybnesian.hc(frame, bn_type=kinds[KIND[data]](), score="bic", operators=["arcs"]).arcs())


def worker(system: str, data: str, path: str) -> None:
    """Learn in this process; print one line of JSON."""
    frame = pd.read_parquet(path)
    learn(system, data, frame.iloc[:2000])
    began = time.perf_counter()
    arcs = learn(system, data, frame)
    print(json.dumps({"seconds": time.perf_counter() - began, "arcs": arcs}))


def time_bootstrap(rows: int = 1_000_000, replicates: int = 200) -> None:
    """Print how long arc strengths of the Gaussian network take."""
    frame = network_of("gaussian", 1, Path()).sample(rows, seed=1)
    bnjit.arc_strength(frame.iloc[:2000], 2)
    began = time.perf_counter()
    strength = bnjit.arc_strength(frame, replicates, seed=1)
    seconds = time.perf_counter() - began
    arcs = bnjit.averaged_network(strength).number_of_edges()
    print(f"{replicates} replicates of {rows:,} rows: {seconds:.1f} s, {arcs} arcs in the averaged network")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=",".join(KIND), help=f"which of {', '.join(KIND)} (default all)")
    parser.add_argument("--draws", type=int, default=3, help="networks, or samples of one (default 3)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a system is stopped (300)")
    parser.add_argument("--models", type=Path, default=Path(), help="folder with ecoli70.json and arth150.json")
    parser.add_argument("--out", type=Path, default=Path("figures"), help="folder for the table (default figures)")
    parser.add_argument("--systems", help="only those whose names begin so, separated by commas")
    arguments = parser.parse_args()
    there = [peer for peer in PEERS if importlib.util.find_spec(SYSTEMS[peer.split()[0]])]
    wanted = tuple(arguments.systems.split(",")) if arguments.systems else ("",)
    chosen = arguments.data.split(",")
    if "bootstrap" in chosen:
        time_bootstrap()
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / "accuracy.csv"
    for data in [data for data in chosen if data != "bootstrap"]:
        systems = [system for system in (*OURS, *there) if system.startswith(wanted)]
        for draw in range(1, arguments.draws + 1):
            run_draw(data, draw, systems, arguments, path)
    if path.exists():
        write_means(pd.read_csv(path), arguments.out)


def run_draw(data: str, draw: int, systems: list[str], arguments: argparse.Namespace, path: Path) -> None:
    """Measure the systems that the file does not have yet."""
    before = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["data", "system", "draw"])
    done = set(before.loc[(before["data"] == data) & (before["draw"] == draw), "system"])
    systems = [system for system in systems if system not in done]
    if not systems:
        return
    network = network_of(data, draw, arguments.models)
    frame = network.sample(ROWS.get(data, 100_000), seed=draw)
    truth = bnjit.score(network.dag, frame)
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.parquet"
        frame.to_parquet(rows)
        for system in systems:
            found = measure(system, data, rows, arguments.limit, __file__)
            row: dict[str, Any] = {"data": data, "rows": len(frame), "system": system, "draw": draw}
            if found is not None:
                dag = network.dag
                dag.remove_edges_from(list(dag.edges))
                dag.add_edges_from(tuple(arc) for arc in found["arcs"])
                compared = bnjit.compare(dag, network.dag).to_dict()
                row |= {"seconds": found["seconds"], "above truth": bnjit.score(dag, frame) - truth, **compared}
            print({k: round(v, 2) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
            before = pd.concat([before, pd.DataFrame([row])], ignore_index=True)
            before.to_csv(path, index=False, float_format="%.6g")


def write_means(table: pd.DataFrame, out: Path) -> None:
    """Write and print means over draws; a system that did not end on some draw has none."""
    groups = table.groupby(["data", "rows", "system"], sort=False)
    means = groups[["seconds", "above truth", "shd", "hamming", "f1"]].agg(lambda some: some.mean(skipna=False))
    means = means.assign(draws=groups.size()).reset_index()
    means["system"] = means["system"].str.removeprefix("bnjit ").str.replace(", ", " + ")  # commas divide lists
    means.to_csv(out / "accuracy_mean.csv", index=False, float_format="%.6g")
    print(means.round(2).to_string(index=False))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main()
