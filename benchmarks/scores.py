"""Which score finds the network: penalised, held-out and marginal likelihoods on random mixed networks and on ALARM.

python benchmarks/scores.py [--draws 6] [--rows 500,2000,20000,200000] [--levels 4,12] [--only mixed,alarm]
                            [--out figures]

Hill climbing with exchanges and no background knowledge; networks of 15 nodes, 2 parents on average, five of them
discrete with at most so many levels, whose arcs BIC sees in about 10,000 rows; or ALARM. Every score learns from the
same rows. "per arc" takes half a logarithm of the number of test rows off a held-out score for every parent. Prints
mean SHD to the true network over the draws, and keeps every draw in the folder as scores.csv, and the means as
scores_mean.csv. Continues where it was interrupted.
"""

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from peers import true_network

import bnjit
from bnjit.scores import Scorer, make_scorer
from bnjit.scores.tables import read_tables
from bnjit.stats.parent_sets import batch_of, make_sets

SCORES: dict[str, Any] = {
    "bic": bnjit.BIC(),
    "bic, pool": bnjit.BIC(sparse="pool"),
    "bic, local": bnjit.BIC(penalty="local"),
    "marginal": bnjit.MarginalLikelihood(),
    "pred, plugin": bnjit.HeldOut(),
    "pred, bayes": bnjit.HeldOut(density="bayes"),
    "pred, bayes, per arc": bnjit.HeldOut(density="bayes"),
    "cv, bayes, one_se": bnjit.CrossValidation(density="bayes", one_se=True),
}


class PerArc:
    """A held-out score, less half a logarithm of the number of test rows for every parent."""

    name = "per arc"

    def __init__(self, frame: pd.DataFrame, score: bnjit.HeldOut, seed: int) -> None:
        train, test = read_tables(frame, score, seed, ((), None, None, None))
        self.scorer: Scorer = make_scorer(train, score, test=test)
        self.each = 0.5 * math.log(test.n)

    def local_scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> list[float]:
        sets = make_sets(parent_sets)
        return list(self.scorer.local_scores(batch_of(node, sets)) - self.each * sets.sizes)


def draw(data: str, levels: int, n: int, seed: int) -> tuple[pd.DataFrame, bnjit.Network]:
    if data == "alarm":
        network = true_network("alarm")
    else:
        network = bnjit.datasets.random_network(
            "cgaussian", 15, parents=2.0, levels=levels, share_discrete=1 / 3, rows=1e4, seed=seed
        )
    return network.sample(n, seed=seed), network


def measure(data: str, levels: int, n: int, seed: int, name: str) -> dict[str, Any]:
    frame, network = draw(data, levels, n, seed)
    score = SCORES[name]
    if name.endswith("per arc"):
        score = PerArc(frame, score, seed)
    own = {} if isinstance(score, PerArc) else {"seed": seed}
    began = time.perf_counter()
    result = bnjit.learn(frame, score, bnjit.HillClimbing(exchange=True), progress=False, **own)
    seconds = time.perf_counter() - began
    found = bnjit.compare(result, network)
    return {"data": data, "levels": levels, "rows": n, "draw": seed, "score": name, "shd": found.shd,
            "missing": len(found.missing), "extra": len(found.extra), "seconds": seconds}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--rows", default="500,2000,20000,200000")
    parser.add_argument("--levels", default="4,12")
    parser.add_argument("--only", default="mixed,alarm")
    parser.add_argument("--out", type=Path, default=Path("figures"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "scores.csv"
    table = pd.read_csv(path) if path.exists() else pd.DataFrame()
    done = set(zip(*(table[c] for c in ("data", "levels", "rows", "draw", "score")), strict=True)) if len(table) else ()
    for n in map(int, given.rows.split(",")):
        for data, levels in [(d, k) for d in given.only.split(",") for k in map(int, given.levels.split(","))]:
            if data == "alarm" and (levels != int(given.levels.split(",")[0]) or n > 20_000):
                continue  # its levels are its own
            for seed in range(1, given.draws + 1):
                for name in SCORES:
                    if data == "alarm" and name in ("bic, pool", "bic, local"):
                        continue  # discrete nodes have bic's
                    if (data, levels, n, seed, name) not in done:
                        row = measure(data, levels, n, seed, name)
                        table = pd.concat([table, pd.DataFrame([row])], ignore_index=True)
                        table.to_csv(path, index=False, float_format="%.6g")
    means = table.pivot_table(index=["data", "levels", "rows"], columns="score", values="shd")
    means = means[[name for name in SCORES if name in means]].round(1).reset_index()
    means.to_csv(given.out / "scores_mean.csv", index=False)
    print(means.to_string(index=False))


if __name__ == "__main__":
    main()
