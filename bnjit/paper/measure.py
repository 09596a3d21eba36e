"""Make the measurements that are missing: warm, in random order, one sample in memory at a time, each kept at once."""

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
from bnjit.datasets.pollution import GIVEN
from bnjit.graph import shd
from bnjit.paper import machine
from bnjit.paper.log import Key, Log, key_of
from bnjit.paper.plan import ESTIMATORS, Job, seed_of, shuffled
from bnjit.paper.progress import Bar
from bnjit.paper.sources import Rows, load, source_of
from bnjit.scores import make_scorer

WARM_ROWS = 3_000  # rows of a data set on which every estimator is compiled
REPEATS = 5  # of a local distribution, which alone is too short to time


class Settings(NamedTuple):
    """What all measurements of a call have in common."""

    seed: int
    threads: int
    scale: str

    def as_row(self) -> dict[str, Any]:
        """Columns of the settings in the file of measurements."""
        made_with = {"code": machine.fingerprint(), "machine": machine.summary(), "version": __version__}
        return {"seed": self.seed, "threads": self.threads, "scale": self.scale, **made_with}


def keys_of(jobs: Iterable[Job], settings: Settings) -> dict[Job, Key]:
    """Key of every measurement in the file."""
    sources = {job.data: source_of(job.data) for job in jobs}
    common = settings.as_row()
    return {job: key_of({**job._asdict(), "source": sources[job.data], **common}) for job in jobs}


def measure(jobs: Sequence[Job], log: Log, settings: Settings, progress: bool | None) -> dict[str, float]:
    """Make the measurements that are not in the file yet; seconds spent on compiling, on data and on searches.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, with a message that says what was kept.
    """
    keys = keys_of(jobs, settings)
    missing = [job for job in jobs if keys[job] not in log.rows]
    spent: dict[str, float] = defaultdict(float)
    with threads(settings.threads), Bar(missing, progress) as bar:
        warmed: set[tuple[str, str]] = set()
        try:
            for first, wanted in shuffled(jobs, settings.seed):
                pending = [job for job in wanted if keys[job] not in log.rows]
                if pending:
                    _measure_sample(first, pending, log, settings, bar, warmed, spent)
        except KeyboardInterrupt:
            kept = sum(keys[job] in log.rows for job in jobs)
            raise KeyboardInterrupt(
                f"interrupted; {kept} of {len(jobs)} measurements are kept in {log.path}: the same command again "
                "makes the others"
            ) from None
    return dict(spent)


def _measure_sample(
    first: Job, pending: Sequence[Job], log: Log, settings: Settings, bar: Bar, warmed: set[tuple[str, str]],
    spent: dict[str, float],
) -> None:  # fmt: skip
    """Measure all that is missing of one sample, which is in memory only meanwhile."""
    bar.say(f"{first.data}, {first.n:,} rows: drawing sample {first.sample + 1}")
    began = time.perf_counter()
    rows = load(first, settings.seed)
    spent["data"] += time.perf_counter() - began
    began = time.perf_counter()
    for job in pending:
        if (job.data, job.estimator) not in warmed:
            bar.say(f"compiling {job.estimator} ({job.data})")
            _warm(job, rows, settings)
            warmed.add((job.data, job.estimator))
    spent["compiling"] += time.perf_counter() - began
    for job in pending:
        bar.say(f"{job.data}, {job.n:,} rows, sample {job.sample + 1}: {job.estimator}")
        began = time.perf_counter()
        measured = _measure(job, rows, settings)
        log.add({
            **job._asdict(), **settings.as_row(), "source": source_of(job.data), "rows": rows.table.n,
            "discrete": sum(rows.table.discrete), "continuous": len(rows.table.continuous), **measured,
            "load": machine.load(),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        })  # fmt: skip
        took = time.perf_counter() - began
        spent["measuring"] += took
        bar.done(job, took)


def _warm(job: Job, rows: Rows, settings: Settings) -> None:
    """Compile an estimator on the first rows of a sample."""
    table = rows.table
    small = Rows(table.take(np.arange(table.n) < WARM_ROWS) if table.n > WARM_ROWS else table, rows.dag)
    _measure_once(job, small, settings)


def _measure(job: Job, rows: Rows, settings: Settings) -> dict[str, Any]:
    """Measure with machine code in place; if a path through the kernels was new, the time does not count: again."""
    before = _compiled()
    measured = _measure_once(job, rows, settings)
    return measured if _compiled() == before else _measure_once(job, rows, settings)


def _compiled() -> int:
    """How many specialisations of kernels there are in memory."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("bnjit.kernels.")]
    return sum(len(getattr(member, "signatures", ())) for module in modules for member in vars(module).values())


def _measure_once(job: Job, rows: Rows, settings: Settings) -> dict[str, Any]:
    return (_measure_local if job.experiment == "parents" else _measure_search)(job, rows, settings)


def _measure_search(job: Job, rows: Rows, settings: Settings) -> dict[str, Any]:
    """Time a search on a table that is in memory; the split of the predictive score is part of it, as in the paper."""
    estimator = ESTIMATORS[job.estimator]
    blacklist = arcs_into_given(rows.table.names) if job.knowledge else None
    gc.collect()
    began = time.perf_counter()
    result = api.learn(
        rows.table, estimator.score, blacklist=blacklist, max_parents=job.parents, estimator=estimator.estimator,
        seed=seed_of(settings.seed, job, run=True), progress=False,
    )  # fmt: skip
    seconds = time.perf_counter() - began
    if result.interrupted:  # a search keeps its best graph on Ctrl-C, and a measurement does not count
        raise KeyboardInterrupt
    return {
        "seconds": seconds, "arcs": result.dag.number_of_edges(),
        "shd": None if rows.dag is None else shd(result.dag, rows.dag),
        "n_local_scores": result.n_local_scores, "score": result.score,
    }  # fmt: skip


def _measure_local(job: Job, rows: Rows, settings: Settings) -> dict[str, Any]:
    """Time one local distribution with so many parents, the best of a few."""
    estimator = ESTIMATORS[job.estimator]
    node, parents = 0, tuple(range(1, 1 + (job.parents or 0)))
    scorer = make_scorer(rows.table, estimator.score, estimator.estimator)
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        score = scorer.local_score(node, parents)
        times.append(time.perf_counter() - began)
    return {"seconds": min(times), "n_local_scores": 1, "score": score}


def arcs_into_given(names: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    """Arcs that background knowledge forbids: into MEHRA's variables of place and time, which nothing here causes."""
    return [(a, b) for b in GIVEN for a in names if a != b]
