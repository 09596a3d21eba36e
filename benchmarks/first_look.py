"""A first look: draw rows from a network with the structure of the paper's MEHRA, and learn it back by every estimator.

python benchmarks/first_look.py [--rows 200000] [--out figures]: prints a table, and leaves it in the folder with
drawings of the true and the learned network and the trace of the search.
"""

import argparse
import time
from pathlib import Path

import pandas as pd

import bnjit
from bnjit.plots import save_dag

SEARCHES = {
    "qr (the paper's baseline)": {"method": "qr"},
    "1p": {"method": "1p"},
    "2p": {"method": "2p"},
    "stats (bnjit's default)": {},
    "stats, tabu search": {"algorithm": "tabu"},
    "stats, predictive score": {"score": "pred"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000, help="rows to draw (default 200,000)")
    parser.add_argument("--out", type=Path, default=Path("figures"), help="folder for the results (default figures)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    network = bnjit.datasets.mehra_like()
    table, small = network.sample(arguments.rows, seed=1), network.sample(2_000, seed=2)
    print(f"{network}\n{arguments.rows:,} rows drawn from it; compiling and learning ...", flush=True)
    rows = []
    for name, options in SEARCHES.items():
        bnjit.learn(small, max_iter=5, **options)  # compile
        start = time.perf_counter()
        result = bnjit.learn(table, progress=False, **options)
        rows.append(
            {
                "search": name,
                "seconds": round(time.perf_counter() - start, 2),
                "arcs": result.dag.number_of_edges(),
                "SHD": bnjit.shd(result.dag, network.dag),
                "local scores": result.n_local_scores,
            }
        )
        print(f"  {name}: {rows[-1]['seconds']} s", flush=True)
        if not options:
            result.trace.to_csv(arguments.out / "first_look_trace.csv", index=False)
            save_dag(result.dag, arguments.out / "first_look_learned.png")
    save_dag(network.dag, arguments.out / "first_look_true.png")
    summary = pd.DataFrame(rows)
    summary.to_csv(arguments.out / "first_look.csv", index=False)
    print(summary.to_string(index=False))
    print(f"wrote first_look*.csv and first_look*.png to {arguments.out}/")


if __name__ == "__main__":
    main()
