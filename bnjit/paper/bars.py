"""Grouped bars of normalised running times, the form of the paper's Figures 2 and 3."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from bnjit.paper.intervals import BASELINE
from bnjit.paper.plan import ESTIMATORS
from bnjit.paper.tuning import BAR_WIDTH, MOST_AXIS_HEIGHT

if TYPE_CHECKING:
    import pandas as pd

# Running times as shares of QR's that the paper reports in its text, for MEHRA and for the tables.
PAPER_RATIOS = {"fig2": {"1P": 0.80, "2P": 0.75, "PRED": 0.40}, "fig3": {"1P": 0.85, "2P": 0.78, "PRED": 0.40}}


def draw_bars(ratios: "pd.DataFrame", by: str, labels: Sequence[str], title: str) -> Figure:
    """Draw a group of bars for each size or data set: share of QR's time, its interval, and QR's mean time."""
    groups = list(dict.fromkeys(ratios[by]))
    figure = Figure(figsize=(max(6.5, 2.3 * len(groups) + 1.0), 4.6), layout="constrained")
    ax = figure.add_subplot()
    for k, (name, style) in enumerate(ESTIMATORS.items()):
        own = ratios[ratios["estimator"] == name].set_index(by)
        for i, group in enumerate(groups):
            if group not in own.index:
                continue
            ratio, low, high = (float(own.loc[group, column]) for column in ("ratio", "low", "high"))
            x = i + (k - (len(ESTIMATORS) - 1) / 2) * BAR_WIDTH
            ax.bar(x, ratio, BAR_WIDTH * 0.92, color=style.colour, edgecolor="white", hatch=style.hatch, linewidth=0.4,
                   label=name if i == 0 else None)  # fmt: skip
            if not math.isnan(low):
                # Times are positive: an interval that reaches below zero stops there.
                ax.errorbar(x, ratio, [[ratio - max(low, 0.0)], [high - ratio]], color="#222222", capsize=2.5,
                            linewidth=0.9)  # fmt: skip
            ax.annotate(f"{ratio:.2f}", (x, ratio), (0, 3), textcoords="offset points", ha="center", va="bottom",
                        fontsize=7.5, bbox=_label_background("white"), zorder=5)  # fmt: skip
            if name == BASELINE:
                seconds = _time(float(own.loc[group, "seconds"]))
                ax.annotate(seconds, (x, 0.04), rotation=90, ha="center", va="bottom", color="white", fontsize=8.5,
                            fontweight="bold", bbox=_label_background(style.colour), zorder=5)  # fmt: skip
    ax.axhline(1.0, color="#999999", linewidth=0.8, linestyle=":", zorder=0)
    ax.set_xticks(range(len(groups)), labels)
    ax.set_ylim(0.0, _axis_top(ratios))
    ax.set_ylabel("running time, relative to QR")
    ax.set_title(title, loc="left", fontsize=11)
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=len(ESTIMATORS), frameon=False, fontsize=9)
    return figure


def _label_background(colour: str) -> dict[str, Any]:
    """Background of a label, which hides the whisker behind it."""
    return {"facecolor": colour, "edgecolor": "none", "pad": 0.8}


def _axis_top(ratios: "pd.DataFrame") -> float:
    """Top of the axis, where the very wide intervals of two or three measurements are cut."""
    bars = max(1.0, float(ratios["ratio"].max()))
    return min(
        MOST_AXIS_HEIGHT * bars,
        1.12 * max(bars, float(ratios["high"].max(skipna=True) if ratios["high"].notna().any() else bars)),
    )


def _time(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def compare(ratios: "pd.DataFrame", figure: str) -> tuple[str, ...]:
    """Mean speed-up of each estimator over QR, beside what the paper reports."""
    found = []
    for name in list(ESTIMATORS)[1:]:
        own = ratios[ratios["estimator"] == name]["ratio"]
        if own.empty:
            continue
        mean = float(own.mean())
        reported = PAPER_RATIOS[figure].get(name)
        paper = f" (the paper: about {1 - reported:.0%} faster)" if reported is not None else " (not in the paper)"
        found.append(f"{name} {_describe_ratio(mean)} on average{paper}.")
    return tuple(found)


def _describe_ratio(ratio: float) -> str:
    """Describe a running time, given as a share of QR's, in words."""
    if ratio <= 0.5:
        return f"is {1 - ratio:.0%} faster than QR, {1 / ratio:.1f} times as fast,"
    return f"is {1 - ratio:.0%} faster than QR" if ratio < 1 else f"takes {ratio - 1:.0%} longer than QR"


def repetitions(ratios: "pd.DataFrame") -> str:
    """How many samples and runs the bars are means of."""
    samples, runs = int(ratios["samples"].max()), int(ratios["runs"].max())
    counted = f"{samples} sample{'s' * (samples > 1)}, {runs} run{'s' * (runs > 1)} of each"
    if samples == runs == 1:
        return f"{counted}; one measurement has no interval"
    over, degrees = ("samples", samples - 1) if samples > 1 else ("runs", runs - 1)
    return f"{counted}; whiskers: 95 % confidence intervals over {over} (Student's t, {degrees} d.f.), cut at the top"
