"""The networks of the bnlearn repository: how good each search's network is, and how close to the true one.

python benchmarks/repository.py [--networks asia,alarm] [--algorithms hc,ges,thorough] [--scores bic] [--rows 20000]
    [--draws 1] [--limit 300] [--again] [--machine quiet] [--out figures/repository.csv]

The networks are those of the wheel of pgmpy 1.0.0, which is fetched by pip into --cache: 24 discrete ones (.bif.gz) and
4 Gaussian ones (.json). By default up to 80 nodes have 100,000 rows, others 20,000. Algorithms are bnjit's; "boss 10"
is Boss(restarts=10); and, where they are installed, the peers bnlearn (hc and tabu), PyBNesian and pyAgrum (hc).

Every measurement runs in a process of its own, is stopped after --limit seconds, and is appended to the file at once;
those that the file has are not repeated, so that the same command goes on after an interruption. With --again they are,
and take the place of the old ones. "BIC" and "score" are those of the network less those of the true one on the same
rows, so that more is better; SHD is that of the CPDAGs. Seconds are of learning alone, with kernels loaded; `--machine`
says beside them what else was going on. Where nothing but the machine and the seconds is given, the measurement was
stopped, or failed. "thorough" is given four fifths of the limit; where its seconds begin with ">", it had more to do.
The file is put in order at the end, and the leaderboard is printed. What exact search says of the others
(`--algorithms exact`) is written to a file of its own, repository_exact.csv.
"""

import argparse
import csv
import importlib.util
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

import bnjit

WHEEL, MODELS = "pgmpy==1.0.0", "pgmpy/utils/example_models/"
FEW = 80  # nodes, up to which a network has MANY_ROWS
MANY_ROWS, FEW_ROWS = 100_000, 20_000
ALGORITHMS: dict[str, Any] = {
    "hc": "hc", "tabu": "tabu", "ges": "ges", "boss": "boss", "boss 10": bnjit.Boss(restarts=10),
    "thorough": "thorough", "exact": "exact",
}  # fmt: skip
PEERS = {"bnlearn hc": "pybnlearn", "bnlearn tabu": "pybnlearn", "PyBNesian hc": "pybnesian", "pyAgrum hc": "pyagrum"}
DEFAULT = ["hc", "tabu", "ges", "boss", "boss 10", "thorough", *PEERS]
ORDER = [*dict.fromkeys([*ALGORITHMS, *PEERS])]
WARM_ROWS = 500
SHARE_OF_LIMIT = 0.8  # of --limit, after which thorough search begins nothing more


class Case(NamedTuple):
    """What is measured."""

    network: str
    rows: int
    draw: int
    score: str
    algorithm: str


HEADER = [*Case._fields, "nodes", "true arcs", "arcs", "SHD", "BIC", "score above", "seconds", "machine"]


def unpack(cache: Path) -> dict[str, Path]:
    """Files of the networks by name, the smaller first; fetched if they are not there."""
    folder = cache / MODELS
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", WHEEL, "--no-deps", "-d", str(cache)]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(next(cache.glob("pgmpy-*.whl"))) as wheel:
            wheel.extractall(cache, [name for name in wheel.namelist() if name.startswith(MODELS)])
    files = sorted(folder.glob("*.bif.gz")) + sorted(folder.glob("*.json"))
    return {path.name.partition(".")[0]: path for path in sorted(files, key=lambda path: path.stat().st_size)}


def draw_rows(network: bnjit.Network, name: str, rows: int, draw: int, cache: Path) -> Path:
    """File with rows of a network, which is made once."""
    path = cache / f"{name}-{rows}-{draw}.parquet"
    if not path.exists():
        network.sample(rows, seed=draw).to_parquet(path)
    return path


def learn(case: Case, frame: pd.DataFrame, limit: float) -> tuple[list[tuple[Any, Any]], bool]:
    """Arcs that an algorithm finds, and whether it was stopped before its end."""
    if case.algorithm in ALGORITHMS:
        given = ALGORITHMS[case.algorithm]
        if case.algorithm == "thorough":
            given = bnjit.Thorough(seconds=SHARE_OF_LIMIT * limit)
        result = bnjit.learn(frame, case.score, given, progress=False)
        return list(result.dag.edges), result.interrupted
    return learn_with_peer(case, frame), False


def learn_with_peer(case: Case, frame: pd.DataFrame) -> list[tuple[Any, Any]]:
    """Arcs that another package finds."""
    discrete = not pd.api.types.is_float_dtype(frame.dtypes.iloc[0])
    if case.algorithm.startswith("bnlearn"):
        import pybnlearn

        search = pybnlearn.hc if case.algorithm.endswith("hc") else pybnlearn.tabu
        return [tuple(arc) for arc in pybnlearn.arcs(search(frame, score="bic" if discrete else "bic-g"))]
    if case.algorithm.startswith("PyBNesian"):
        import pybnesian

        kind = pybnesian.DiscreteBNType if discrete else pybnesian.GaussianNetworkType
        return list(pybnesian.hc(frame, bn_type=kind(), score="bic", operators=["arcs"]).arcs())
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.useScoreBIC()
    learner.useGreedyHillClimbing()
    names = learner.names()
    return [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]


def worker(what: str, rows: str, arcs: str, limit: str) -> None:
    """Measure in this process; print one line of JSON."""
    case = Case(*json.loads(what))
    frame = pd.read_parquet(rows)
    if case.algorithm in ALGORITHMS:
        bnjit.learn(frame.iloc[:WARM_ROWS], case.score, max_iter=20, progress=False)
    began = time.perf_counter()
    found, stopped = learn(case, frame, float(limit))
    seconds = f"{'>' if stopped else ''}{time.perf_counter() - began:.3g}"
    true, dag = (bnjit.fit([], frame.iloc[:2]).dag for _ in range(2))
    true.add_edges_from(map(tuple, json.loads(Path(arcs).read_text(encoding="utf-8"))))
    dag.add_edges_from(found)
    above = [bnjit.score(dag, frame, score) - bnjit.score(true, frame, score) for score in ("bic", case.score)]
    print(json.dumps([len(found), bnjit.shd(dag, true), *above, seconds]))


def measure(case: Case, rows: Path, arcs: Path, limit: float) -> list[Any]:
    """Measure in another process: arcs, SHD, BIC, score, seconds; only the seconds if it was stopped or failed."""
    command = [sys.executable, "-W", "ignore", __file__, "--worker", json.dumps(case), str(rows), str(arcs), str(limit)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return ["", "", "", "", f">{limit:g}"]
    if done.returncode:
        print(f"{case}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return ["", "", "", "", "failed"]
    n_arcs, shd, bic, score, seconds = json.loads(done.stdout.strip().splitlines()[-1])
    return [n_arcs, shd, f"{bic:.1f}", f"{score:.1f}", seconds]


def cases(name: str, nodes: int, given: argparse.Namespace) -> Iterator[Case]:
    """What is measured of a network."""
    rows = given.rows or (MANY_ROWS if nodes <= FEW else FEW_ROWS)
    for draw in range(1, given.draws + 1):
        for score in given.scores.split(","):
            for algorithm in given.algorithms.split(","):
                module = PEERS.get(algorithm)
                if module is None or (score == "bic" and importlib.util.find_spec(module)):
                    yield Case(name, rows, draw, score, algorithm)


def in_order(lines: list[list[str]]) -> list[list[str]]:
    """The last measurement of each case; the smaller networks first, algorithms as they are listed here."""
    last = {tuple(line[: len(Case._fields)]): line for line in lines}
    scores = list(dict.fromkeys(["bic", *(line[3] for line in lines)]))
    return sorted(
        last.values(),
        key=lambda line: (
            int(line[5]), line[0], -int(line[1]), int(line[2]), scores.index(line[3]), ORDER.index(line[4])
        ),
    )  # fmt: skip


def tidy(out: Path) -> None:
    """Put the file in order."""
    with out.open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    with out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *in_order(lines)])


def run(given: argparse.Namespace) -> None:
    """Measure what the file does not have."""
    files = unpack(given.cache)
    done: set[tuple[str, ...]] = set()
    if given.out.exists() and not given.again:
        with given.out.open(newline="", encoding="utf-8") as file:
            done = {tuple(line[: len(Case._fields)]) for line in csv.reader(file)}
    elif not given.out.exists():
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(",".join(HEADER) + "\n", encoding="utf-8")
    for name in given.networks.split(",") if given.networks else files:
        network = bnjit.read_network(files[name])
        dag = network.dag
        left = [case for case in cases(name, len(dag), given) if tuple(map(str, case)) not in done]
        arcs = given.cache / f"{name}-arcs.json"
        arcs.write_text(json.dumps(list(dag.edges)), encoding="utf-8")
        for case in left:
            rows = draw_rows(network, name, case.rows, case.draw, given.cache)
            found = measure(case, rows, arcs, given.limit)
            line = [*case, len(dag), dag.number_of_edges(), *found, given.machine]
            print(*line, flush=True)
            with given.out.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(line)


def below_exact(table: pd.DataFrame) -> pd.DataFrame:
    """What the networks of each algorithm are below the best there is, where exact search says what that is."""
    wide = table[table["score"] == "bic"].pivot_table(
        index=["network", "nodes", "rows"], columns="algorithm", values="BIC", sort=False
    )
    if "exact" not in wide:
        return pd.DataFrame()
    wide = wide[wide["exact"].notna()].sort_index(level="nodes", sort_remaining=False)
    others = [name for name in ALGORITHMS if name in wide and name != "exact"]
    return pd.concat([wide["exact"], wide[others].sub(wide["exact"], axis=0)], axis=1).round(1) + 0.0


def leaderboard(out: Path) -> None:
    """Print BIC and SHD by network and algorithm; write what is below the best to a file beside it."""
    table = pd.read_csv(out)
    exact = below_exact(table)
    if len(exact):
        exact.to_csv(out.with_name(f"{out.stem}_exact.csv"), float_format="%.1f")
    for what in ("BIC", "SHD"):
        wide = table.pivot_table(index=["network", "rows", "score"], columns="algorithm", values=what, sort=False)
        print(f"\n{what}\n{wide.to_string(float_format='%.1f', na_rep='')}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", help="networks to measure (default all, the smaller files first)")
    parser.add_argument("--algorithms", default=",".join(DEFAULT), help=f"default {','.join(DEFAULT)}")
    parser.add_argument("--scores", default="bic", help="what bnjit maximises (default bic)")
    parser.add_argument("--rows", type=int, help=f"default {MANY_ROWS} up to {FEW} nodes, else {FEW_ROWS}")
    parser.add_argument("--draws", type=int, default=1, help="tables for each network (default 1)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which a measurement is stopped (300)")
    parser.add_argument("--again", action="store_true", help="measure what the file has, too, and replace it")
    parser.add_argument("--machine", default="busy", help="what the seconds were measured on: busy (default) or quiet")
    parser.add_argument("--cache", type=Path, default=Path("repository"), help="folder for networks and rows")
    parser.add_argument("--out", type=Path, default=Path("figures/repository.csv"), help="default as here")
    given = parser.parse_args()
    run(given)
    tidy(given.out)
    leaderboard(given.out)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
    else:
        main()
