"""A progress bar that estimates the time left from the cost of each measurement, not from their number."""

import sys
import threading
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from bnjit.paper.plan import Measurement
from bnjit.paper.protocols import PROTOCOLS
from bnjit.paper.tuning import SECONDS_PER_MILLION_ROWS
from bnjit.progress import in_notebook, is_interactive

COLUMNS = {"MEHRA": 24, "AIRLINE": 28, "GAS": 37, "HEPMASS": 29, "HIGGS": 29, "SUSY": 19}


def cost(measurement: Measurement) -> float:
    """Seconds that a measurement probably takes: linear in rows and quadratic in columns, as in the paper."""
    if measurement.experiment == "accuracy":
        return 0.5 + PROTOCOLS[measurement.estimator].seconds * measurement.n / 1e6
    if measurement.experiment == "parents":
        return 0.02 + measurement.n * (1 + (measurement.parents or 0)) ** 2 * 1e-8
    columns = COLUMNS[measurement.data] if measurement.data in COLUMNS else int(measurement.data.split()[-1])
    return (
        0.1 + SECONDS_PER_MILLION_ROWS[measurement.estimator] * measurement.n / 1e6 * (columns / COLUMNS["MEHRA"]) ** 2
    )


def duration(seconds: float) -> str:
    """Seconds as text, in the largest fitting units.

    Examples
    --------
    >>> [duration(s) for s in (0.4, 59, 61, 7300)]
    ['0 s', '59 s', '1 min 01 s', '2 h 01 min']
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


class Remaining:
    """Estimates the time left: first guesses, corrected by what measurements of the same kind took so far."""

    def __init__(self) -> None:
        self.left: dict[tuple[str, str], float] = {}
        self.spent: dict[tuple[str, str], tuple[float, float]] = {}

    def expect(self, measurements: Iterable[Measurement]) -> None:
        """Count measurements that are still to be made."""
        for measurement in measurements:
            self._count(measurement, cost(measurement))

    def _count(self, measurement: Measurement, change: float) -> None:
        kind = (measurement.experiment, measurement.estimator)
        self.left[kind] = self.left.get(kind, 0.0) + change

    def done(self, measurement: Measurement, seconds: float) -> None:
        """Record the seconds that a measurement took in all."""
        self._count(measurement, -cost(measurement))
        kind = (measurement.experiment, measurement.estimator)
        guessed, took = self.spent.get(kind, (0.0, 0.0))
        self.spent[kind] = (guessed + cost(measurement), took + seconds)

    def seconds(self) -> float:
        """Time left."""
        guessed = sum(pair[0] for pair in self.spent.values())
        overall = sum(pair[1] for pair in self.spent.values()) / guessed if guessed else 1.0
        factors = {kind: took / guess for kind, (guess, took) in self.spent.items()}
        return max(0.0, sum(factors.get(kind, overall) * left for kind, left in self.left.items()))


class Bar:
    """The bar: share of the estimated time, what is measured now, and the time left.

    Parameters
    ----------
    shown : bool, optional
        Whether to show it; None shows it only in a terminal or a notebook.
    """

    def __init__(self, shown: bool | None) -> None:
        self.remaining = Remaining()
        self.activity = ""
        self.began = self.since = time.perf_counter()
        self._bar: Any = None
        self._stop = threading.Event()
        if is_interactive() if shown is None else shown:
            from tqdm import tqdm

            live = is_interactive()
            self._bar = tqdm(
                total=100, leave=False, dynamic_ncols=live, mininterval=0.2 if live else 15.0, file=sys.stderr,
                ncols=None if live else 110, ascii=None if live or in_notebook() else True,
                bar_format="{percentage:3.0f}% |{bar:20}| {desc}",
            )  # fmt: skip
            self._ticker = threading.Thread(target=self._tick, args=(1.0 if live else 15.0,), daemon=True)
            self._ticker.start()

    def __enter__(self) -> "Bar":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._bar is not None:
            self._ticker.join()
            self._bar.close()

    def expect(self, measurements: Iterable[Measurement]) -> None:
        """Count measurements that will be made."""
        self.remaining.expect(measurements)

    def show(self, activity: str) -> None:
        """Show what is done now."""
        self.activity = activity
        self._redraw()

    def done(self, measurement: Measurement, seconds: float) -> None:
        """Show that a measurement is done."""
        self.remaining.done(measurement, seconds)
        self.since = time.perf_counter()
        self._redraw()

    def _tick(self, every: float) -> None:
        while not self._stop.wait(every):
            self._redraw(refresh=True)

    def _redraw(self, refresh: bool = False) -> None:
        if self._bar is None:
            return
        now = time.perf_counter()
        left = max(0.0, self.remaining.seconds() - (now - self.since))
        spent = now - self.began
        self._bar.n = 100.0 * spent / max(spent + left, 1e-9)
        self._bar.set_description_str(f"about {duration(left)} left; {self.activity}", refresh=refresh)
        if not refresh:
            self._bar.update(0)
