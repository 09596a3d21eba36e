"""Regenerate the figures and tables of the paper: plan, measure what is missing, draw, and write one page."""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit._files import write_whole
from bnjit.errors import ArgumentError, check_count
from bnjit.paper.choices import ALL, check_scale, check_what
from bnjit.paper.plan import ESTIMATORS, plan

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.paper.figure import Context, PaperFigure
    from bnjit.paper.log import Key
    from bnjit.paper.measure import Settings

MEASUREMENTS, PAGE = "measurements.csv", "reproduce.html"
SEED = 1
OUT = "reproduced"
TITLE = "Learning Bayesian networks from big data with greedy search, reproduced"


class Reproduction:
    """What `reproduce` made; a notebook shows the page.

    Attributes
    ----------
    figures : tuple of PaperFigure
        Figures and tables, each with title, caption, findings and files.
    measurements : DataFrame
        The measurements that they show.
    page : Path
        The page with all of them.
    files : list of Path
        All that was written.
    note : str
        What to know about measurements in the folder that were not used, if there are any.
    """

    def __init__(
        self, figures: Sequence["PaperFigure"], measurements: "pd.DataFrame", out: Path, body: str, note: str
    ) -> None:
        self.figures, self.measurements, self.note = tuple(figures), measurements, note
        self.page = out / PAGE
        self.files = [*(path for figure in figures for path in figure.files), out / MEASUREMENTS, self.page]
        self._body = body

    def __repr__(self) -> str:
        lines = [f"bnjit.paper.Reproduction: {len(self.measurements)} measurements"]
        for figure in self.figures:
            lines += [figure.title, *(f"  {finding}" for finding in figure.findings)]
        lines += [self.note] if self.note else []
        return "\n".join([*lines, f"page with all figures and tables: {self.page}"])

    def _repr_html_(self) -> str:
        return self._body


def reproduce(
    what: str | Iterable[str] = ALL, *, scale: str = "quick", sizes: Sequence[int] | None = None,
    samples: int | None = None, runs: int | None = None, budget: float | None = None,
    protocols: Sequence[str] | None = None, splits: int | None = None, rows: int | None = None, seed: int = SEED,
    n_threads: int | None = None, knowledge: bool = True, out: str | Path = OUT,
    also: Sequence[str | Path] = (), keep_times: bool = False, progress: bool | None = None,
) -> Reproduction:  # fmt: skip
    """Regenerate figures and tables of the paper's Section 5.

    Every finished measurement is kept in `measurements.csv` at once; a call that was interrupted continues there when
    it is made again. Times of other machines, seeds or versions of the code are not used. Accuracy does not depend on
    the machine: Table 1 shows all measurements of accuracy in the files that were made with this seed and this version
    of the learning code.

    Parameters
    ----------
    what : str or iterable of str
        "fig1", "fig2", "threads", "table1", "fig3", "table2", "complexity", or "all".
    scale : {"quick", "paper"}
        A few minutes, or the paper's own protocol: 1 to 50 million rows, five samples of each size, five runs.
    sizes : sequence of int, optional
        Sample sizes of MEHRA instead of the scale's.
    samples, runs : int, optional
        Samples of each size, and runs of each estimator on each sample and table, instead of the scale's.
    budget : float, optional
        Seconds of searches for Figure 2 and for Figure 3, instead of the scale's: runs or samples are added until all
        intervals are narrower than 0.05 to each side, or this is used up. 0 adds none.
    protocols : sequence of str, optional
        Protocols of Table 1 to measure, instead of the scale's: "reject", "pool", "exchange", "local", "pred",
        "pred-pool", "bayes", "marginal", "reject-truth", "local-truth".
    splits : int, optional
        Splits of each sample into training and test rows, instead of the scale's.
    rows : int, optional
        Rows of each table of Table 2 at most, instead of the scale's.
    seed : int
        Of samples, test rows and the order of measurements.
    n_threads : int, optional
        Threads of searches that are not timed, and the most of those whose speed-up by threads is; all by default.
        Estimators are compared with one thread.
    knowledge : bool
        Forbid arcs into MEHRA's eleven variables of place and time, which nothing in the data can cause.
    out : str or Path
        Folder for PNG, SVG and CSV files and the page `reproduce.html`; made if it is not there.
    also : sequence of str or Path
        Files of measurements from other folders, which count as well; what they say of accuracy counts whatever version
        of the code learned it, and the page names the versions.
    keep_times : bool
        Draw the times that the files have, whatever version of the code was timed, and measure none: of each experiment
        those of the version and machine that measured it last.
    progress : bool, optional
        Show a progress bar; by default only in a terminal or a notebook.

    Returns
    -------
    Reproduction
        Shows the page in a notebook.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, with a message that says how many measurements were kept.

    Examples
    --------
    >>> import bnjit
    >>> bnjit.paper.reproduce("fig2", sizes=[1000, 2000], out="reproduced")  # doctest: +SKIP
    """
    chosen = check_what(what)
    chosen_scale = check_scale(scale, sizes, samples, runs, budget, protocols, splits, rows)
    check_count("seed", seed, least=0)
    check_count("n_threads", n_threads, least=1)
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"out={str(out)!r} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    from bnjit._threads import thread_count
    from bnjit.paper import machine
    from bnjit.paper.ahead import compile_ahead
    from bnjit.paper.figure import Context
    from bnjit.paper.log import UNTIMED, Log
    from bnjit.paper.measure import Settings, keys_of, measure
    from bnjit.paper.sources import source_of

    began = time.perf_counter()
    most = min(n_threads or thread_count(), thread_count())
    planned = plan(chosen, chosen_scale, knowledge, most)
    sources = {data: source_of(data) for data in dict.fromkeys(["MEHRA", *(m.data for m in planned)])}
    settings = Settings(seed, most, scale, sources)
    log = Log(folder / MEASUREMENTS, [Path(file) for file in also], machine.learning_fingerprint())
    kept: list[Key] = []
    if keep_times:
        timed = {m.experiment for m in planned if m.experiment != UNTIMED}
        kept = sorted(log.times(seed, timed), key=_in_plan)
        planned = [m for m in planned if m.experiment == UNTIMED]
    missing = [m for m, key in keys_of(planned, settings).items() if key not in log.rows]
    compile_ahead(missing, seed, progress)
    planned, spent = measure(chosen, planned, log, settings, chosen_scale.budgets, progress)
    keys = [*keys_of(planned, settings).values(), *kept]
    if "table1" in chosen:
        common = {"seed": seed, "code": machine.learning_fingerprint(), "source": sources["MEHRA"]}
        keys = list(dict.fromkeys([*keys, *log.untimed("MEHRA", common)]))
    drawing = time.perf_counter()
    context = Context(log.frame(keys), chosen_scale, knowledge, sources, seed, folder)
    figures = [_maker(name)(context) for name in chosen]
    spent["drawing"] = time.perf_counter() - drawing
    spent["all"] = time.perf_counter() - began
    return _finish(figures, context, settings, spent, _note(log.count_others(keys), folder))


def _in_plan(key: "Key") -> tuple[object, ...]:
    """Where a measurement stands in a plan: by rows, run and estimator."""
    experiment, data, n, sample, run, estimator = key[:6]
    order = list(ESTIMATORS)
    place = order.index(estimator) if estimator in order else len(order)
    return experiment, data, int(n), int(sample), int(run), place


def _maker(name: str) -> "Callable[[Context], PaperFigure]":
    maker: Callable[[Context], PaperFigure] = import_module(f"bnjit.paper.{name}").make
    return maker


def _note(others: int, folder: Path) -> str:
    if not others:
        return ""
    return (
        f"{folder / MEASUREMENTS} also holds {others} measurements made with another seed, version of the code or "
        "machine, or for other figures; they are kept there, and nothing here uses them"
    )


def _finish(
    figures: Sequence["PaperFigure"], context: "Context", settings: "Settings", spent: dict[str, float], note: str
) -> Reproduction:
    """Write the page."""
    from bnjit.paper.page import PAPER, body, page

    facts = _facts(context, settings, spent, note)
    lead = (
        f"Figures and tables of {PAPER}, regenerated by bnjit {facts['versions'].split()[1].rstrip(',')} at scale "
        f"“{settings.scale}” from {len(context.measured)} measurements."
    )
    inside = body(TITLE, lead, figures, facts)
    made = Reproduction(figures, context.measured, context.out, inside, note)
    with write_whole(made.page) as part:
        part.write_text(page(TITLE, inside), encoding="utf-8")
    return made


def _facts(context: "Context", settings: "Settings", spent: dict[str, float], note: str) -> dict[str, str]:
    """What a reader needs to judge the numbers and to reproduce them."""
    from bnjit.paper import machine
    from bnjit.paper.progress import duration

    chosen_scale: dict[str, Any] = context.scale._asdict()
    took = ", ".join(f"{name} {duration(seconds)}" for name, seconds in spent.items())
    facts = {
        "machine": ", ".join(f"{name}: {value}" for name, value in machine.machine().items()),
        "threads": f"1 where estimators are compared; up to {settings.threads} elsewhere",
        "load": _load(context.measured),
        "versions": ", ".join(f"{name} {value}" for name, value in machine.versions().items()),
        "code": f"commit {machine.commit() or 'unknown'}; {_timed(context.measured) or machine.fingerprint()} (timed), "
        f"{machine.learning_fingerprint()} (learning)",
        "scale": f"{settings.scale}: " + ", ".join(f"{name} {value}" for name, value in chosen_scale.items()),
        "seed": f"{settings.seed}, of samples, test rows and the order of measurements",
        "knowledge": "no arc into MEHRA's eleven variables of place and time" if context.knowledge else "none",
        "protocol": "Samples in random order; on each, run by run, estimators in random order. "
        "Kernels are compiled before the clock starts. Times are of the search on a table in memory; PRED's include "
        "the split into 75 % training and 25 % test rows. Estimators are compared by processor time with one thread, "
        "which other programs hardly change; measurements.csv has wall times beside it.",
        "data": "; ".join(f"{data}: {source}" for data, source in context.sources.items()),
        "this call took": took,
        "all searches took": duration(float(context.measured["wall_seconds"].sum())),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    return facts | ({"not used": note} if note else {})


def _timed(measured: "pd.DataFrame") -> str:
    """Which version of the code was timed, by experiment if there are several."""
    from bnjit.paper.log import UNTIMED

    timed = measured[measured["experiment"] != UNTIMED]
    codes = timed["experiment"].groupby(timed["code"]).unique()
    if len(codes) < 2:
        return "".join(codes.index)
    return ", ".join(f"{code} for {' and '.join(sorted(names))}" for code, names in codes.items())


def _load(measured: "pd.DataFrame") -> str:
    """How busy the machine was while it measured times, if there are any, beside how many cores it has."""
    from bnjit.paper import machine
    from bnjit.paper.log import UNTIMED

    timed = measured[measured["experiment"] != UNTIMED]
    loads = (timed if len(timed) else measured)["load"]
    if loads.isna().all():
        return "unknown"
    load, cores = float(loads.mean()), int(machine.machine()["cores"])
    busy = "; other programs were running, so that times are unreliable" if load > cores + 0.5 else ""
    return f"{load:.1f} on average, on {cores} cores{busy}"
