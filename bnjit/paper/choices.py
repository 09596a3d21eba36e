"""What a caller may choose: figures and tables, and how much is measured for them."""

from collections.abc import Iterable, Sequence

from bnjit.errors import ArgumentError, as_number, check_count
from bnjit.paper.plan import SCALES, Scale
from bnjit.paper.protocols import PROTOCOLS

FIGURES = ("fig1", "fig2", "threads", "table1", "fig3", "table2", "complexity")
ALL = "all"


def check_what(what: str | Iterable[str]) -> list[str]:
    """Names of figures and tables, in the order of the page."""
    names = [what] if isinstance(what, str) else list(what)
    for name in names:
        if name not in (*FIGURES, ALL):
            raise ArgumentError(f"what={name!r} is not known; choose from {', '.join((*FIGURES, ALL))}")
    if not names:
        raise ArgumentError(f"what is empty; choose from {', '.join((*FIGURES, ALL))}")
    return [name for name in FIGURES if name in names or ALL in names]


def check_scale(
    scale: str, sizes: Sequence[int] | None, samples: int | None, runs: int | None, budget: float | None = None,
    protocols: Sequence[str] | None = None, splits: int | None = None, rows: int | None = None,
) -> Scale:  # fmt: skip
    """The scale of a name, with the changes that other arguments ask for."""
    if scale not in SCALES:
        raise ArgumentError(f"scale={scale!r} is not known; it is {' or '.join(SCALES)}")
    for name, value in (("samples", samples), ("runs", runs), ("splits", splits)):
        check_count(name, value, least=1)
    check_count("rows", rows, least=100)
    chosen = SCALES[scale]
    if sizes is not None:
        for n in sizes:
            check_count("sizes", n, least=100)
        if not len(sizes) or len(set(sizes)) < len(sizes):
            raise ArgumentError(f"sizes={list(sizes)!r} must be different numbers of rows, one at least")
        ascending = tuple(sorted(int(n) for n in sizes))
        chosen = chosen._replace(
            sizes=ascending,
            row_sizes=ascending,
            accuracy=tuple((n, *chosen.accuracy[0][1:]) for n in ascending),
        )
    if samples is not None:
        chosen = chosen._replace(
            samples=samples, accuracy=tuple((n, samples, which) for n, _, which in chosen.accuracy)
        )
    if runs is not None:
        chosen = chosen._replace(runs=runs, table_runs=runs)
    if budget is not None:
        chosen = chosen._replace(budgets=dict.fromkeys(chosen.budgets, as_number("budget", budget)))
    if splits is not None:
        chosen = chosen._replace(splits=splits)
    if rows is not None:
        chosen = chosen._replace(rows=rows)
    if protocols is not None:
        wanted = _check_protocols(protocols)
        chosen = chosen._replace(accuracy=tuple((n, samples, wanted) for n, samples, _ in chosen.accuracy))
    return chosen


def _check_protocols(protocols: Sequence[str]) -> tuple[str, ...]:
    for name in protocols:
        if name not in PROTOCOLS:
            raise ArgumentError(f"protocols={name!r} is not known; choose from {', '.join(PROTOCOLS)}")
    if not protocols:
        raise ArgumentError(f"protocols is empty; choose from {', '.join(PROTOCOLS)}")
    return tuple(name for name in PROTOCOLS if name in protocols)
