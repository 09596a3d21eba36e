"""What is measured: estimators, sizes and repetitions, and the list of measurements that follows from them."""

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from bnjit.paper.protocols import PROTOCOLS

TABLES = ("AIRLINE", "GAS", "HEPMASS", "HIGGS", "SUSY")
PAPER_ROWS = {
    "AIRLINE": 53_600_000, "GAS": 4_200_000, "HEPMASS": 10_500_000, "HIGGS": 11_000_000, "SUSY": 5_000_000
}  # fmt: skip
MOST_PARENTS = 5  # of a node of the tables, as in the paper
CURVE_RUNS = 1  # of each point of the curves of complexity
THREADED = ("2P", "STATS")  # estimators that are timed with all threads as well
REGRESSION_PARENTS = range(7)  # of the local distributions whose cost is measured


class Estimator(NamedTuple):
    """How a bar of Figures 2 and 3 is learned, and how it is drawn; the colours are those of Okabe and Ito."""

    estimator: str
    score: str
    colour: str
    hatch: str


ESTIMATORS = {
    "QR": Estimator("qr", "bic", "#0072B2", ""),
    "1P": Estimator("1p", "bic", "#CC79A7", ""),
    "2P": Estimator("2p", "bic", "#009E73", ""),
    "PRED": Estimator("2p", "pred", "#D55E00", ""),
    "STATS": Estimator("stats", "bic", "#E69F00", "///"),
    "STATS PRED": Estimator("stats", "pred", "#56B4E9", "\\\\\\"),
}


class Scale(NamedTuple):
    """How much is measured.

    Attributes
    ----------
    sizes : tuple of int
        Sample sizes of MEHRA whose searches are timed, by every estimator.
    samples, runs : int
        Samples of each size, and searches of each sample by each estimator.
    budgets : dict
        Seconds of searches that a figure may take in all; runs are added until then, or until intervals are narrow.
    accuracy : tuple of (int, int, tuple of str)
        Sizes of Table 1, with the number of samples and the protocols of each.
    splits : int
        Splits of each sample into training and test rows, where a protocol has test rows.
    rows : int, optional
        Rows of each table of Table 2; None for the whole.
    table_runs : int
        Searches of each such table by each estimator.
    row_sizes : tuple of int
        Sample sizes of MEHRA that show how time grows with the number of rows.
    nodes : tuple of int
        Sizes of the Gaussian networks that show how time grows with the number of nodes.
    node_rows, regression_rows : int
        Rows drawn from these networks, and of the regressions that show the cost by number of parents.
    """

    sizes: tuple[int, ...]
    samples: int
    runs: int
    budgets: dict[str, float]
    accuracy: tuple[tuple[int, int, tuple[str, ...]], ...]
    splits: int
    rows: int | None
    table_runs: int
    row_sizes: tuple[int, ...]
    nodes: tuple[int, ...]
    node_rows: int
    regression_rows: int


MILLION = 1_000_000
TOO_LONG = ("exchange", "pred-pool", "marginal", "local-truth")  # for a quick run
QUICK = tuple(name for name in PROTOCOLS if name not in TOO_LONG)
SCALES = {
    "quick": Scale(
        sizes=(100_000,), samples=6, runs=2, budgets={"fig2": 95.0, "fig3": 12.0},
        accuracy=((100_000, 1, QUICK),), splits=1, rows=10_000, table_runs=3, row_sizes=(10_000, 30_000, 100_000),
        nodes=(10, 20, 40, 80), node_rows=10_000, regression_rows=100_000,
    ),
    "paper": Scale(
        sizes=tuple(MILLION * millions for millions in (1, 2, 5, 10, 20, 50)), samples=5, runs=5,
        budgets={"fig2": 4 * 3600.0, "fig3": 2 * 3600.0},
        accuracy=tuple((n, 5, tuple(PROTOCOLS)) for n in (300_000, MILLION, 2 * MILLION, 5 * MILLION)),
        splits=1, rows=None, table_runs=5,
        row_sizes=tuple(MILLION * millions for millions in (1, 2, 5)), nodes=(10, 20, 40, 80),
        node_rows=100_000, regression_rows=MILLION,
    ),
}  # fmt: skip


class Measurement(NamedTuple):
    """One measurement.

    A timed search; for experiment "parents" a local distribution with exactly `parents` parents; for "accuracy" a
    search that is not compared by its time, whose `estimator` is a protocol and whose `run` is a split. The first four
    fields name the rows that it is made on. `threads` is 0 where their number does not matter.
    """

    experiment: str
    data: str
    n: int
    sample: int
    run: int
    estimator: str
    knowledge: bool
    parents: int | None = None
    threads: int = 1


def plan(what: Iterable[str], scale: Scale, knowledge: bool, threads: int = 1) -> list[Measurement]:
    """Measurements that figures and tables need, each once, in a fixed order; `threads` is the most that there are."""
    makers: dict[str, Callable[[], list[Measurement]]] = {
        "fig2": lambda: _fig2(scale, knowledge), "threads": lambda: _threads(scale, knowledge, threads),
        "table1": lambda: _table1(scale, knowledge), "fig3": lambda: _tables(scale, scale.table_runs, ESTIMATORS),
        "table2": lambda: _tables(scale, 1, ["STATS"]), "complexity": lambda: _complexity(scale, knowledge),
    }  # fmt: skip
    return list(dict.fromkeys(m for name in what if name in makers for m in makers[name]()))


def shuffled(measurements: Sequence[Measurement], seed: int) -> list[tuple[Measurement, list[Measurement]]]:
    """Samples in random order, each with its measurements run by run, in random order; the same for the same seed.

    Other load and the temperature of the machine then affect all estimators alike, and a search and QR's of the same
    run are near each other in time. Searches that are not timed come last, small samples first.
    """
    rng = random.Random(seed)
    by_sample = groupby(sorted(measurements, key=repr), lambda measurement: measurement[:4])
    groups = [list(found) for _, found in by_sample]
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
        group.sort(key=lambda measurement: measurement.run)
    groups.sort(key=lambda group: (group[0].n, group[0].sample) if group[0].experiment == "accuracy" else (0, 0))
    return [(group[0], group) for group in groups]


def seed_of(seed: int, measurement: Measurement, run: bool = False) -> int:
    """Seed of the rows of a measurement or, for each run anew, of its test rows; no two samples share rows."""
    text = f"{measurement.experiment} {measurement.data}".encode()
    words = [seed, measurement.n, measurement.sample, *((1, measurement.run) if run else (0,)), *text]
    return int(np.random.SeedSequence(words).generate_state(1)[0])


def _mehra(
    n: int, samples: int, runs: int, estimators: Iterable[str], knowledge: bool, threads: int = 1
) -> list[Measurement]:
    return [
        Measurement("mehra", "MEHRA", n, sample, run, name, knowledge, threads=threads)
        for sample in range(samples) for run in range(runs) for name in estimators
    ]  # fmt: skip


def _fig2(scale: Scale, knowledge: bool) -> list[Measurement]:
    return [m for n in scale.sizes for m in _mehra(n, scale.samples, scale.runs, ESTIMATORS, knowledge)]


def _threads(scale: Scale, knowledge: bool, threads: int) -> list[Measurement]:
    n, samples = min(scale.sizes), min(3, scale.samples)
    return [m for k in (1, threads) for m in _mehra(n, samples, scale.runs, THREADED, knowledge, k)]


def _table1(scale: Scale, knowledge: bool) -> list[Measurement]:
    least = min(n for n, _, _ in scale.accuracy)
    return [
        Measurement("accuracy", "MEHRA", n, sample, split, name, known, threads=0)
        for n, samples, protocols in scale.accuracy for name in protocols
        for known in _knowledge(name, knowledge, n == least)
        for sample in range(samples) for split in range(scale.splits if PROTOCOLS[name].score == "pred" else 1)
    ]  # fmt: skip


def _knowledge(protocol: str, knowledge: bool, is_least: bool) -> tuple[bool, ...]:
    """Without knowledge as well, so that the reader sees what it changes: at the smallest size, by some protocols."""
    if not knowledge:
        return (False,)
    return (True, False) if is_least and PROTOCOLS[protocol].without_knowledge else (True,)


def _tables(scale: Scale, runs: int, estimators: Iterable[str]) -> list[Measurement]:
    return [
        Measurement("table2", data, scale.rows or PAPER_ROWS[data], 0, run, name, False, MOST_PARENTS)
        for data in TABLES for run in range(runs) for name in estimators
    ]  # fmt: skip


def _complexity(scale: Scale, knowledge: bool) -> list[Measurement]:
    names = ("QR", "2P", "STATS")
    by_rows = [m for n in scale.row_sizes for m in _mehra(n, min(2, scale.samples), 1, names, knowledge)]
    by_nodes = [
        Measurement("nodes", f"Gaussian {nodes}", scale.node_rows, 0, run, name, False)
        for nodes in scale.nodes for run in range(CURVE_RUNS) for name in names
    ]  # fmt: skip
    by_parents = [
        Measurement("parents", "regression", scale.regression_rows, 0, run, name, False, parents)
        for parents in REGRESSION_PARENTS for run in range(CURVE_RUNS) for name in ("QR", "2P")
    ]  # fmt: skip
    return by_rows + by_nodes + by_parents
