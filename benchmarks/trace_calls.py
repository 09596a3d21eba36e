"""Count the calls from folder to folder of bnjit in `learn`, and list the first call from each module to another.

python benchmarks/trace_calls.py [memory parquet dask] [--version after --out figures/trace_calls.csv]

The same small mixed table is learned from a DataFrame, from a Parquet file that does not fit in `max_memory`, and from
a dask.dataframe. Functions are counted where they are entered from another folder; code of other libraries in between
is left out, and so are compiled kernels, which Python does not see. Each time a generator goes on counts as a call.
Everything runs in one thread, and once before it is traced, so that nothing is compiled or imported meanwhile. The
script uses only what users use, so that it also runs on other versions of bnjit; the lines of a version that has a name
are kept in a file with those of others.
"""

import argparse
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd

import bnjit

PACKAGE = str(Path(bnjit.__file__).parent)
ROWS, CHUNKED = 60_000, {"max_memory": "1MB"}
HIDDEN = {"__init__", "_jit", "_simd", "errors", "progress"}  # used everywhere, and no part of the flow


def make_table(n: int = ROWS, seed: int = 1) -> pd.DataFrame:
    """Make three discrete and four continuous columns, of which each but two depends on others."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, n)
    c = (a + b + rng.integers(0, 2, n)) % 4
    w = rng.normal(size=n) + a
    x = 0.5 * w * (1 + b) + rng.normal(size=n)
    y = x - w + rng.normal(size=n) * (1 + 0.5 * c)
    z = 0.3 * y + rng.normal(size=n)
    discrete = {
        name: pd.Categorical([f"{name}{v}" for v in codes]) for name, codes in zip("abc", (a, b, c), strict=True)
    }
    return pd.DataFrame({**discrete, "w": w, "x": x, "y": y, "z": z})


class Trace:
    """Calls between modules of bnjit while it is switched on."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str, str]] = Counter()  # from module, to module, function
        self._names: dict[str, str | None] = {}

    def __enter__(self) -> "Trace":
        threading.setprofile(self._seen)
        sys.setprofile(self._seen)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _seen(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        to = self._module(frame)
        if to is None or frame.f_code.co_name.startswith("<"):
            return
        above = frame.f_back
        while above is not None and self._module(above) is None:
            above = above.f_back
        if above is not None:
            caller = self._module(above)
            assert caller is not None
            if folder(caller) != folder(to):
                self.calls[caller, to, frame.f_code.co_qualname] += 1

    def _module(self, frame: FrameType) -> str | None:
        """Name of a frame's module within bnjit, None for other code."""
        file = frame.f_code.co_filename
        if file not in self._names:
            inside = file.startswith(PACKAGE)
            self._names[file] = ".".join(Path(file).relative_to(PACKAGE).with_suffix("").parts) if inside else None
        return self._names[file]

    def between(self) -> Counter[tuple[str, str]]:
        """Number of calls from folder to folder."""
        found: Counter[tuple[str, str]] = Counter()
        for (caller, to, _), number in self.calls.items():
            found[folder(caller), folder(to)] += number
        return found


def folder(module: str) -> str:
    """First part of a module's name: a folder, or a module beside the folders."""
    return module.split(".", maxsplit=1)[0]


def trace_learn(kind: str, table: pd.DataFrame, path: Path) -> tuple[Trace, Any]:
    """Learn from one kind of data, first untraced."""
    if kind == "dask":
        import dask
        import dask.dataframe as dd

        with dask.config.set(scheduler="synchronous"):
            return _trace(dd.from_pandas(table, npartitions=4), {})
    return _trace(str(path), CHUNKED) if kind == "parquet" else _trace(table, {})


def _trace(data: Any, options: dict[str, Any]) -> tuple[Trace, Any]:
    bnjit.learn(data, n_threads=1, progress=False, **options)
    with Trace() as trace:
        result = bnjit.learn(data, n_threads=1, progress=False, **options)
    return trace, result


def show(kind: str, trace: Trace, result: Any) -> None:
    """Print counts and the flow."""
    print(f"\n## {kind}: {result.dag.number_of_edges()} arcs, score {result.score:.4f}, {result.passes} passes\n")
    print("| from | to | calls |\n| --- | --- | --- |")
    for (caller, to), number in trace.between().most_common():
        if not HIDDEN & {caller, to}:
            print(f"| {caller} | {to} | {number:,} |")
    print("\nscores and stats, most frequent first:")
    some = [item for item in trace.calls.most_common() if {folder(m) for m in item[0][:2]} == {"scores", "stats"}]
    for (caller, to, function), number in some:
        print(f"  {number:6,}  {caller} -> {to}.{function}")
    print("\nfirst calls from module to module:")
    seen = set()
    for caller, to, function in trace.calls:  # in the order in which they first happened
        if (caller, to) not in seen and not HIDDEN & {folder(caller), folder(to)}:
            seen.add((caller, to))
            print(f"  {caller} -> {to}.{function}")


def keep(traces: dict[str, Trace], version: str, out: Path) -> None:
    """Write the calls from folder to folder of one version into a file, and leave those of others as they are."""
    rows = [
        {"version": version, "data": kind, "from": caller, "to": to, "calls": number}
        for kind, trace in traces.items()
        for (caller, to), number in sorted(trace.between().items())
        if not HIDDEN & {caller, to}
    ]
    before = pd.read_csv(out) if out.exists() else pd.DataFrame(columns=["version"])
    kept = pd.concat([before[before["version"] != version], pd.DataFrame(rows)])
    kept.astype({"calls": int}).to_csv(out, index=False)


def main() -> None:
    """Trace what is asked for, everything by default."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", default=["memory", "parquet", "dask"], help="memory, parquet, dask")
    parser.add_argument("--version", help="a name for this version of bnjit, to keep its lines")
    parser.add_argument("--out", type=Path, default=Path("figures/trace_calls.csv"), help="the file to keep them in")
    given = parser.parse_args()
    table = make_table()
    traces = {}
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "table.parquet"
        table.to_parquet(path, row_group_size=10_000)
        for kind in given.kinds:
            traces[kind], result = trace_learn(kind, table, path)
            show(kind, traces[kind], result)
    if given.version:
        keep(traces, given.version, given.out)


if __name__ == "__main__":
    main()
