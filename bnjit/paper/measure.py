"""Make the missing measurements: compiled, in random order, one sample in memory at a time, each saved at once."""

import gc
import sys
import time
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from bnjit import __version__, api
from bnjit._jit import threads
from bnjit.datasets.pollution import PLACE_AND_TIME
from bnjit.graph import shd
from bnjit.paper import machine
from bnjit.paper.log import Key, Log, key_of
from bnjit.paper.plan import ESTIMATORS, Measurement, seed_of, shuffled
from bnjit.paper.progress import Bar
from bnjit.paper.sources import Rows, load, source_of
from bnjit.paper.tuning import REPEATS, WARM_ROWS
from bnjit.scores import make_scorer
from bnjit.stats.parent_sets import make_batch


class Settings(NamedTuple):
    """What all measurements of a call have in common."""

    seed: int
    threads: int
    scale: str

    def as_row(self) -> dict[str, Any]:
        """Columns of the settings in the file of measurements."""
        made_with = {"code": machine.fingerprint(), "machine": machine.summary(), "version": __version__}
        return {"seed": self.seed, "threads": self.threads, "scale": self.scale, **made_with}


def keys_of(planned: Iterable[Measurement], settings: Settings) -> dict[Measurement, Key]:
    """Key of every measurement in the file."""
    sources = {measurement.data: source_of(measurement.data) for measurement in planned}
    common = settings.as_row()
    return {
        measurement: key_of({**measurement._asdict(), "source": sources[measurement.data], **common})
        for measurement in planned
    }


def measure(planned: Sequence[Measurement], log: Log, settings: Settings, progress: bool | None) -> dict[str, float]:
    """Make the measurements that are not in the file yet; return the seconds spent on compiling, data and searches.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, with a message that says what was kept.
    """
    keys = keys_of(planned, settings)
    missing = [measurement for measurement in planned if keys[measurement] not in log.rows]
    spent: dict[str, float] = defaultdict(float)
    with threads(settings.threads), Bar(missing, progress) as bar:
        warmed: set[tuple[str, str]] = set()
        try:
            for first, wanted in shuffled(planned, settings.seed):
                pending = [measurement for measurement in wanted if keys[measurement] not in log.rows]
                if pending:
                    _measure_sample(first, pending, log, settings, bar, warmed, spent)
        except KeyboardInterrupt:
            kept = sum(keys[measurement] in log.rows for measurement in planned)
            raise KeyboardInterrupt(
                f"interrupted; {kept} of {len(planned)} measurements are kept in {log.path}: the same command again "
                "makes the others"
            ) from None
    return dict(spent)


def _measure_sample(
    first: Measurement, pending: Sequence[Measurement], log: Log, settings: Settings, bar: Bar,
    warmed: set[tuple[str, str]], spent: dict[str, float],
) -> None:  # fmt: skip
    """Make the missing measurements of one sample, which is in memory only for that time."""
    bar.show(f"{first.data}, {first.n:,} rows: drawing sample {first.sample + 1}")
    began = time.perf_counter()
    rows = load(first, settings.seed)
    spent["data"] += time.perf_counter() - began
    began = time.perf_counter()
    for measurement in pending:
        if (measurement.data, measurement.estimator) not in warmed:
            bar.show(f"compiling {measurement.estimator} ({measurement.data})")
            _warm(measurement, rows, settings)
            warmed.add((measurement.data, measurement.estimator))
    spent["compiling"] += time.perf_counter() - began
    for measurement in pending:
        bar.show(
            f"{measurement.data}, {measurement.n:,} rows, sample {measurement.sample + 1}: {measurement.estimator}"
        )
        began = time.perf_counter()
        measured = _measure(measurement, rows, settings)
        log.add({
            **measurement._asdict(), **settings.as_row(), "source": source_of(measurement.data), "rows": rows.table.n,
            "discrete": sum(rows.table.discrete), "continuous": len(rows.table.continuous), **measured,
            "load": machine.load(),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        })  # fmt: skip
        took = time.perf_counter() - began
        spent["measuring"] += took
        bar.done(measurement, took)


def _warm(measurement: Measurement, rows: Rows, settings: Settings) -> None:
    """Compile an estimator on the first rows of a sample."""
    table = rows.table
    small = Rows(table.take(np.arange(table.n) < WARM_ROWS) if table.n > WARM_ROWS else table, rows.dag)
    _measure_once(measurement, small, settings)


def _measure(measurement: Measurement, rows: Rows, settings: Settings) -> dict[str, Any]:
    """Measure compiled code: if a kernel was compiled on the way, the time does not count, and is taken again."""
    before = _compiled()
    measured = _measure_once(measurement, rows, settings)
    return measured if _compiled() == before else _measure_once(measurement, rows, settings)


def _compiled() -> int:
    """How many specialisations of kernels there are in memory."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("bnjit.kernels.")]
    return sum(len(getattr(member, "signatures", ())) for module in modules for member in vars(module).values())


def _measure_once(measurement: Measurement, rows: Rows, settings: Settings) -> dict[str, Any]:
    return (_measure_local if measurement.experiment == "parents" else _measure_search)(measurement, rows, settings)


def _measure_search(measurement: Measurement, rows: Rows, settings: Settings) -> dict[str, Any]:
    """Time a search on a table that is in memory; the split of the predictive score is part of it, as in the paper."""
    estimator = ESTIMATORS[measurement.estimator]
    blacklist = arcs_into_place_and_time(rows.table.names) if measurement.knowledge else None
    gc.collect()
    began = time.perf_counter()
    result = api.learn(
        rows.table, estimator.score, blacklist=blacklist, max_parents=measurement.parents,
        estimator=estimator.estimator, seed=seed_of(settings.seed, measurement, run=True), progress=False,
    )  # fmt: skip
    seconds = time.perf_counter() - began - result.seconds["summary"]  # which no estimator has a part in
    if result.interrupted:  # on Ctrl-C a search returns its best graph so far, whose time does not count
        raise KeyboardInterrupt
    return {
        "seconds": seconds, "arcs": result.dag.number_of_edges(),
        "shd": None if rows.dag is None else shd(result.dag, rows.dag),
        "n_local_scores": result.n_local_scores, "score": result.score,
    }  # fmt: skip


def _measure_local(measurement: Measurement, rows: Rows, settings: Settings) -> dict[str, Any]:
    """Time one local distribution with a given number of parents; the shortest of a few times counts."""
    estimator = ESTIMATORS[measurement.estimator]
    node, parents = 0, tuple(range(1, 1 + (measurement.parents or 0)))
    scorer = make_scorer(rows.table, estimator.score, estimator.estimator)
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        score = float(scorer.local_scores(make_batch([(node, parents)]))[0])
        times.append(time.perf_counter() - began)
    return {"seconds": min(times), "n_local_scores": 1, "score": score}


def arcs_into_place_and_time(names: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    """Arcs into MEHRA's variables of place and time, which background knowledge forbids: nothing here causes these."""
    return [(a, b) for b in PLACE_AND_TIME for a in names if a != b]
