"""Regenerate the figures and tables of the paper: plan, measure what is missing, draw, and write one page."""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit.errors import ArgumentError, check_count
from bnjit.paper.plan import SCALES, Scale, plan

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.paper.figure import Context, PaperFigure
    from bnjit.paper.measure import Settings

FIGURES = ("fig1", "fig2", "table1", "fig3", "table2", "complexity")
ALL = "all"
MEASUREMENTS, PAGE = "measurements.csv", "reproduce.html"
SEED = 1
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
    samples: int | None = None, runs: int | None = None, seed: int = SEED, n_threads: int | None = None,
    knowledge: bool = True, out: str | Path = "figures", progress: bool | None = None,
) -> Reproduction:  # fmt: skip
    """Regenerate figures and tables of the paper's Section 5.

    Every finished measurement is kept in `measurements.csv` at once; a call that was interrupted continues there when
    it is made again. Measurements with other seeds, threads, code or machines are not used.

    Parameters
    ----------
    what : str or iterable of str
        "fig1", "fig2", "table1", "fig3", "table2", "complexity", or "all".
    scale : {"quick", "paper"}
        A few minutes, or the paper's own protocol: 1 to 50 million rows, five samples of each size, five runs.
    sizes : sequence of int, optional
        Sample sizes of MEHRA instead of the scale's.
    samples, runs : int, optional
        Samples of each size, and runs of each estimator on each sample and table, instead of the scale's.
    seed : int
        Of samples, test rows and the order of measurements.
    n_threads : int, optional
        Threads of a search, all by default.
    knowledge : bool
        Forbid arcs into MEHRA's eleven variables of place and time, which nothing in the data can cause.
    out : str or Path
        Folder for PNG, SVG and CSV files and the page `reproduce.html`; made if it is not there.
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
    >>> bnjit.paper.reproduce("fig2", sizes=[1000, 2000], out="figures")  # doctest: +SKIP
    """
    chosen = check_what(what)
    chosen_scale = check_scale(scale, sizes, samples, runs)
    check_count("seed", seed, least=0)
    check_count("n_threads", n_threads, least=1)
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f"out={str(out)!r} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    import numba

    from bnjit.paper.figure import Context
    from bnjit.paper.log import Log
    from bnjit.paper.measure import Settings, keys_of, measure
    from bnjit.paper.sources import source_of

    began = time.perf_counter()
    settings = Settings(seed, min(n_threads or numba.get_num_threads(), numba.config.NUMBA_NUM_THREADS), scale)
    planned = plan(chosen, chosen_scale, knowledge)
    log = Log(folder / MEASUREMENTS)
    spent = measure(planned, log, settings, progress)
    measured = log.frame(keys_of(planned, settings).values())
    sources = {
        data: source_of(data) for data in dict.fromkeys(["MEHRA", *(measurement.data for measurement in planned)])
    }
    drawing = time.perf_counter()
    context = Context(measured, chosen_scale, knowledge, sources, seed, folder)
    figures = [_maker(name)(context) for name in chosen]
    spent["drawing"] = time.perf_counter() - drawing
    spent["all"] = time.perf_counter() - began
    note = _note(log.count_others(settings.as_row()), folder)
    return _finish(figures, context, settings, spent, note)


def _maker(name: str) -> "Callable[[Context], PaperFigure]":
    maker: Callable[[Context], PaperFigure] = import_module(f"bnjit.paper.{name}").make
    return maker


def check_what(what: str | Iterable[str]) -> list[str]:
    """Names of figures and tables, in the order of the page."""
    names = [what] if isinstance(what, str) else list(what)
    for name in names:
        if name not in (*FIGURES, ALL):
            raise ArgumentError(f"what={name!r} is not known; choose from {', '.join((*FIGURES, ALL))}")
    if not names:
        raise ArgumentError(f"what is empty; choose from {', '.join((*FIGURES, ALL))}")
    return [name for name in FIGURES if name in names or ALL in names]


def check_scale(scale: str, sizes: Sequence[int] | None, samples: int | None, runs: int | None) -> Scale:
    """The scale of a name, with the changes that other arguments ask for."""
    if scale not in SCALES:
        raise ArgumentError(f"scale={scale!r} is not known; it is {' or '.join(SCALES)}")
    chosen_scale = SCALES[scale]
    if sizes is not None:
        for n in sizes:
            check_count("sizes", n, least=100)
        if not len(sizes) or len(set(sizes)) < len(sizes):
            raise ArgumentError(f"sizes={list(sizes)!r} must be different numbers of rows, one at least")
        chosen_scale = chosen_scale._replace(sizes=tuple(sorted(int(n) for n in sizes)), larger=())
    check_count("samples", samples, least=1)
    check_count("runs", runs, least=1)
    if samples is not None:
        chosen_scale = chosen_scale._replace(
            samples=samples, larger=tuple((n, samples) for n, _ in chosen_scale.larger)
        )
    if runs is not None:
        chosen_scale = chosen_scale._replace(runs=runs, table_runs=runs)
    return chosen_scale


def _note(others: int, folder: Path) -> str:
    if not others:
        return ""
    return (
        f"{folder / MEASUREMENTS} also holds {others} measurements made with another seed, number of threads, version "
        "of the code or machine; they are kept there, and nothing here uses them"
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
    made.page.write_text(page(TITLE, inside), encoding="utf-8")
    return made


def _facts(context: "Context", settings: "Settings", spent: dict[str, float], note: str) -> dict[str, str]:
    """What a reader needs to judge the numbers and to reproduce them."""
    from bnjit.paper import machine
    from bnjit.paper.progress import duration

    chosen_scale: dict[str, Any] = context.scale._asdict()
    took = ", ".join(f"{name} {duration(seconds)}" for name, seconds in spent.items())
    facts = {
        "machine": ", ".join(f"{name}: {value}" for name, value in machine.machine().items()),
        "threads": str(settings.threads),
        "load": _load(context.measured),
        "versions": ", ".join(f"{name} {value}" for name, value in machine.versions().items()),
        "code": machine.fingerprint(),
        "scale": f"{settings.scale}: " + ", ".join(f"{name} {value}" for name, value in chosen_scale.items()),
        "seed": f"{settings.seed}, of samples, test rows and the order of measurements",
        "knowledge": "no arc into MEHRA's eleven variables of place and time" if context.knowledge else "none",
        "protocol": "Samples in random order, one in memory at a time; on each, estimators and runs in random order. "
        "Kernels are compiled before the clock starts. Times are of the search on a table in memory; PRED's include "
        "the split into 75 % training and 25 % test rows.",
        "data": "; ".join(f"{data}: {source}" for data, source in context.sources.items()),
        "this call took": took,
        "all searches took": duration(float(context.measured["seconds"].sum())),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }
    return facts | ({"not used": note} if note else {})


def _load(measured: "pd.DataFrame") -> str:
    """How busy the machine was while it measured, beside how many cores it has."""
    from bnjit.paper import machine

    if measured["load"].isna().all():
        return "unknown"
    load, cores = float(measured["load"].mean()), int(machine.machine()["cores"])
    busy = "; other programs were running, so that times are unreliable" if load > cores + 0.5 else ""
    return f"{load:.1f} on average, on {cores} cores{busy}"
