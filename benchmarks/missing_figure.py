"""SHD against the share of missing values, for missing.py: a panel for each kind of network and number of rows."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

# Method: label, colour, line, marker. Colours are told apart by readers who see no difference of red and green.
STYLE = {
    "bnlearn pnal": ("bnlearn, available rows (pnal)", "#E69F00", "--", "v"),
    "bnlearn em": ("bnlearn, structural EM", "#CC79A7", "--", "D"),
    "drop": ("complete rows alone (drop)", "#D55E00", "-", "s"),
    "available": ('bnjit, missing="available"', "#0072B2", "-", "^"),
    "em": ('bnjit, missing="em"', "#009E73", "-", "o"),
    "complete": ("nothing missing", "#222222", ":", ""),
}


def draw_shd(points: pd.DataFrame, ax: Axes) -> None:
    """Draw the mean SHD of every method against the percentage missing."""
    points = points.sort_values("percent")
    for method, (label, colour, line, marker) in STYLE.items():
        shown = points[["percent", method]].dropna()
        ax.plot(
            shown["percent"],
            shown[method],
            line,
            color=colour,
            marker=marker,
            label=label,
            linewidth=1.4,
            markersize=4.5,
        )
    ax.set(ylim=(-1.5, 62.0), xticks=points["percent"])
    ax.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def save_figure(means: pd.DataFrame, out: Path) -> None:
    """Save missing.png and missing.svg."""
    sizes, kinds = sorted(means["rows"].unique()), ["Gaussian", "discrete", "mixed"]
    figure, axes = plt.subplots(
        len(sizes), len(kinds), figsize=(8.0, 2.5 * len(sizes) + 0.7), sharex=True, sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for row, rows in zip(axes, sizes, strict=True):
        for ax, kind in zip(row, kinds, strict=True):
            draw_shd(means[(means["rows"] == rows) & (means["data"] == kind)], ax)
            ax.set_title(f"{kind}, {rows:,} rows", fontsize=10)
        row[0].set_ylabel("SHD to the true network")
    for ax in axes[-1]:
        ax.set_xlabel("percent missing, by chance")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    with mpl.rc_context({"svg.hashsalt": "missing"}):
        for ending in ("png", "svg"):
            figure.savefig(out / f"missing.{ending}", dpi=150, metadata={"Date": None} if ending == "svg" else None)
    plt.close(figure)
