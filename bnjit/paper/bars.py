"""Grouped bars of running times relative to QR's, the form of the paper's Figures 2 and 3."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bnjit.paper.plan import ESTIMATORS
from bnjit.paper.ratios import BASELINE
from bnjit.paper.tuning import BAR_WIDTH

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Mark(NamedTuple):
    """Somebody else's ratios, drawn over the bars: by estimator, the same for all groups or by group."""

    label: str
    marker: str
    colour: str
    shift: float  # to the right, as a share of a bar's width: the interval stays visible
    ratios: Mapping[Any, Mapping[str, float]]  # by group; None is all groups

    def at(self, group: Any, estimator: str) -> float | None:
        """Ratio over a bar, if there is one."""
        return self.ratios.get(group, self.ratios.get(None, {})).get(estimator)


def draw_bars(
    ax: "Axes", ratios: "pd.DataFrame", by: str, labels: Sequence[str], title: str, marks: Sequence[Mark] = ()
) -> None:
    """Draw a group of bars for each size or data set: share of QR's time, its interval, and QR's mean time."""
    groups = list(dict.fromkeys(ratios[by]))
    shown = ratios.set_index([by, "estimator"])
    top = 1.0
    for k, (name, style) in enumerate(ESTIMATORS.items()):
        for i, group in enumerate(groups):
            if (group, name) not in shown.index:
                continue
            ratio, low, high, seconds = (float(shown.loc[(group, name), column]) for column in
                                         ("ratio", "low", "high", "seconds"))  # fmt: skip
            x = i + (k - (len(ESTIMATORS) - 1) / 2) * BAR_WIDTH
            ax.bar(x, ratio, BAR_WIDTH * 0.92, color=style.colour, edgecolor="white", hatch=style.hatch, linewidth=0.4,
                   label=name if i == 0 else None)  # fmt: skip
            highest = ratio
            if not math.isnan(low) and name != BASELINE:
                ax.errorbar(x, ratio, [[ratio - low], [high - ratio]], color="#222222", capsize=2.5, linewidth=0.9)
                highest = high
            highest = max([highest, *_draw_marks(ax, marks, group, name, x)])
            ax.annotate(f"{ratio:.2f}", (x, highest), (0, 5), textcoords="offset points", ha="center", va="bottom",
                        fontsize=7.5, zorder=5)  # fmt: skip
            top = max(top, highest)
            if name == BASELINE:
                ax.annotate(format_time(seconds), (x, 0.04), rotation=90, ha="center", va="bottom", color="white",
                            fontsize=8.5, fontweight="bold", zorder=5)  # fmt: skip
    ax.axhline(1.0, color="#999999", linewidth=0.8, linestyle=":", zorder=0)
    ax.set_xticks(range(len(groups)), labels)
    ax.set_xlim(-0.5, len(groups) - 0.5)
    ax.set_ylim(0.0, 1.1 * top)  # contains every interval, every mark and their labels
    ax.set_ylabel("relative to QR")
    ax.set_title(title, loc="left", fontsize=10.5)
    ax.spines[["top", "right"]].set_visible(False)


def _draw_marks(ax: "Axes", marks: Sequence[Mark], group: Any, estimator: str, x: float) -> list[float]:
    """Draw the marks of a bar at x; return their heights."""
    heights = []
    for mark in marks:
        value = mark.at(group, estimator)
        if value is not None:
            label = mark.label if mark.label not in ax.get_legend_handles_labels()[1] else None
            ax.plot(x + mark.shift * BAR_WIDTH, value, mark.marker, color=mark.colour, markeredgecolor="white",
                    markeredgewidth=0.8, markersize=6, zorder=6, linestyle="none", label=label)  # fmt: skip
            heights.append(value)
    return heights


def add_legend(figure: "Figure", ax: "Axes") -> None:
    """One legend below all panels: the bars on a first line, the marks on a second."""
    handles, labels = ax.get_legend_handles_labels()
    of = dict(zip(labels, handles, strict=True))
    bars = [name for name in labels if name in ESTIMATORS]
    marks = [name for name in labels if name not in ESTIMATORS]
    if marks:
        figure.legend([of[name] for name in marks], marks, loc="outside lower center", ncols=1, frameon=False,
                      fontsize=8.5)  # fmt: skip
    figure.legend([of[name] for name in bars], bars, loc="outside upper center", ncols=len(bars), frameon=False,
                  fontsize=9)  # fmt: skip


def format_time(seconds: float) -> str:
    """A time for a label.

    Examples
    --------
    >>> [format_time(s) for s in (0.00142, 2.71, 123.4)]
    ['1.4 ms', '2.7 s', '123 s']
    """
    if seconds < 0.1:
        return f"{1e3 * seconds:.2g} ms"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"
