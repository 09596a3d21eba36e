"""More runs, or more samples, where an interval is still wide, until a budget is used up."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from bnjit.paper.plan import ESTIMATORS, Measurement
from bnjit.paper.ratios import BASELINE, FEWEST_SAMPLES, paired_ratios, per_local, widest
from bnjit.paper.tuning import HALF_WIDTH, MOST_RUNS, MOST_SAMPLES

if TYPE_CHECKING:
    import pandas as pd

# Figures with intervals: the experiment and the column that tells the groups of bars apart.
FIGURES = {"fig2": ("mehra", "n"), "fig3": ("table2", "data")}


def more_runs(
    what: Iterable[str], planned: Sequence[Measurement], measured: "pd.DataFrame", budgets: Mapping[str, float]
) -> list[Measurement]:
    """One more run on every sample of the group of bars with the widest interval, if the budget allows it, up to ten.

    Where the interval is over samples, it is one more sample instead, with as many runs, for the estimators whose
    intervals are wide and for QR: a search is as long as its sample makes it, and more runs would not tell.

    A budget is of wall time and counts all searches of the figure. The answer depends on `planned` and `measured`
    alone, so that an interrupted call goes on as it would have.
    """
    for figure in what:
        if figure not in FIGURES:
            continue
        experiment, by = FIGURES[figure]
        timed = measured[(measured["experiment"] == experiment) & (measured["threads"] == 1)]
        left = budgets[figure] - float(timed["wall_seconds"].sum())
        widths: dict[object, tuple[float, list[Measurement]]] = {}
        for group, inside in timed.groupby(by):
            if set(inside["estimator"]) == set(ESTIMATORS):
                own = [m for m in planned if m.experiment == experiment and m.threads == 1 and getattr(m, by) == group]
                halves = half_widths(inside, by)
                samples = inside["sample"].nunique()
                if samples >= FEWEST_SAMPLES:
                    more, few = _next_sample(own, halves), samples < MOST_SAMPLES
                else:
                    more, few = _next_run(own), inside["run"].nunique() < MOST_RUNS
                if few and _seconds(inside, more) <= left:
                    widths[group] = max(halves.values()), more
        worst = max(widths.values(), key=lambda found: found[0], default=None)
        if worst is not None and worst[0] > HALF_WIDTH:
            return worst[1]
    return []


def half_widths(inside: "pd.DataFrame", by: str) -> dict[str, float]:
    """Half of the wider interval of every bar, of total times and of times for one local distribution."""
    both = [paired_ratios(inside, by), paired_ratios(per_local(inside), by)]
    return {name: max(widest(table[table["estimator"] == name]) for table in both) for name in ESTIMATORS}


def _seconds(inside: "pd.DataFrame", more: Sequence[Measurement]) -> float:
    """Wall time that more measurements will take, by those that there are."""
    means = inside.groupby("estimator")["wall_seconds"].mean()
    return float(sum(means[m.estimator] for m in more))


def _next_sample(group: Sequence[Measurement], halves: Mapping[str, float]) -> list[Measurement]:
    """Measurements of one more sample, by QR and the estimators whose intervals are wide."""
    sample = 1 + max(m.sample for m in group)
    wide = [name for name, half in halves.items() if half > HALF_WIDTH or name == BASELINE]
    first = [m for m in group if m.sample == min(m.sample for m in group) and m.estimator in wide]
    return [m._replace(sample=sample) for m in first]


def _next_run(group: Sequence[Measurement]) -> list[Measurement]:
    """The measurements of the first run, as the next one."""
    run = 1 + max(m.run for m in group)
    return [m._replace(run=run) for m in group if m.run == 0]
