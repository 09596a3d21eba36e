"""More runs where an interval is still wide, until a budget is used up."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bnjit.paper.plan import ESTIMATORS, Measurement
from bnjit.paper.ratios import paired_ratios, per_local, widest
from bnjit.paper.tuning import HALF_WIDTH, MOST_RUNS

if TYPE_CHECKING:
    import pandas as pd

# Figures with intervals: the experiment and the column that tells the groups of bars apart.
FIGURES = {"fig2": ("mehra", "n"), "fig3": ("table2", "data")}


def more_runs(
    what: Iterable[str], planned: Sequence[Measurement], measured: "pd.DataFrame", budgets: Mapping[str, float]
) -> list[Measurement]:
    """One more run on every sample of the group of bars with the widest interval, if the budget allows it, up to ten.

    A budget is of wall time and counts all searches of the figure. The answer depends on `planned` and `measured`
    alone, so that an interrupted call goes on as it would have.
    """
    for figure in what:
        if figure not in FIGURES:
            continue
        experiment, by = FIGURES[figure]
        timed = measured[(measured["experiment"] == experiment) & (measured["threads"] == 1)]
        left = budgets[figure] - float(timed["wall_seconds"].sum())
        widths = {}
        for group, inside in timed.groupby(by):
            seconds = float(inside["wall_seconds"].sum()) / inside["run"].nunique()
            more = inside["run"].nunique() < MOST_RUNS and seconds <= left
            if more and set(inside["estimator"]) == set(ESTIMATORS):
                widths[group] = half_width(inside, by)
        worst = max(widths, key=lambda group: widths[group], default=None)
        if worst is not None and widths[worst] > HALF_WIDTH:
            return _next_run([m for m in planned if m.experiment == experiment and getattr(m, by) == worst])
    return []


def half_width(inside: "pd.DataFrame", by: str) -> float:
    """Half of the widest interval of a group of bars, of total times and of times for one local distribution."""
    return max(widest(paired_ratios(inside, by)), widest(paired_ratios(per_local(inside), by)))


def _next_run(group: Sequence[Measurement]) -> list[Measurement]:
    """The measurements of the first run, as the next one; of samples that every estimator learns."""
    run = 1 + max(m.run for m in group)
    first = [m for m in group if m.run == 0 and m.threads == 1]
    samples = {m.sample for m in first if m.estimator == "PRED"}
    return [m._replace(run=run) for m in first if m.sample in samples]
