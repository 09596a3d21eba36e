"""A bar that shows the step, the score and the rate of a search, in a terminal or a notebook."""

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Protocol

# Called with the number of a pass, how much it has read, of how much (0 if that is not known), and the unit of both.
Watch = Callable[[int, int, int, str], None]


FIRST_SECONDS = 20  # that a first search usually compiles


# A first step that takes so many seconds is worth a word; a search takes between so many times as long, measured.
SLOW_STEP, FIRST_STEPS = 5.0, (3, 20)


class SearchStep(Protocol):
    """What a search shows of each of its steps."""

    @property
    def phase(self) -> str:
        """Which part of the search it belongs to."""
        ...

    @property
    def score(self) -> float:
        """The score after it."""
        ...


def is_interactive() -> bool:
    """Whether output goes to a terminal or a notebook."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class Progress:
    """Shows steps as they come, of `total` if that is known; `shown=None` shows them to a terminal or a notebook."""

    def __init__(self, title: str, shown: bool | None, unit: str = "steps", total: int | None = None) -> None:
        self._bar: Any = None
        self._began: float | None = None
        self._compiled = 0
        if is_interactive() if shown is None else shown:
            if in_notebook() and find_spec("ipywidgets"):
                from tqdm.notebook import tqdm
            else:
                from tqdm import tqdm
            self._bar = tqdm(desc=title, total=total, unit=f" {unit}", leave=False, mininterval=0.2, dynamic_ncols=True)

    def __enter__(self) -> "Progress":
        if self._bar is not None:
            from bnjit._kernel_cache import watch_compiling

            self._stop_watching = watch_compiling(self._compiling)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._stop_watching()
            self._bar.close()

    def __call__(self, step: SearchStep) -> None:
        """Show a step."""
        if self._bar is not None:
            if self._began is not None:
                self._expect(time.perf_counter() - self._began)
            self._bar.set_postfix_str(f"{step.phase}, score {step.score:,.1f}", refresh=False)
            self._bar.update()

    def begin(self) -> None:
        """Note when the first step began; how long it takes tells how long all will take."""
        self._began = time.perf_counter()

    def _expect(self, seconds: float) -> None:
        self._began = None
        if seconds >= SLOW_STEP:
            least, most = (round(times * seconds / 60.0, 1) for times in FIRST_STEPS)
            self.say(lambda: f"the first step took {seconds:,.0f} s; all will take {least:g} to {most:g} minutes or so")

    def say(self, make: Callable[[], str | None]) -> None:
        """Print a line above the bar, if there is a bar and something to say."""
        line = None if self._bar is None else make()
        if line is not None:
            self._bar.write(line, file=sys.stderr)

    def advance(self) -> None:
        """Show that one more is done."""
        if self._bar is not None:
            self._bar.update()

    @property
    def reading(self) -> Watch | None:
        """What to call with the progress of a pass over rows that come in chunks; None if nothing is shown."""
        return None if self._bar is None else self._read

    def _compiling(self) -> None:
        self._compiled += 1
        self._bar.set_postfix_str(f"compiling kernel {self._compiled}; the first time takes {FIRST_SECONDS} s or so")
        if self._began is not None:
            self.begin()

    def _read(self, number: int, done: int, total: int, unit: str) -> None:
        share = f" of {total:,}" if total else ""
        self._bar.set_postfix_str(f"pass {number}, {done:,}{share} {unit}")
