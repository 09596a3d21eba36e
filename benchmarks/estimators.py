"""Learn MEHRA by every estimator: the paper's QR, 1P, 2P and PRED, sufficient statistics, and bnlearn-port.

BNJIT_DATA=folder python benchmarks/estimators.py [--rows 300000] [--threads 1] [--repeats 3] [--no-knowledge]: prints
processor time, in all and for one local distribution, since PRED does not walk the way that BIC does; then the time of
one local distribution by its number of continuous parents. Times are the best of several turns, warm and in one
process, turn by turn. The last lines say how much faster 1P, 2P and PRED are than QR, and what the paper says. Arcs
into place and time are forbidden as in `bnjit reproduce`, unless --no-knowledge is given. Rows come from the real
network if mehra-complete.rda is in BNJIT_DATA, else from datasets.mehra_like. Needs bnlearn-port, or --no-bnlearn.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

import bnjit
from bnjit.paper.plan import ESTIMATORS
from bnjit.paper.sources import mehra_network
from bnjit.paper.timing import arcs_into_place_and_time
from bnjit.scores import estimators

PAPER = {"1P": 20, "2P": 25, "PRED": 60}  # percent faster than QR, on MEHRA
WARM_ROWS = 3_000
MOST_SHOWN = 6  # continuous parents with a row of their own


class Learned(NamedTuple):
    """What a turn took, in seconds, and found."""

    processor: float
    wall: float
    arcs: int
    fits: int | None
    calls: list[tuple[int, float]]  # continuous parents of each regression, and its processor time


def learner(name: str, blacklist: list | None, threads: int) -> Callable[[pd.DataFrame], tuple[int, int | None]]:
    """What learns a table: arcs, and how many local distributions it estimated."""
    if name == "bnlearn":
        import pybnlearn

        return lambda frame: (len(pybnlearn.arcs(pybnlearn.hc(frame, score="bic-cg", blacklist=blacklist))), None)
    how = ESTIMATORS[name]

    def learn(frame: pd.DataFrame) -> tuple[int, int | None]:
        result = bnjit.learn(
            frame, how.score, blacklist=blacklist, estimator=how.estimator, seed=1, n_threads=threads, progress=False
        )
        return result.dag.number_of_edges(), result.n_local_scores

    return learn


def timed(learn: Callable[[pd.DataFrame], tuple[int, int | None]], frame: pd.DataFrame) -> Learned:
    """Learn once, and take the time of every regression on the way."""
    calls: list[tuple[int, float]] = []
    estimate = estimators.estimate

    def timed_estimate(*arguments: Any) -> float:
        began = time.thread_time()
        score = estimate(*arguments)
        calls.append((len(arguments[3]) - 1, time.thread_time() - began))
        return score

    estimators.estimate = timed_estimate
    try:
        wall, processor = time.perf_counter(), time.process_time()
        arcs, fits = learn(frame)
        return Learned(time.process_time() - processor, time.perf_counter() - wall, arcs, fits, calls)
    finally:
        estimators.estimate = estimate


def whole_searches(best: dict[str, Learned]) -> pd.DataFrame:
    """Times of the searches, and of one local distribution, which includes those that counts alone rule out."""
    qr = best["QR"]
    rows = []
    for name, one in best.items():
        row = {"estimator": name, "processor s": one.processor, "wall s": one.wall, "arcs": one.arcs, "fits": one.fits}
        row["of QR"] = one.processor / qr.processor
        if one.fits:
            row["ms a fit"] = 1e3 * one.processor / one.fits
            row["of QR a fit"] = one.processor / one.fits / (qr.processor / qr.fits)
        rows.append(row)
    return pd.DataFrame(rows).astype({"fits": "Int64"}).round(3)


def by_parents(best: dict[str, Learned]) -> pd.DataFrame:
    """Milliseconds of one regression by number of continuous parents, and how many there were."""
    columns: dict[str, dict[str, str]] = defaultdict(dict)
    for name, one in best.items():
        for g in range(MOST_SHOWN + 1):
            some = [seconds for parents, seconds in one.calls if min(parents, MOST_SHOWN) == g]
            if some:
                label = f"{g}" if g < MOST_SHOWN else f"{g} and more"
                columns[name][label] = f"{1e3 * sum(some) / len(some):.2f} ({len(some)})"
    return pd.DataFrame(columns).rename_axis("continuous parents")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300_000, help="rows to draw (default 300,000)")
    parser.add_argument("--threads", type=int, default=1, help="threads of bnjit (default 1, as in the paper)")
    parser.add_argument("--repeats", type=int, default=3, help="turns, of which the best counts (default 3)")
    parser.add_argument("--no-knowledge", action="store_true", help="allow arcs into place and time")
    parser.add_argument("--no-bnlearn", action="store_true", help="leave bnlearn out, which takes longest")
    arguments = parser.parse_args()
    network = mehra_network()
    frame = network.sample(arguments.rows, seed=1)
    blacklist = None if arguments.no_knowledge else arcs_into_place_and_time(network.names)
    names = [*ESTIMATORS, *([] if arguments.no_bnlearn else ["bnlearn"])]
    learners = {name: learner(name, blacklist, arguments.threads) for name in names}
    for learn in learners.values():
        learn(frame.iloc[:WARM_ROWS])
    best: dict[str, Learned] = {}
    for turn in range(arguments.repeats):
        for name, learn in learners.items():
            if name == "bnlearn" and turn > 0:
                continue
            found = timed(learn, frame)
            best[name] = min(best.get(name, found), found, key=lambda one: one.processor)
    print(f"MEHRA, {arguments.rows:,} rows, {arguments.threads} threads")
    print(whole_searches(best).to_string(index=False))
    print("\nMilliseconds of one regression (how many), without those that counts alone rule out")
    print(by_parents(best).to_string())
    cost = {name: one.processor / one.fits for name, one in best.items() if one.fits}
    for name, percent in PAPER.items():
        saved = 100 * (1 - cost[name] / cost["QR"])
        print(f"{name} is {saved:.0f} % faster than QR for one local distribution (the paper: {percent} %)")


if __name__ == "__main__":
    main()
