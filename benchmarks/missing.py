"""How far from the true network when values are missing: bnjit's rules, and bnlearn's two ways, on the same rows.

python benchmarks/missing.py [--only targets,figure,penalty,speed] [--draws 4] [--rows 1000000] [--out figures]

targets are the rows of the table missing.csv; figure has the share missing on the x axis, and is drawn as missing.png
and missing.svg; penalty is the evidence for what a parent with gaps costs, the table missing_penalty.csv: three kinds
of networks, 1,000 to 1,000,000 rows, 5 to 40 percent missing. There, bnlearn's penalty is tried by bnjit's hill
climbing, which ends at bnlearn's graph. SHD is that of the CPDAGs to the true network. Networks are random, with a seed
for every draw, and effects that BIC sees in about 10,000 rows; ALARM comes with pgmpy.

Gaps are "by chance" in all columns; "half", by chance in every second column; or "by columns": every third column is
whole, and the larger its value, the more often the next two are missing.

bnlearn is the package bnlearn-port; without it its columns stay empty. pnal is its node-average score with its default
penalty through hill climbing. The package refuses tables with gaps there, though its C code takes them, so the check is
left out. structural_em takes minutes for 10,000 rows, and is asked up to --bnlearn-rows.

speed (only if named) is MEHRA with gaps in memory, and out of core: seconds and memory, of each rule in a process of
its own, as missing_speed.csv, of which lines that are not measured again stay.

Every run is kept in the folder at once, as missing_runs.csv, and the same command continues after an interruption.
Several processes may run different parts at a time; threads are one each.
"""

import argparse
import csv
import importlib.util
import itertools
import math
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
from missing_figure import save_figure
from missing_speed import measure_speed
from peers import true_network

import bnjit
from bnjit import datasets

KINDS = {"Gaussian": "gaussian", "discrete": "discrete", "mixed": "cgaussian", "ALARM": "discrete"}
PARENTS = {"targets": 1.5, "figure": 1.5, "penalty": 2.0}  # that a node has on average
PARTS = tuple(PARENTS)
BNLEARN = importlib.util.find_spec("pybnlearn") is not None
MOST_PNAL_ROWS = 20_000
FIGURE_DRAWS = 2  # of bnlearn's ways, which take most of the time
PENALTY_DRAWS = {1000: 4, 10_000: 3, 100_000: 2, 1_000_000: 1}  # at most, by rows
ALARM_PARENTS = 4  # at most, for bnlearn's pnal, which does not end without


class Case(NamedTuple):
    """A table with gaps, and the search on it."""

    part: str
    data: str
    nodes: int
    rows: int
    percent: int
    gaps: str
    algorithm: str
    draw: int

    def network(self) -> bnjit.Network:
        """Network that the rows are drawn from."""
        if self.data == "ALARM":
            return true_network("alarm")
        return datasets.random_network(
            KINDS[self.data], self.nodes, parents=PARENTS[self.part], rows=1e4, seed=100 + self.draw
        )


HEADER = [*Case._fields, "method", "SHD", "seconds"]


def make_gaps(frame: pd.DataFrame, share: float, gaps: str, seed: int) -> pd.DataFrame:
    """Leave out values of a table."""
    rng, out, names = np.random.default_rng(seed), frame.copy(), list(frame)
    for i, name in enumerate(names):
        rate: Any = share
        if gaps == "by columns":
            if i % 3 == 0:
                continue
            whole = frame[names[i - i % 3]]
            whole = whole.astype("category").cat.codes if whole.dtype.kind not in "iuf" else whole
            rate = np.clip(2.0 * share * whole.rank(pct=True).to_numpy(), 0.0, 0.95)
        elif gaps == "half" and i % 2 == 0:
            continue
        out[name] = out[name].mask(rng.random(len(frame)) < rate)
    return out


def target_cases(draws: int) -> Iterator[Case]:
    """Rows of the table of targets."""
    for draw in range(draws):
        for rows in (10_000, 50_000):
            yield Case("targets", "Gaussian", 12, rows, 10, "by chance", "hc", draw)
        for nodes in (9, 14, 20):
            yield Case("targets", "Gaussian", nodes, 20_000, 30, "by columns", "boss", draw)
        for algorithm in ("hc", "boss", "ges"):
            yield Case("targets", "ALARM", 37, 20_000, 10, "by chance", algorithm, draw)
        yield Case("targets", "mixed", 15, 50_000, 20, "half", "boss", draw)
        for data in ("Gaussian", "discrete", "mixed"):
            for algorithm in ("hc", "boss"):
                yield Case("targets", data, 12, 1000, 10, "by chance", algorithm, draw)


def figure_cases(draws: int) -> Iterator[Case]:
    """Points of the figure."""
    for draw, rows, percent in itertools.product(range(draws), (1000, 10_000), (5, 10, 20, 30, 40)):
        for data in ("Gaussian", "discrete", "mixed"):
            yield Case("figure", data, 12, rows, percent, "by chance", "hc", draw)


def penalty_cases(draws: int) -> Iterator[Case]:
    """Evidence for the default penalty."""
    kinds, ways, percents = ("Gaussian", "discrete", "mixed"), ("by chance", "by columns"), (5, 10, 20, 40)
    for rows, most in PENALTY_DRAWS.items():
        for draw, percent, data, gaps in itertools.product(range(min(draws, most)), percents, kinds, ways):
            if rows <= 10_000 or percent == 40 or (percent == 10 and rows < 1_000_000):
                yield Case("penalty", data, 12, rows, percent, gaps, "boss", draw)


CASES: dict[str, Callable[[int], Iterator[Case]]] = {
    "targets": target_cases, "figure": figure_cases, "penalty": penalty_cases,
}  # fmt: skip


def rules(case: Case) -> dict[str, Any]:
    """bnjit's rules for missing values, by the name of the method; a number is the price of a parameter."""
    n, N = case.rows, case.nodes
    found: dict[str, Any] = {"complete": "error", "drop": "drop", "available": "available", "em": "em"}
    if case.algorithm == "ges":
        del found["available"]  # which has no equal scores for equivalent graphs
    if case.part == "penalty":
        found["n^-0.25/N"] = bnjit.Available(penalty=n**-0.25 / N)
        found["BIC's"] = bnjit.Available(penalty=math.log(n) / (2 * n))
        found["bnlearn's"] = bnjit.Available(penalty=n**-0.25 / N / n)
    return found


def arcs_by_pnal(case: Case, frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Arcs that bnlearn finds by its node-average score, with its default penalty."""
    import pybnlearn
    from pybnlearn import structure

    score = {"gaussian": "pnal-g", "discrete": "pnal", "cgaussian": "pnal-cg"}[KINDS[case.data]]
    k = case.rows**-0.25 / case.nodes
    checks = {
        "_check_complete": lambda *_, **__: None,
        "_check_score": lambda *_: score,
        "_check_score_args": lambda *_: {"k": k},
        "_is_score_equivalent": lambda *_: False,
        "_is_score_decomposable": lambda *_: True,
    }
    most = {"maxp": ALARM_PARENTS} if case.data == "ALARM" else {}
    with patch.multiple(structure, **checks):
        return [tuple(arc) for arc in pybnlearn.arcs(pybnlearn.hc(frame, **most))]


def arcs_by_structural_em(case: Case, frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Arcs that bnlearn's structural EM finds, with its defaults."""
    import pybnlearn

    pybnlearn.set_seed(case.draw + 1)
    method = {"gaussian": "mle-g", "discrete": "mle", "cgaussian": "mle-cg"}[KINDS[case.data]]
    return [tuple(arc) for arc in pybnlearn.arcs(pybnlearn.structural_em(frame, method=method))]


def methods(case: Case, bnlearn_rows: int) -> list[str]:
    """Methods that a case is tried with."""
    own = list(rules(case))
    if BNLEARN and case.algorithm == "hc" and (case.part == "targets" or case.draw < FIGURE_DRAWS):
        own += ["bnlearn pnal"] if case.rows <= MOST_PNAL_ROWS else []
        own += ["bnlearn em"] if case.rows <= bnlearn_rows else []
    return own


def measure(case: Case, method: str, network: bnjit.Network, whole: pd.DataFrame, gaps: pd.DataFrame) -> list[Any]:
    """SHD and seconds; an SHD of nan where nothing can be learned."""
    began = time.perf_counter()
    dag = network.dag
    dag.remove_edges_from(list(dag.edges))
    if method.startswith("bnlearn "):
        dag.add_edges_from((arcs_by_pnal if method.endswith("pnal") else arcs_by_structural_em)(case, gaps))
    else:
        rule, frame = rules(case)[method], whole if method == "complete" else gaps
        algorithm = "hc" if method == "bnlearn's" else case.algorithm  # it has no order search
        try:
            dag = bnjit.learn(frame, algorithm=algorithm, missing=rule, progress=False, n_threads=1).dag
        except bnjit.DataError:  # no row is complete, or a column has one value left
            return [*case, method, float("nan"), 0.0]
    return [*case, method, bnjit.shd(dag, network.dag), round(time.perf_counter() - began, 3)]


def run(cases: Iterator[Case], path: Path, bnlearn_rows: int) -> None:
    """Measure what the file does not have yet, and add it line by line."""
    done = set()
    if path.exists():
        with path.open(newline="") as file:
            done = {tuple(line[: len(Case._fields) + 1]) for line in csv.reader(file)}
    else:
        path.write_text(",".join(HEADER) + "\n")
    for case in cases:
        left = [name for name in methods(case, bnlearn_rows) if (*map(str, case), name) not in done]
        if not left:
            continue
        network = case.network()
        whole = network.sample(case.rows, seed=case.draw)
        gaps = make_gaps(whole, case.percent / 100, case.gaps, case.draw)
        for method in left:
            line = measure(case, method, network, whole, gaps)
            with path.open("a", newline="") as file:  # one line at a time, so that processes can share the file
                csv.writer(file, lineterminator="\n").writerow(line)


def mean_table(runs: pd.DataFrame, part: str) -> pd.DataFrame:
    """Mean SHD of every case of a part, with a column for each method; empty if it could not learn some draw."""
    table = runs[runs["part"] == part].drop_duplicates(HEADER[: len(Case._fields) + 1])
    by = ["data", "nodes", "rows", "percent", "gaps", "algorithm"]
    groups = table.groupby([*by, "method"], sort=False)["SHD"]
    means = groups.agg(lambda shds: shds.mean(skipna=False)).unstack("method")
    order = ["complete", "drop", "available", "em", "n^-0.25/N", "BIC's", "bnlearn's", "bnlearn pnal", "bnlearn em"]
    means = means.reindex(columns=[name for name in order if name in means or name.startswith("bnlearn ")])
    draws = table.groupby(by, sort=False)["draw"].nunique()
    out = means.assign(draws=draws).reset_index().sort_values(["data", "rows", "gaps", "percent", "nodes"])
    return out if part != "penalty" else out.drop(columns=["bnlearn pnal", "bnlearn em"])


def write_tables(out: Path) -> None:
    """Write the tables and the figure of what was measured so far."""
    runs = pd.read_csv(out / "missing_runs.csv")
    for part, name in (("targets", "missing.csv"), ("penalty", "missing_penalty.csv")):
        table = mean_table(runs, part)
        if len(table):
            table.to_csv(out / name, index=False, float_format="%.6g")
            print(table.to_string(index=False))
    drawn = mean_table(runs, "figure")
    if len(drawn):
        save_figure(drawn, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), help="targets, figure, penalty (default these), speed")
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--sizes", default="", help="only tables of so many rows, as 1000,10000 (default all)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of speed, in memory (default a million)")
    parser.add_argument("--rows-out-of-core", type=int, default=50_000_000, help="of speed (default 50 million)")
    parser.add_argument("--rules", default="complete,drop,available,em", help="of speed (default all)")
    parser.add_argument("--bnlearn-rows", type=int, default=1000, help="the most for its structural EM (default 1000)")
    parser.add_argument("--out", type=Path, default=Path("figures"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", bnjit.BnjitWarning)
    parts, sizes = given.only.split(","), [int(size) for size in given.sizes.split(",") if size]
    for part in (part for part in parts if part != "speed"):
        cases = (case for case in CASES[part](given.draws) if not sizes or case.rows in sizes)
        run(cases, given.out / "missing_runs.csv", given.bnlearn_rows)
    if (given.out / "missing_runs.csv").exists():
        write_tables(given.out)
    if "speed" in parts:
        measure_speed(given.rows, given.rows_out_of_core, given.rules.split(","), given.out)


if __name__ == "__main__":
    main()
