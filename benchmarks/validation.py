"""What it costs to validate Parquet files before they are used, by kind of column, beside reading them.

python benchmarks/validation.py [--out figures/validation.csv]
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

ROWS, RUNS = 2_000_000, 7


def columns() -> dict[str, pd.Series]:
    rng = np.random.default_rng(1)
    words = np.array(["north", "north-east", "south", "west"])
    return {
        "numbers": pd.Series(rng.normal(size=ROWS)),
        "categories": pd.Series(pd.Categorical.from_codes(rng.integers(0, 4, ROWS), words)),
        "texts": pd.Series(words[rng.integers(0, 4, ROWS)]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="a CSV file to keep the table in")
    arguments = parser.parse_args()
    rows = []
    for kind, values in columns().items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            pd.DataFrame({"a": values, "b": values}).to_parquet(path)
            read, validate = [], []
            for _ in range(RUNS):
                began = time.perf_counter()
                with pq.ParquetFile(path, pre_buffer=False) as file:
                    table = file.read()
                middle = time.perf_counter()
                table.validate(full=True)
                read.append(middle - began)
                validate.append(time.perf_counter() - middle)
        nanoseconds = [1e9 * min(times) / (2 * ROWS) for times in (read, validate)]
        rows.append([kind, *nanoseconds, nanoseconds[1] / nanoseconds[0]])
    table = pd.DataFrame(rows, columns=["column", "reading, ns a value", "validating, ns a value", "share"])
    print(table.to_string(index=False, float_format=lambda x: f"{x:.2f}"))
    if arguments.out:
        table.to_csv(arguments.out, index=False, float_format="%.3f")


if __name__ == "__main__":
    main()
