"""Every score, rule, estimator and algorithm on every source: what works gives what rows in memory give.

`python -m tests.test_combinations` writes figures/combinations.csv, of which docs/combinations.md is made.
"""

import csv
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnjit
from bnjit.errors import BnjitError

RECORDED = Path(__file__).resolve().parents[1] / "figures" / "combinations.csv"
N = 360


def mixed():
    rng = np.random.default_rng(3)
    place = rng.integers(0, 3, N)
    hot = rng.random(N) < 0.2 + 0.3 * (place > 0)
    x = rng.normal(size=N) + place
    y = 2 * x + hot + rng.normal(size=N)
    z = y - x + rng.normal(size=N)
    return pd.DataFrame({"place": np.array(["p", "q", "r"])[place], "hot": np.where(hot, "yes", "no"), "x": x, "y": y,
                         "z": z})  # fmt: skip


def with_gaps():
    frame = mixed()
    rng = np.random.default_rng(4)
    frame["x"] = frame["x"].where(rng.random(N) > 0.05)
    frame["hot"] = frame["hot"].where(rng.random(N) > 0.05, None)
    return frame


TABLES: dict[str, Callable[[], pd.DataFrame]] = {
    "mixed": mixed,
    "discrete": lambda: mixed()[["place", "hot"]].assign(odd=np.where(mixed()["y"] > 1, "yes", "no")),
    "continuous": lambda: mixed()[["x", "y", "z"]],
    "gaps": with_gaps,
    "continuous with gaps": lambda: with_gaps()[["x", "y", "z"]],
    "weights": lambda: mixed().assign(w=np.arange(N) % 3),
    "importance": lambda: mixed()[["x", "y", "z"]].assign(w=0.5 + np.arange(N) % 3),
}


class OwnScore:
    """A score of a user's own: it likes one arc."""

    def local_scores(self, node, parent_sets):
        return [float(node == "y" and tuple(parents) == ("x",)) for parents in parent_sets]


class Trial(NamedTuple):
    """What to try: a line of the table, the columns that it is tried with, and arguments of `learn`."""

    group: str
    option: str
    table: str
    arguments: dict[str, Any]


def trials() -> Iterator[Trial]:
    """All lines of the table."""
    for name in ("loglik", "aic", "bic", "ebic", "marginal", "pred", "cv"):
        yield Trial("score", name, "mixed", {"score": name})
    for name in ("bde", "bds", "k2", "qnml", "fnml"):
        yield Trial("score", name, "discrete", {"score": name})
    yield Trial("score", "bge", "continuous", {"score": "bge"})
    yield Trial("score", "your own", "mixed", {"score": OwnScore()})
    for score in (
        bnjit.BIC(sparse="pool"), bnjit.BIC(penalty="local"), bnjit.HeldOut(sparse="pool"),
        bnjit.HeldOut(density="bayes"), bnjit.CrossValidation(folds=3, sparse="pool"),
        bnjit.CrossValidation(folds=3, density="bayes"), bnjit.CrossValidation(folds=3, one_se=True),
    ):  # fmt: skip
        yield Trial("rule", str(score).replace("bnjit.", ""), "mixed", {"score": score})
    yield Trial("rule", "HeldOut(test=a table)", "mixed", {"score": bnjit.HeldOut(test=mixed()[::2])})
    for name in ("qr", "1p", "2p"):
        yield Trial("estimator", name, "mixed", {"estimator": name})
    for name in ("hc", "tabu", "boss", "ges", "exact", "thorough"):
        yield Trial("algorithm", name, "mixed", {"algorithm": name})
    for rule in ("drop", "available", "em"):
        yield Trial("missing", rule, "gaps", {"missing": rule})
        yield Trial("missing", f"{rule}, continuous columns", "continuous with gaps", {"missing": rule})
    yield Trial("weights", "a column", "weights", {"weights": "w"})
    yield Trial("weights", "an array", "mixed", {"weights": np.arange(N) % 3})
    yield Trial("weights", "importance weights", "importance", {"weights": "w"})


def collected(frame, arguments):
    """Statistics, with all discrete columns together; what says how rows are read goes there."""
    reading = {name: arguments.pop(name) for name in ("weights", "missing") if name in arguments}
    statistics = bnjit.Statistics.collect(frame, sum(frame[name].dtype.kind != "f" for name in frame), **reading)
    if reading.get("missing", "drop") != "drop":
        arguments["missing"] = reading["missing"]
    return statistics


def in_batches(frame, _):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return lambda: iter(table.to_batches(max_chunksize=100))


SOURCES: dict[str, Callable[[pd.DataFrame, dict[str, Any]], Any]] = {
    "in memory": lambda frame, _: frame,
    "out of core": in_batches,
    "Dask": lambda frame, _: dd.from_pandas(frame, npartitions=3),
    "Statistics": collected,
}


def attempt(trial: Trial, source: str) -> "bnjit.Result | BnjitError":
    """Learn, or return the error that says why not."""
    arguments = dict(trial.arguments)
    with warnings.catch_warnings(), dask.config.set(scheduler="synchronous"):
        warnings.simplefilter("ignore")
        try:
            data = SOURCES[source](TABLES[trial.table](), arguments)
            return bnjit.learn(data, progress=False, **arguments)
        except BnjitError as error:
            return error


def try_all(trial: Trial) -> dict[str, str]:
    """Return a line of the table; what works is compared with rows in memory."""
    found = {source: attempt(trial, source) for source in SOURCES}
    expected = found["in memory"]
    assert not isinstance(expected, BnjitError), expected
    reasons = []
    for result in found.values():
        if isinstance(result, BnjitError):
            reasons.append(str(result).split(";")[0].splitlines()[0])
        else:
            assert list(result.dag.edges) == list(expected.dag.edges)
            assert result.score == pytest.approx(expected.score, rel=1e-9)
    line = {source: "no" if isinstance(result, BnjitError) else "yes" for source, result in found.items()}
    return {"group": trial.group, "option": trial.option, **line, "why not": "; ".join(dict.fromkeys(reasons))}


def recorded() -> dict[tuple[str, str], dict[str, str]]:
    """Lines that docs/combinations.md shows."""
    with RECORDED.open(encoding="utf-8") as file:
        return {(line["group"], line["option"]): line for line in csv.DictReader(file)}


@pytest.mark.parametrize("trial", list(trials()), ids=lambda trial: f"{trial.group} {trial.option}")
def test_combinations_are_as_documented(trial):
    assert try_all(trial) == recorded()[trial.group, trial.option], "python -m tests.test_combinations writes them anew"


def test_nothing_else_is_documented():
    assert set(recorded()) == {(trial.group, trial.option) for trial in trials()}


if __name__ == "__main__":
    lines = [try_all(trial) for trial in trials()]
    with RECORDED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
