"""Figure 3: running times on the data sets of Table 2, relative to QR's."""

from matplotlib.figure import Figure

from bnjit.paper.bars import add_legend, draw_bars
from bnjit.paper.claims import compare, paper_mark, repetitions
from bnjit.paper.figure import Context, PaperFigure, format_rows, save_figure, save_table
from bnjit.paper.plan import MOST_PARENTS
from bnjit.paper.ratios import paired_ratios


def make(context: Context) -> PaperFigure:
    """Draw the bars, and write their heights with the source of each data set."""
    measured = context.measured
    mine = measured[measured["experiment"] == "table2"].sort_values("data", kind="stable")
    ratios = paired_ratios(mine, "data")
    rows = mine.groupby("data")["rows"].first()
    ratios = ratios.assign(rows=ratios["data"].map(rows), source=ratios["data"].map(context.sources))
    names = list(dict.fromkeys(ratios["data"]))
    labels = [f"{name}\nn = {format_rows(rows[name])}\n{kind_of(context.sources[name])}" for name in names]
    figure = Figure(figsize=(max(6.5, 2.3 * len(names) + 1.0), 5.0), layout="constrained")
    ax = figure.add_subplot()
    title = f"Processor time of a whole search, one thread, at most {MOST_PARENTS} parents"
    draw_bars(ax, ratios, "data", labels, title, (paper_mark("fig3"),))
    add_legend(figure, ax)
    paths, svg = save_figure(figure, context.out, "figure3")
    return PaperFigure(
        "fig3",
        "Figure 3: running times on the data sets of Table 2",
        f"As Figure 2, with at most {MOST_PARENTS} parents of a node. "
        f"{repetitions(ratios, context.scale.budgets['fig3'])}. "
        f"{describe_sources({name: context.sources[name] for name in names})}",
        compare(ratios, "fig3"),
        (*paths, save_table(ratios, context.out, "figure3")),
        svg,
    )


def describe_sources(sources: dict[str, str]) -> str:
    """Which data sets have real rows, and which are stand-ins."""
    words = {"original": "the published files", "sample": "real rows, a part of the published ones",
             "prepared": "a prepared file", "stand-in": "stand-ins: other data of the same shape",
             "synthetic": "stand-ins: synthetic rows of the same shape"}  # fmt: skip
    found = []
    for kind, meaning in words.items():
        names = [name for name, source in sources.items() if kind_of(source) == kind]
        if names:
            found.append(f"{', '.join(names)}: {meaning}")
    return "; ".join(found) + "."


def kind_of(source: str) -> str:
    """What the rows are, in one or two words."""
    if source.startswith("synthetic"):
        return "synthetic"
    if "stand-in" in source:
        return "stand-in"
    return "original" if "(original" in source else "sample" if "sample" in source else "prepared"
