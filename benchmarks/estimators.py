"""Cost of a batch of local scores by estimator: sufficient statistics against the paper's QR, 1P and 2P.

python benchmarks/estimators.py [--rows 1000000] [--out figures]: prints a table, writes it with a figure to the folder,
and prints the ratio last. Times are the best of three, warm, in one process.
"""

import argparse
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from bnjit.data import Table, read_table
from bnjit.scores import METHODS, make_scorer

COLOURS = {"qr": "#0072B2", "1p": "#CC79A7", "2p": "#009E73", "stats": "#E69F00"}


def mixed_table(n: int, seed: int = 1) -> Table:
    """Four discrete and twelve continuous columns; each number depends on two earlier ones and a label."""
    rng = np.random.default_rng(seed)
    labels = [rng.integers(0, levels, n) for levels in (3, 6, 12, 24)]
    numbers: list[np.ndarray] = []
    for i in range(12):
        value = rng.normal(size=n) + rng.normal(size=24)[labels[i % 4]]
        for parent in numbers[-2:]:
            value += rng.normal() * parent
        numbers.append(value)
    columns = {f"D{i}": pd.Categorical(values.astype(str)) for i, values in enumerate(labels)}
    return read_table(pd.DataFrame({**columns, **{f"X{i}": values for i, values in enumerate(numbers)}}))


def batches(table: Table) -> list[tuple[int, list[tuple[int, ...]]]]:
    """What a search asks: a node's parents and each further column, for up to three parents so far."""
    rng = np.random.default_rng(2)
    asked = []
    for node in table.continuous:
        others = [v for v in range(len(table.names)) if v != node]
        for size in range(4):
            parents = rng.choice(others, size, replace=False).tolist()
            asked.append((node, [(*parents, v) for v in others if v not in parents]))
    return asked


def best_time(table: Table, method: str, asked: list) -> tuple[float, np.ndarray]:
    times, scores = [], np.empty(0)
    for _ in range(3):
        scorer = make_scorer(table, "bic", method)
        start = time.perf_counter()
        scores = np.concatenate([scorer.local_scores(node, sets) for node, sets in asked])
        times.append(time.perf_counter() - start)
    return min(times), scores


def draw(result: pd.DataFrame, rows: int, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
    bars = axes.barh(result["method"], result["seconds"], color=[COLOURS[m] for m in result["method"]])
    axes.bar_label(bars, [f"{s:.2f} s" for s in result["seconds"]], padding=3)
    axes.invert_yaxis()
    axes.set_xlim(right=1.15 * result["seconds"].max())
    axes.set_xlabel("seconds for all batches (best of 3)")
    axes.set_title(f"{result['scores'].iloc[0]:,} local scores, {rows:,} rows", loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    plt.switch_backend("Agg")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the generated table (default 1,000,000)")
    parser.add_argument(
        "--out", type=Path, default=Path("figures"), help="folder for table and figure (default figures)"
    )
    arguments = parser.parse_args()
    table = mixed_table(arguments.rows)
    asked = batches(table)
    small = table.take(np.arange(table.n) < 5_000)
    results, reference = [], None
    for method in ("qr", "1p", "2p", "stats"):
        best_time(small, method, asked)  # compile
        seconds, scores = best_time(table, method, asked)
        reference = scores if reference is None else reference
        finite = np.isfinite(reference)
        difference = np.max(np.abs(scores[finite] / reference[finite] - 1.0))
        results.append(
            {"method": method, "scores": len(scores), "seconds": seconds, "largest relative difference": difference}
        )
    assert set(METHODS) == {row["method"] for row in results}
    result = pd.DataFrame(results)
    arguments.out.mkdir(parents=True, exist_ok=True)
    result.to_csv(arguments.out / "estimators.csv", index=False)
    draw(result, arguments.rows, arguments.out / "estimators.png")
    print(result.to_string(index=False))
    seconds = result.set_index("method")["seconds"]
    print(f"stats is {seconds['qr'] / seconds['stats']:.1f} times as fast as qr")


if __name__ == "__main__":
    main()
