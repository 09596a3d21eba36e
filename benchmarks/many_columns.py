"""Searches with many columns: time and memory of hill climbing as the number of columns grows.

python benchmarks/many_columns.py: a Gaussian network with up to 1,000 columns and 5,000 rows, and a discrete one with
up to 300 columns and 20,000 rows; prints a table and, last, the log-log slopes in the number of columns.
"""

import resource
import time

import numpy as np
import pandas as pd

import bnjit


def random_parents(N: int, rng: np.random.Generator) -> list[np.ndarray]:
    """One or two parents on average, from the twenty columns before."""
    return [rng.choice(np.arange(max(0, j - 20), j), min(j, int(rng.integers(0, 4))), replace=False) for j in range(N)]


def gaussian(N: int, n: int, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for parents in random_parents(N, rng):
        value = rng.normal(size=n)
        for p in parents:
            value += rng.uniform(0.3, 1.0) * rng.choice([-1, 1]) * columns[p] / columns[p].std()
        columns.append(value)
    return pd.DataFrame({f"X{j}": value for j, value in enumerate(columns)})


def discrete(N: int, n: int, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for parents in random_parents(N, rng):
        total = sum((columns[p] for p in parents), start=np.zeros(n, int))
        noise = rng.integers(0, 3, n)
        columns.append(np.where(rng.random(n) < 0.6, total % 3, noise) if len(parents) else noise)
    return pd.DataFrame({f"D{j}": pd.Categorical.from_codes(v, list("abc")) for j, v in enumerate(columns)})


def main() -> None:
    bnjit.learn(gaussian(5, 200))
    bnjit.learn(discrete(5, 200))
    slopes = []
    for name, make, n, sizes in (
        ("Gaussian", gaussian, 5_000, (125, 250, 500, 1000)),
        ("discrete", discrete, 20_000, (75, 150, 300)),
    ):
        times = []
        for N in sizes:
            table = make(N, n)
            start = time.perf_counter()
            result = bnjit.learn(table)
            times.append(time.perf_counter() - start)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{name:9} N={N:5} n={n:6}: {times[-1]:7.2f} s, {len(result.trace):5} moves, "
                f"{result.n_local_scores:9,} local scores, peak {peak:6.0f} MB"
            )
        slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        slopes.append(f"{name} {slope:.2f}")
    print("log-log slope in N:", ", ".join(slopes))


if __name__ == "__main__":
    main()
