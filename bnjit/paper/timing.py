"""Time a search or a local distribution: processor time, which other programs hardly change, with wall time beside."""

import gc
import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bnjit import api
from bnjit._threads import threads
from bnjit.datasets.pollution import PLACE_AND_TIME
from bnjit.errors import quiet
from bnjit.graph import shd
from bnjit.paper.plan import ESTIMATORS, Measurement, seed_of
from bnjit.paper.sources import Rows
from bnjit.paper.tuning import REPEATS
from bnjit.scores import make_scorer
from bnjit.stats.parent_sets import make_batch


class Clock:
    """Processor time of this process and all its threads, and wall time, since it was made."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def read(self) -> dict[str, float]:
        """Both times, by the name of their columns."""
        return {"cpu_seconds": time.process_time() - self._cpu, "wall_seconds": time.perf_counter() - self._wall}


@contextmanager
def quietly() -> Iterator[None]:
    """Without a word on relations and impossible nodes: they are the paper's data, and are counted."""
    with quiet():
        yield


@quietly()
def time_search(measurement: Measurement, rows: Rows, seed: int) -> dict[str, Any]:
    """Time a search on a table that is in memory; the split of the predictive score is part of it, as in the paper.

    All runs on a sample split it in the same way: they are the same search, of which the fastest can count.
    """
    estimator = ESTIMATORS[measurement.estimator]
    blacklist = arcs_into_place_and_time(rows.table.names) if measurement.knowledge else None
    gc.collect()
    with threads(measurement.threads):
        clock = Clock()
        result = api.learn(
            rows.table, estimator.score, blacklist=blacklist, max_parents=measurement.parents,
            estimator=estimator.estimator, seed=seed_of(seed, measurement._replace(run=0), run=True), progress=False,
        )  # fmt: skip
        times = clock.read()
    if result.interrupted:  # on Ctrl-C a search returns its best graph so far, whose time does not count
        raise KeyboardInterrupt
    # No estimator has a part in the summary for the user. Of its wall time, the processor had the share that it had of
    # all: other programs took the rest.
    summary = result.seconds["summary"]
    times["cpu_seconds"] -= summary * min(1.0, times["cpu_seconds"] / times["wall_seconds"])
    times["wall_seconds"] -= summary
    return {
        **times, "arcs": result.dag.number_of_edges(), "shd": None if rows.dag is None else shd(result.dag, rows.dag),
        "n_local_scores": result.n_local_scores, "score": result.score,
    }  # fmt: skip


def time_local(measurement: Measurement, rows: Rows) -> dict[str, Any]:
    """Time one local distribution with a given number of parents; the shortest of a few times counts."""
    estimator = ESTIMATORS[measurement.estimator]
    node, parents = 0, tuple(range(1, 1 + (measurement.parents or 0)))
    times = []
    with threads(measurement.threads):
        scorer = make_scorer(rows.table, estimator.score, estimator.estimator)
        for _ in range(REPEATS):
            clock = Clock()
            score = float(scorer.local_scores(make_batch([(node, parents)]))[0])
            times.append(clock.read())
    return {**{name: min(own[name] for own in times) for name in times[0]}, "n_local_scores": 1, "score": score}


def arcs_into_place_and_time(names: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    """Arcs into MEHRA's variables of place and time, which background knowledge forbids: nothing here causes these."""
    return [(a, b) for b in PLACE_AND_TIME for a in names if a != b]
