"""What threads gain: wall times with one thread and with all of them, apart from the comparison of estimators."""

import math

import pandas as pd
from matplotlib.figure import Figure

from bnjit.paper.figure import Context, PaperFigure, format_rows, save_figure, save_table
from bnjit.paper.plan import ESTIMATORS, THREADED
from bnjit.paper.ratios import paired_ratios


def make(context: Context) -> PaperFigure:
    """Draw the speed-ups, and write them."""
    table = speed_ups(context)
    n, most = min(context.scale.sizes), int(table["threads"].max())
    figure = Figure(figsize=(5.4, 3.3), layout="constrained")
    ax = figure.add_subplot()
    for i, row in enumerate(table.to_dict("records")):
        style, gain, low, high = (ESTIMATORS[row["estimator"]], row["speed_up"], row["low"], row["high"])
        ax.barh(i, gain, 0.6, color=style.colour, hatch=style.hatch, edgecolor="white", linewidth=0.4)
        if not math.isnan(low):
            ax.errorbar(gain, i, xerr=[[gain - low], [high - gain]], color="#222222", capsize=3, linewidth=0.9)
        ax.annotate(f"{gain:.2f}", (0.04, i), va="center", fontsize=9, fontweight="bold", color="white",
                    bbox={"facecolor": style.colour, "edgecolor": "none", "pad": 1.0})  # fmt: skip
    ax.axvline(1.0, color="#999999", linewidth=0.8, linestyle=":", zorder=0)
    ax.set_yticks(range(len(table)), table["estimator"].tolist())
    ax.invert_yaxis()
    right = max(1.0, float(table["speed_up"].max()), float(table["high"].max(skipna=True) if len(table) else 1.0))
    ax.set_xlim(0.0, 1.08 * (right if math.isfinite(right) else 1.0))
    ax.set_xlabel(f"wall time with 1 thread / with {most}")
    ax.set_title(f"MEHRA, n = {format_rows(n)}: speed-up by {most} threads", loc="left", fontsize=10.5)
    ax.spines[["top", "right"]].set_visible(False)
    paths, svg = save_figure(figure, context.out, "threads")
    said = "; ".join(f"{row['estimator']} is {row['speed_up']:.2f} times as fast" for row in table.to_dict("records"))
    alone = "There is one processor only, so that there is nothing to gain. " if most == 1 else ""
    return PaperFigure(
        "threads",
        "Threads: what they gain",
        f"Wall times of searches with one thread, divided by those with {most} on the same sample; "
        f"geometric means and 95 % intervals as in Figure 2. {alone}Wall times count what other programs take, "
        "too: see the load below. Figures 2 and 3 use one thread, as the paper does.",
        (f"With {most} threads {said}.",),
        (*paths, save_table(table, context.out, "threads")),
        svg,
    )


def speed_ups(context: Context) -> pd.DataFrame:
    """Speed-up of each estimator by all threads: the inverse of its share of the time with one."""
    measured = context.measured
    mine = measured[(measured["experiment"] == "mehra") & measured["estimator"].isin(THREADED)]
    mine = mine[(mine["n"] == min(context.scale.sizes)) & (mine["knowledge"] == context.knowledge)]
    most = mine["threads"].max()
    shares = paired_ratios(mine, "n", "wall_seconds", versus=("threads", 1))
    own = shares[shares["threads"] == most]
    return pd.DataFrame({
        "estimator": own["estimator"], "n": own["n"], "threads": own["threads"], "speed_up": 1.0 / own["ratio"],
        "low": 1.0 / own["high"], "high": 1.0 / own["low"], "samples": own["samples"], "runs": own["runs"],
    })  # fmt: skip
