"""Figure 3: running times on the data sets of Table 2, normalised by QR's."""

from bnjit.paper.bars import compare, draw_bars, repetitions
from bnjit.paper.figure import Context, PaperFigure, format_rows, save_figure, save_table
from bnjit.paper.intervals import normalise
from bnjit.paper.plan import MOST_PARENTS


def make(context: Context) -> PaperFigure:
    """Draw the bars, and write their heights with the source of each data set."""
    measured = context.measured
    mine = measured[measured["experiment"] == "table2"]
    ratios = normalise(mine, "data")
    rows = mine.groupby("data")["rows"].first()
    ratios = ratios.assign(rows=ratios["data"].map(rows), source=ratios["data"].map(context.sources))
    labels = [f"{name}\nn = {format_rows(rows[name])}\n{kind_of(context.sources[name])}" for name in
              dict.fromkeys(ratios["data"])]  # fmt: skip
    figure = draw_bars(ratios, "data", labels, f"Data sets of Table 2, at most {MOST_PARENTS} parents")
    paths, svg = save_figure(figure, context.out, "figure3")
    sources = "; ".join(context.sources[name] for name in dict.fromkeys(ratios["data"]))
    return PaperFigure(
        "fig3",
        "Figure 3: running times on the data sets of Table 2",
        f"As Figure 2, with at most {MOST_PARENTS} parents of a node. {repetitions(ratios)}. Rows: {sources}.",
        compare(ratios, "fig3"),
        (*paths, save_table(ratios, context.out, "figure3")),
        svg,
    )


def kind_of(source: str) -> str:
    """What the rows are, in one or two words."""
    if source.startswith("synthetic"):
        return "synthetic"
    if "stand-in" in source:
        return "stand-in"
    return "original" if "(original" in source else "sample" if "sample" in source else "prepared"
