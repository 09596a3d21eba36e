"""Queries against pyAgrum, and predictions from rows with gaps.

python benchmarks/queries.py FOLDER [--out figures/queries.csv]: FOLDER has networks as .bif. Marginals of every node
that is not known, given ten of them, drawn at random with a sampled row; means over three draws, warm. pyAgrum's time
is that of LazyPropagation, from making it to the last posterior. `difference` is the largest one between
probabilities. A row without a time of pyAgrum is 100,000 rows of predict, with 30 % of all cells missing.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

import bnjit

NETWORKS = ("asia", "alarm", "insurance", "hailfinder", "win95pts", "andes", "munin1")
DRAWS, KNOWN, ROWS, GAPS = 3, 10, 100_000, 0.3
HEADER = ("network", "what", "bnjit", "pyAgrum", "times bnjit's", "difference")


def ask_pyagrum(model, given):
    """Marginals by pyAgrum, as arrays by node and level."""
    import pyagrum

    engine = pyagrum.LazyPropagation(model)
    engine.setEvidence({name: str(level) for name, level in given.items()})
    engine.makeInference()
    return {name: engine.posterior(name).toarray() for name in model.names() if name not in given}


def compare(path):
    """Row of the table for one network: mean times and the largest difference."""
    import pyagrum

    network, model = bnjit.read_network(path), pyagrum.loadBN(str(path))
    rng, rows = np.random.default_rng(1), network.sample(DRAWS, seed=5)
    times, worst = [], 0.0
    for draw in range(DRAWS):
        names = rng.choice(network.names, min(KNOWN, len(network.names) // 2), replace=False)
        given = {name: rows[name].iloc[draw] for name in names}
        network.marginals(given)
        start = time.perf_counter()
        ours = network.marginals(given)
        middle = time.perf_counter()
        theirs = ask_pyagrum(model, given)
        times.append((middle - start, time.perf_counter() - middle))
        for name, answer in ours.items():
            order = [str(label) for label in model.variable(name).labels()]
            shares = dict(zip(map(str, answer.index), answer, strict=True))
            worst = max(worst, float(np.abs([shares[label] for label in order] - theirs[name]).max()))
    own, other = np.mean(times, axis=0)
    return [path.stem, "marginals", own, other, other / own, worst]


def predict_with_gaps(path):
    """Row of the table: the node of a network that takes longest to predict."""
    network = bnjit.read_network(path)
    table = network.sample(ROWS, seed=1)
    table = table.mask(np.random.default_rng(0).random(table.shape) < GAPS)
    times = {}
    for name in network.names:
        network.predict(table[:10], name)
        start = time.perf_counter()
        network.predict(table, name)
        times[name] = time.perf_counter() - start
    slowest = max(times, key=lambda name: times[name])
    return [path.stem, f"predict {slowest}", times[slowest], "", "", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--out", type=Path, default=Path("figures/queries.csv"))
    arguments = parser.parse_args()
    rows = [compare(arguments.folder / f"{name}.bif") for name in arguments.networks]
    rows.append(predict_with_gaps(arguments.folder / "alarm.bif"))
    with arguments.out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows([f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    for row in rows:
        print(*row)


if __name__ == "__main__":
    main()
