"""Draw how sure arcs are: the distribution of their strengths, and the threshold between noise and arcs."""

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from bnjit.averaging import strength_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def draw_strength(strength: "pd.DataFrame", ax: "Axes | None" = None, threshold: float | None = None) -> "Axes":
    """Draw the distribution function of arc strengths and the threshold above which arcs are significant.

    Parameters
    ----------
    strength : pandas.DataFrame
        From `bnjit.arc_strength`.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    threshold : float, optional
        As in `bnjit.averaged_network`.

    Returns
    -------
    matplotlib Axes
    """
    if ax is None:
        _, ax = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
    least = strength_threshold(strength) if threshold is None else threshold
    values = np.sort(strength["strength"].to_numpy(float))
    share = np.arange(len(values) + 1) / max(1, len(values))
    ax.step(np.concatenate([[0.0], values, [1.0]]), np.append(share, 1.0), where="post", color="#222222", linewidth=1.2)
    kept = int((values > least).sum()) // 2
    ax.axvline(least, color="#D55E00", linestyle="--", linewidth=1.2, label=f"threshold {least:.3g}, {kept} arcs above")
    ax.set(xlim=(-0.02, 1.02), ylim=(0.0, 1.02), xlabel="arc strength", ylabel="share of pairs up to it")
    ax.legend(loc="lower right", frameon=False)
    return ax
