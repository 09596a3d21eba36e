"""Make the missing measurements: compiled, in random order, one sample after the other, each saved at once."""

import gc
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from bnjit import __version__
from bnjit._threads import threads
from bnjit.paper import machine
from bnjit.paper.accuracy import measure_accuracy
from bnjit.paper.adaptive import more_runs
from bnjit.paper.log import UNTIMED, Key, Log, key_of
from bnjit.paper.plan import Measurement, shuffled
from bnjit.paper.progress import Bar
from bnjit.paper.sources import Rows, load
from bnjit.paper.timing import time_local, time_search
from bnjit.paper.tuning import KEPT_BYTES, WARM_ROWS


class Settings(NamedTuple):
    """What all measurements of a call have in common."""

    seed: int
    threads: int
    scale: str
    sources: Mapping[str, str]  # of the rows, by data set

    def as_row(self, measurement: Measurement) -> dict[str, Any]:
        """Columns of a measurement that are known before it is made."""
        experiment, data = measurement.experiment, measurement.data
        code = machine.learning_fingerprint() if experiment == UNTIMED else machine.fingerprint()
        return {
            **measurement._asdict(), "source": self.sources[data], "seed": self.seed, "scale": self.scale,
            "code": code, "machine": machine.summary(), "version": __version__,
        }  # fmt: skip


def keys_of(planned: Iterable[Measurement], settings: Settings) -> dict[Measurement, Key]:
    """Key of every measurement in the file."""
    return {measurement: key_of(settings.as_row(measurement)) for measurement in planned}


def measure(
    what: Sequence[str], planned: Sequence[Measurement], log: Log, settings: Settings, budgets: Mapping[str, float],
    progress: bool | None,
) -> tuple[list[Measurement], dict[str, float]]:  # fmt: skip
    """Make the measurements that are not in the file yet, and more runs where intervals are wide.

    Returns
    -------
    list of Measurement
        What was planned, and the runs that were added.
    dict
        Seconds spent on compiling, data and searches.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, with a message that says what was kept.
    """
    wanted = list(planned)
    with threads(settings.threads), Bar(progress) as bar:
        work = _Work(log, settings, bar)
        try:
            work.make(wanted)
            while more := more_runs(what, wanted, log.frame(keys_of(wanted, settings).values()), budgets):
                wanted += more
                work.make(more)
        except KeyboardInterrupt:
            keys = keys_of(wanted, settings)
            kept = sum(key in log.rows for key in keys.values())
            raise KeyboardInterrupt(
                f"interrupted; {kept} of {len(wanted)} measurements are kept in {log.path}: the same command again "
                "makes the others"
            ) from None
        finally:
            gc.unfreeze()
    return wanted, dict(work.spent)


class _Work:
    """Makes measurements one sample after the other."""

    def __init__(self, log: Log, settings: Settings, bar: Bar) -> None:
        self.log, self.settings, self.bar = log, settings, bar
        self.spent: dict[str, float] = defaultdict(float)
        self._warmed: set[tuple[str, str, str, int]] = set()
        self._kept: dict[tuple[Any, ...], Rows] = {}

    def make(self, wanted: Sequence[Measurement]) -> None:
        """Make those that the file does not have."""
        keys = keys_of(wanted, self.settings)
        missing = [measurement for measurement in wanted if keys[measurement] not in self.log.rows]
        self.bar.expect(missing)
        for first, group in shuffled(missing, self.settings.seed):
            self._sample(first, group)

    def _load(self, first: Measurement) -> Rows:
        """Rows of a sample; small ones are kept, for runs that are added later."""
        if first[:4] in self._kept:
            return self._kept[first[:4]]
        rows = load(first, self.settings.seed)
        if rows.table.nbytes <= KEPT_BYTES - sum(kept.table.nbytes for kept in self._kept.values()):
            self._kept[first[:4]] = rows
        return rows

    def _sample(self, first: Measurement, pending: Sequence[Measurement]) -> None:
        """Make the missing measurements of one sample."""
        self.bar.show(f"{first.data}, {first.n:,} rows: drawing sample {first.sample + 1}")
        began = time.perf_counter()
        rows = self._load(first)
        self.spent["data"] += time.perf_counter() - began
        began = time.perf_counter()
        for measurement in pending:
            kind = (measurement.experiment, measurement.data, measurement.estimator, measurement.threads)
            if kind not in self._warmed:
                self.bar.show(f"compiling {measurement.estimator} ({measurement.data})")
                _measure_once(measurement, _some_rows(rows), self.settings)
                self._warmed.add(kind)
                # What compiling leaves behind is here to stay: looking through it before every search takes longer than
                # many a search.
                gc.freeze()
        self.spent["compiling"] += time.perf_counter() - began
        for measurement in pending:
            self.bar.show(
                f"{measurement.data}, {measurement.n:,} rows, sample {measurement.sample + 1}: {measurement.estimator}"
            )
            began = time.perf_counter()
            measured = _measure(measurement, rows, self.settings)
            self.log.add({
                **self.settings.as_row(measurement), "rows": rows.table.n, "discrete": sum(rows.table.discrete),
                "continuous": len(rows.table.continuous), **measured, "load": machine.load(),
                "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            })  # fmt: skip
            took = time.perf_counter() - began
            self.spent["measuring"] += took
            self.bar.done(measurement, took)


def _some_rows(rows: Rows) -> Rows:
    """As many rows of a sample as are enough to compile what a measurement needs; all, if some column needs them."""
    table = rows.table
    if table.n <= WARM_ROWS:
        return rows
    some = table.take(np.arange(table.n) % (table.n // WARM_ROWS) == 0)
    varies = all(len(np.unique(some.columns[j].values)) > 1 for j in range(len(some.names)))
    return Rows(some, rows.dag) if varies else rows


def _measure(measurement: Measurement, rows: Rows, settings: Settings) -> dict[str, Any]:
    """Measure compiled code: if a kernel was compiled on the way, a time does not count, and is taken again."""
    before = _compiled()
    measured = _measure_once(measurement, rows, settings)
    if measurement.experiment == UNTIMED or _compiled() == before:
        return measured
    return _measure_once(measurement, rows, settings)


def _compiled() -> int:
    """How many specialisations of kernels there are in memory."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("bnjit.kernels.")]
    return sum(len(getattr(member, "signatures", ())) for module in modules for member in vars(module).values())


def _measure_once(measurement: Measurement, rows: Rows, settings: Settings) -> dict[str, Any]:
    if measurement.experiment == UNTIMED:
        return {"threads": settings.threads, **measure_accuracy(measurement, rows, settings.seed)}
    if measurement.experiment == "parents":
        return time_local(measurement, rows)
    return time_search(measurement, rows, settings.seed)
