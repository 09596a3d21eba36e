"""How many local scores score equivalence would save beyond nodes without parents, and where it does not hold.

python benchmarks/score_equivalence.py [--rows 100000] [--tables 60] [--out figures]

A score that equivalent graphs share makes two further kinds of differences equal: adding i -> j and adding j -> i where
i and j have the same parents; and, if i -> j is there and j has no other parents than i and those of i, deleting i -> j
and, with the other sign, adding j -> i. This counts both while hill climbing and tabu search run, and compares the two
numbers wherever one of them could have been copied. Near copies are small Gaussian tables in which a column is nearly a
sum of others, or nearly another one: there bnlearn's rules for singular regressions decide, which know the order of
parents and do not know equivalence. Keeps the table in the folder; about a minute.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from peers import true_network

import bnjit
from bnjit import datasets
from bnjit.search.state import State


def count(state: State, refresh: Callable[[State], None], counts: Counter[str]) -> None:
    """Refresh the differences of a state, and count those that were known from another one."""
    stale = set(state._stale)
    refresh(state)
    if not state.scores.equivalent:
        return
    parents = [set(state.parents(v)) for v in range(len(state.arcs))]
    for j in stale:
        for i in range(len(parents)):
            if i == j or (i in stale and i < j) or not np.isfinite(state.delta[[i, j], [j, i]]).all():
                continue
            same = parents[i] == parents[j] and bool(parents[i])
            covered = parents[j] == parents[i] | {i} or parents[i] == parents[j] | {j}
            if same or covered:
                counts["saved"] += 1
                other = state.delta[j, i] if same else -state.delta[j, i]
                counts["differ"] += bool(abs(state.delta[i, j] - other) > max(state.tolerance, 1e-9 * abs(other)))


def near_copies(seed: int) -> pd.DataFrame:
    """Six continuous columns, one nearly a sum of two others and one nearly a copy."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([30, 200, 2000]))
    x = rng.normal(size=(n, 6))
    for j in range(1, 6):
        for p in range(j):
            x[:, j] += (rng.random() < 0.5) * rng.normal() * x[:, p]
    x[:, 4] = x[:, 1] + x[:, 2] + 10.0 ** -rng.integers(3, 13) * rng.normal(size=n)
    x[:, 5] = x[:, 0] * (1.0 + 10.0 ** -rng.integers(3, 13) * rng.normal(size=n))
    return pd.DataFrame(x, columns=list("abcdef"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--tables", type=int, default=60, help="tables with near copies")
    parser.add_argument("--out", type=Path, default=Path("figures"))
    given = parser.parse_args()
    networks = {
        "Gaussian, 37 nodes": true_network("gaussian"),
        "Gaussian, 100 nodes": datasets.random_network("gaussian", 100, parents=1.5, rows=1e4, seed=1),
        "ALARM, 37 discrete nodes": true_network("alarm"),
    }
    tables = {name: [network.sample(given.rows, seed=1)] for name, network in networks.items()}
    tables["near copies, 6 nodes"] = [near_copies(seed) for seed in range(given.tables)]
    refresh = State.refresh
    lines = []
    for name, frames in tables.items():
        for algorithm in ("hc", "tabu"):
            counts: Counter[str] = Counter()
            with patch.object(State, "refresh", lambda state, counts=counts: count(state, refresh, counts)):
                scores = sum(bnjit.learn(f, algorithm=algorithm, progress=False).n_local_scores for f in frames)
            lines.append(
                {
                    "data": name, "algorithm": algorithm, "local scores": scores, "could be copied": counts["saved"],
                    "share": counts["saved"] / scores, "would differ": counts["differ"],
                }
            )  # fmt: skip
            print(lines[-1], flush=True)
    pd.DataFrame(lines).to_csv(given.out / "score_equivalence.csv", index=False)


if __name__ == "__main__":
    main()
