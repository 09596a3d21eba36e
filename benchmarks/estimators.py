"""Learn MEHRA by every estimator: the paper's QR, 1P, 2P and PRED, sufficient statistics, and bnlearn-port.

BNJIT_DATA=folder python benchmarks/estimators.py [--rows 1000000] [--threads 2] [--repeats 3]: prints a table of the
best times, warm and in one process, turn by turn; the last lines say how much faster 1P, 2P and PRED are than QR, and
what the paper says. Without the real network (mehra-complete.rda in BNJIT_DATA) rows come from datasets.mehra_like,
with the background knowledge of `bnjit reproduce`; with it there is none. Needs bnlearn-port, or --no-bnlearn.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

import bnjit
from bnjit.paper.measure import arcs_into_place_and_time
from bnjit.paper.plan import ESTIMATORS

PAPER = {"1P": 20, "2P": 25, "PRED": 60}  # percent faster than QR, on MEHRA
WARM_ROWS = 3_000


def sample(rows: int) -> tuple[str, pd.DataFrame, list | None]:
    """Name of the network, rows drawn from it, and the arcs that nobody may use."""
    real = Path(os.environ.get("BNJIT_DATA", "")) / "mehra-complete.rda"
    if os.environ.get("BNJIT_DATA") and real.exists():
        return "MEHRA", bnjit.read_network(real).sample(rows, seed=1), None
    network = bnjit.datasets.mehra_like()
    return "mehra_like", network.sample(rows, seed=1), arcs_into_place_and_time(network.names)


def learner(name: str, blacklist: list | None, threads: int | None) -> Callable[[pd.DataFrame], tuple[int, int | None]]:
    """What learns a table: arcs, and how many local distributions it estimated."""
    if name == "bnlearn":
        import pybnlearn

        return lambda frame: (len(pybnlearn.arcs(pybnlearn.hc(frame, score="bic-cg", blacklist=blacklist))), None)
    estimator = ESTIMATORS[name]

    def learn(frame: pd.DataFrame) -> tuple[int, int | None]:
        result = bnjit.learn(
            frame,
            estimator.score,
            blacklist=blacklist,
            estimator=estimator.estimator,
            seed=1,
            n_threads=threads,
            progress=False,
        )
        return result.dag.number_of_edges(), result.n_local_scores

    return learn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows to draw (default 1,000,000)")
    parser.add_argument("--threads", type=int, help="threads of bnjit (default: as many as the machine has)")
    parser.add_argument("--repeats", type=int, default=3, help="turns, of which the best counts (default 3)")
    parser.add_argument("--no-bnlearn", action="store_true", help="leave bnlearn out, which takes longest")
    arguments = parser.parse_args()
    network, frame, blacklist = sample(arguments.rows)
    names = [*ESTIMATORS, *([] if arguments.no_bnlearn else ["bnlearn"])]
    learners = {name: learner(name, blacklist, arguments.threads) for name in names}
    best: dict[str, tuple[float, tuple[int, int | None]]] = {}
    for learn in learners.values():
        learn(frame.iloc[:WARM_ROWS])
    for turn in range(arguments.repeats):
        for name, learn in learners.items():
            if name == "bnlearn" and turn > 0:
                continue
            began = time.perf_counter()
            found = learn(frame)
            seconds = time.perf_counter() - began
            best[name] = min(best.get(name, (seconds, found)), (seconds, found), key=lambda pair: pair[0])
    qr = best["QR"][0]
    table = pd.DataFrame(
        [
            {
                "estimator": name,
                "seconds": round(seconds, 3),
                "of QR": round(seconds / qr, 3),
                "arcs": arcs,
                "fits": fits,
            }
            for name, (seconds, (arcs, fits)) in best.items()
        ]
    ).astype({"fits": "Int64"})
    print(f"{network}, {arguments.rows:,} rows")
    print(table.to_string(index=False))
    for name, percent in PAPER.items():
        print(f"{name} is {100 * (1 - best[name][0] / qr):.0f} % faster than QR (the paper: {percent} %)")


if __name__ == "__main__":
    main()
