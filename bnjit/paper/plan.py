"""What is measured: estimators, sizes and repetitions, and the list of measurements that follows from them."""

import random
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

TABLES = ("AIRLINE", "GAS", "HEPMASS", "HIGGS", "SUSY")
PAPER_ROWS = {
    "AIRLINE": 53_600_000, "GAS": 4_200_000, "HEPMASS": 10_500_000, "HIGGS": 11_000_000, "SUSY": 5_000_000
}  # fmt: skip
MOST_PARENTS = 5  # of a node of the tables, as in the paper
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
        Sample sizes of MEHRA, learned by every estimator.
    samples, runs : int
        Samples of each size, and searches of each sample by each estimator.
    larger : tuple of (int, int)
        Further sizes and their numbers of samples, for Table 1 alone, which needs only the fastest estimators.
    rows : int, optional
        Rows of each table of Table 2; None for the whole.
    table_runs : int
        Searches of each such table by each estimator.
    nodes : tuple of int
        Sizes of the Gaussian networks that show how time grows with the number of nodes.
    node_rows, regression_rows : int
        Rows drawn from these networks, and of the regressions that show the cost by number of parents.
    """

    sizes: tuple[int, ...]
    samples: int
    runs: int
    larger: tuple[tuple[int, int], ...]
    rows: int | None
    table_runs: int
    nodes: tuple[int, ...]
    node_rows: int
    regression_rows: int


SCALES = {
    "quick": Scale(
        sizes=(10_000, 30_000, 100_000), samples=2, runs=1, larger=((300_000, 1), (1_000_000, 1)), rows=20_000,
        table_runs=1, nodes=(10, 20, 40, 80), node_rows=10_000, regression_rows=100_000,
    ),
    "paper": Scale(
        sizes=tuple(1_000_000 * millions for millions in (1, 2, 5, 10, 20, 50)), samples=5, runs=5, larger=(),
        rows=None, table_runs=5, nodes=(10, 20, 40, 80), node_rows=1_000_000, regression_rows=1_000_000,
    ),
}  # fmt: skip


class Measurement(NamedTuple):
    """One measurement: a search, or for experiment "parents" a local distribution with exactly `parents` parents.

    The first four fields name the rows that it is made on.
    """

    experiment: str
    data: str
    n: int
    sample: int
    run: int
    estimator: str
    knowledge: bool
    parents: int | None = None


def plan(what: Iterable[str], scale: Scale, knowledge: bool) -> list[Measurement]:
    """Measurements that figures and tables need, each once, in a fixed order."""
    makers = {"fig2": _fig2, "table1": _table1, "fig3": _fig3, "table2": _table2, "complexity": _complexity}
    return list(dict.fromkeys(m for name in what if name in makers for m in makers[name](scale, knowledge)))


def shuffled(measurements: Sequence[Measurement], seed: int) -> list[tuple[Measurement, list[Measurement]]]:
    """Samples in random order, each with its measurements in random order; the same for the same seed.

    Other load and the temperature of the machine then affect all estimators alike.
    """
    rng = random.Random(seed)
    by_sample = groupby(sorted(measurements, key=repr), lambda measurement: measurement[:4])
    groups = [(group[0], group) for group in (list(found) for _, found in by_sample)]
    rng.shuffle(groups)
    for _, group in groups:
        rng.shuffle(group)
    return groups


def seed_of(seed: int, measurement: Measurement, run: bool = False) -> int:
    """Seed of the rows of a measurement or, for each run anew, of its test rows; no two samples share rows."""
    text = f"{measurement.experiment} {measurement.data}".encode()
    words = [seed, measurement.n, measurement.sample, *((1, measurement.run) if run else (0,)), *text]
    return int(np.random.SeedSequence(words).generate_state(1)[0])


def _mehra(n: int, samples: int, runs: int, estimators: Iterable[str], knowledge: bool) -> list[Measurement]:
    return [
        Measurement("mehra", "MEHRA", n, sample, run, name, knowledge)
        for sample in range(samples) for run in range(runs) for name in estimators
    ]  # fmt: skip


def _fig2(scale: Scale, knowledge: bool) -> list[Measurement]:
    return [m for n in scale.sizes for m in _mehra(n, scale.samples, scale.runs, ESTIMATORS, knowledge)]


def _table1(scale: Scale, knowledge: bool) -> list[Measurement]:
    sizes = (*((n, scale.samples) for n in scale.sizes), *scale.larger)
    names = ("STATS", "STATS PRED")
    # Without knowledge as well, so that the reader sees what it changes.
    return [m for known in (knowledge, False) for n, samples in sizes for m in _mehra(n, samples, 1, names, known)]


def _tables(scale: Scale, runs: int, estimators: Iterable[str]) -> list[Measurement]:
    return [
        Measurement("table2", data, scale.rows or PAPER_ROWS[data], 0, run, name, False, MOST_PARENTS)
        for data in TABLES for run in range(runs) for name in estimators
    ]  # fmt: skip


def _fig3(scale: Scale, knowledge: bool) -> list[Measurement]:
    return _tables(scale, scale.table_runs, ESTIMATORS)


def _table2(scale: Scale, knowledge: bool) -> list[Measurement]:
    return _tables(scale, 1, ["STATS"])


def _complexity(scale: Scale, knowledge: bool) -> list[Measurement]:
    names = ("QR", "2P", "STATS")
    by_rows = [m for n in scale.sizes for m in _mehra(n, scale.samples, scale.runs, names, knowledge)]
    by_nodes = [
        Measurement("nodes", f"Gaussian {nodes}", scale.node_rows, 0, run, name, False)
        for nodes in scale.nodes for run in range(scale.table_runs) for name in names
    ]  # fmt: skip
    by_parents = [
        Measurement("parents", "regression", scale.regression_rows, 0, run, name, False, parents)
        for parents in REGRESSION_PARENTS for run in range(scale.table_runs) for name in ("QR", "2P")
    ]  # fmt: skip
    return by_rows + by_nodes + by_parents
