"""What a search costs, predicted by the paper's expressions (Sections 2 to 4) and measured."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from bnjit import complexity
from bnjit.paper.figure import Context, PaperFigure, format_rows, save_figure, save_table
from bnjit.paper.plan import ESTIMATORS, Measurement
from bnjit.paper.sources import gaussian_network, load, mehra_network
from bnjit.paper.timing import arcs_into_place_and_time
from bnjit.paper.tuning import MOST_ROWS_COUNTED
from bnjit.scores import make_scorer
from bnjit.search import ScoreMemo, Search, State, hill_climbing
from bnjit.search.constraints import make_constraints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = ("QR", "2P", "STATS")
MARKERS = {"QR": "o", "2P": "s", "STATS": "D"}


def make(context: Context) -> PaperFigure:
    """Draw the four panels, and write their points."""
    panels = {"rows": by_rows(context), "nodes": by_nodes(context), "parents": by_parents(context),
              "counts": by_count(context)}  # fmt: skip
    figure = Figure(figsize=(10.5, 8.0), layout="constrained")
    axes = figure.subplots(2, 2).ravel().tolist()
    _draw_times(axes[0], panels["rows"], "sample size n", "MEHRA: time by sample size")
    n = int(context.scale.node_rows)
    _draw_times(
        axes[1], panels["nodes"], "number of nodes N", f"Gaussian networks: time by nodes (n = {format_rows(n)})"
    )
    _draw_parents(axes[2], panels["parents"], context)
    _draw_counts(axes[3], panels["counts"])
    paths, svg = save_figure(figure, context.out, "complexity")
    table = pd.concat([panel.assign(panel=name) for name, panel in panels.items()])
    table = table[["panel", "x", "estimator", "measured", "predicted", "unit"]]
    return PaperFigure(
        "complexity",
        "Complexity: predicted and measured",
        "Lines: the paper's expressions (bnjit.complexity), scaled by one constant for each panel and estimator, "
        "and in the third panel by a single one; on MEHRA only their order in n. Points: measured. Top: time by rows "
        f"on MEHRA ({context.sources['MEHRA']}) and by nodes of random Gaussian networks with 1.5 parents on average; "
        "bottom: cost of one local distribution by number of parents, and how many are estimated.",
        tuple(_findings(panels)),
        (*paths, save_table(table, context.out, "complexity")),
        svg,
    )


def by_rows(context: Context) -> pd.DataFrame:
    """Seconds of searches on MEHRA by rows; the cost is linear in them."""
    measured = context.measured
    mine = measured[(measured["experiment"] == "mehra") & (measured["knowledge"] == context.knowledge)]
    mine = mine[
        mine["n"].isin(context.scale.row_sizes)
        & (mine["threads"] == 1)
        & (mine["run"] == 0)
        & mine["estimator"].isin(SHOWN)
    ]
    # Only the order in n of the paper's expression for the whole network is used: MEHRA's many levels, to the power of
    # the number of discrete parents, would dominate it, and configurations without rows cost nothing here.
    return _means(mine, "n", {(int(n), name): float(n) for n in set(mine["n"]) for name in SHOWN})


def by_nodes(context: Context) -> pd.DataFrame:
    """Seconds of searches by the number of nodes; the cost is quadratic for sparse networks."""
    mine = context.measured[context.measured["experiment"] == "nodes"]
    mine = mine.assign(nodes=mine["data"].str.split().str[-1].astype(int))
    cost = {
        (nodes, name): complexity.search(
            gaussian_network(nodes).dag, context.scale.node_rows, "gaussian", estimator=_counted_as(name)
        )
        for nodes in set(mine["nodes"].tolist()) for name in SHOWN
    }  # fmt: skip
    return _means(mine, "nodes", cost)


def _counted_as(estimator: str) -> str:
    """Estimator whose operations the paper counts; STATS, which the paper does not have, is compared with QR's."""
    return {"2P": "2p"}.get(estimator, "qr")


def _means(mine: pd.DataFrame, by: str, cost: dict[tuple[int, str], float]) -> pd.DataFrame:
    """Mean seconds beside costs, scaled to them by one constant for each estimator."""
    table = mine.groupby([by, "estimator"])["cpu_seconds"].mean().reset_index()
    table = table.rename(columns={by: "x", "cpu_seconds": "measured"})
    table["predicted"] = [cost[int(x), name] for x, name in zip(table["x"], table["estimator"], strict=True)]
    for name, own in table.groupby("estimator"):
        # The mean of the logarithmic differences fits the shape of the curve, with equal weight for all sizes.
        factor = np.exp(np.mean(np.log(own["measured"] / own["predicted"])))
        table.loc[table["estimator"] == name, "predicted"] *= factor
    return table.assign(unit="seconds")


def by_parents(context: Context) -> pd.DataFrame:
    """Nanoseconds a row of one local distribution by its number of parents, QR and closed form."""
    mine = context.measured[context.measured["experiment"] == "parents"]
    table = mine.groupby(["parents", "estimator"])["cpu_seconds"].min().reset_index()
    n = context.scale.regression_rows
    table["measured"] = 1e9 * table["cpu_seconds"] / n
    table["predicted"] = [
        complexity.local("gaussian", n, continuous_parents=int(j), estimator=_counted_as(name)) / n
        for j, name in zip(table["parents"], table["estimator"], strict=True)
    ]
    table["predicted"] *= np.exp(np.mean(np.log(table["measured"] / table["predicted"])))
    return table.rename(columns={"parents": "x"})[["x", "estimator", "measured", "predicted"]].assign(unit="ns a row")


class _CountingScorer:
    """A scorer that counts the parent sets it is asked for, by their size."""

    def __init__(self, scorer: Any) -> None:
        self._scorer, self.counts = scorer, Counter[int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scorer, name)

    def local_scores(self, batch: Any) -> Any:
        self.counts.update(batch.sets.sizes.tolist())
        return self._scorer.local_scores(batch)


def by_count(context: Context) -> pd.DataFrame:
    """Local distributions that a search on MEHRA estimates, by their number of parents."""
    sizes = [n for n in context.scale.row_sizes if n <= MOST_ROWS_COUNTED] or [min(context.scale.row_sizes)]
    measurement = Measurement("mehra", "MEHRA", max(sizes), 0, 0, "STATS", context.knowledge)
    table = load(measurement, context.seed).table
    scorer: Any = _CountingScorer(make_scorer(table, "bic"))
    blacklist = arcs_into_place_and_time(table.names) if context.knowledge else None
    constraints = make_constraints(table.names, table.discrete, blacklist=blacklist)
    search = Search(State(ScoreMemo(scorer), constraints), None, _ignore)
    search.run(hill_climbing)
    predicted = complexity.local_distributions(mehra_network().dag)["distributions"]
    most = max(*scorer.counts, *predicted.index)
    x = list(range(1, most + 1))
    return pd.DataFrame({
        "x": x, "estimator": "STATS", "measured": [scorer.counts[j] for j in x],
        "predicted": [int(predicted.get(j, 0)) for j in x], "unit": "local distributions",
    })  # fmt: skip


def _ignore(step: Any) -> None:
    """Show nothing of the steps of a search."""


def _draw_times(ax: "Axes", table: pd.DataFrame, label: str, title: str) -> None:
    for name in SHOWN:
        own = table[table["estimator"] == name]
        ax.plot(own["x"], own["predicted"], color=ESTIMATORS[name].colour, linewidth=1.2)
        ax.plot(own["x"], own["measured"], MARKERS[name], color=ESTIMATORS[name].colour, label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(sorted(set(table["x"])), [format_rows(x) for x in sorted(set(table["x"]))])
    ax.minorticks_off()
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(label)
    ax.set_ylabel("seconds of processor time, one thread")
    _finish(ax, title)


def _draw_parents(ax: "Axes", table: pd.DataFrame, context: Context) -> None:
    for name, label in (("QR", "QR"), ("2P", "closed form up to 2 parents, then QR")):
        own = table[table["estimator"] == name]
        ax.plot(own["x"], own["predicted"], color=ESTIMATORS[name].colour, linewidth=1.2)
        ax.plot(own["x"], own["measured"], MARKERS[name], color=ESTIMATORS[name].colour, label=label)
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("number of continuous parents")
    ax.set_ylabel("nanoseconds a row")
    _finish(ax, f"Cost of one local distribution (n = {format_rows(context.scale.regression_rows)})")


def _draw_counts(ax: "Axes", table: pd.DataFrame) -> None:
    ax.bar(table["x"] - 0.2, table["predicted"], 0.38, color="#999999", label="Equation 8")
    ax.bar(table["x"] + 0.2, table["measured"], 0.38, color=ESTIMATORS["STATS"].colour, label="counted in a search")
    ax.set_xticks(table["x"].tolist())
    ax.set_xlabel("number of parents")
    ax.set_ylabel("local distributions")
    _finish(ax, "MEHRA: local distributions estimated")


def _finish(ax: "Axes", title: str) -> None:
    ax.set_title(title, loc="left", fontsize=11)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=9)


def slope(table: pd.DataFrame, estimator: str) -> float:
    """Exponent of measured times: the slope of their logarithms."""
    own = table[table["estimator"] == estimator]
    return float(np.polyfit(np.log(own["x"].astype(float)), np.log(own["measured"]), 1)[0])


def _findings(panels: dict[str, pd.DataFrame]) -> list[str]:
    found = []
    for panel, of, said in (("rows", "n", "linear"), ("nodes", "N", "quadratic for sparse networks")):
        if panels[panel]["x"].nunique() > 1:
            powers = ", ".join(f"{name} {slope(panels[panel], name):.2f}" for name in SHOWN)
            found.append(f"Time grows like {of} to the power {powers} (the paper: {said}).")
    parents = panels["parents"].pivot(index="x", columns="estimator", values="measured")
    ratios = [f"{parents['QR'][j] / parents['2P'][j]:.1f}" for j in range(3)]
    found.append(
        f"With 0, 1 and 2 parents QR costs {', '.join(ratios)} times as much as the closed form (the paper's "
        "Equations 4 and 9: 1.3, 1.6 and 1.7)."
    )
    counts = panels["counts"]
    few = counts[counts["x"] <= 2]
    found.append(
        f"{few['measured'].sum() / counts['measured'].sum():.0%} of the {counts['measured'].sum():,} local "
        f"distributions counted have at most two parents; by Equation 8 it is "
        f"{few['predicted'].sum() / counts['predicted'].sum():.0%} of {counts['predicted'].sum():,}. Score equivalence "
        "and forbidden arcs spare a search some, and arcs that it takes back cost it others."
    )
    return found
