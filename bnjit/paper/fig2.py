"""Figure 2: running times on MEHRA by sample size, normalised by QR's."""

from bnjit.paper.bars import compare, draw_bars, repetitions
from bnjit.paper.figure import Context, PaperFigure, format_rows, save_figure, save_table
from bnjit.paper.intervals import normalise


def make(context: Context) -> PaperFigure:
    """Draw the bars, and write their heights."""
    measured = context.measured
    mine = measured[
        (measured["experiment"] == "mehra")
        & (measured["knowledge"] == context.knowledge)
        & measured["n"].isin(context.scale.sizes)
    ]
    ratios = normalise(mine, "n")
    labels = [f"n = {format_rows(n)}" for n in dict.fromkeys(ratios["n"])]
    source = context.sources["MEHRA"]
    figure = draw_bars(ratios, "n", labels, f"MEHRA: {source}")
    paths, svg = save_figure(figure, context.out, "figure2")
    return PaperFigure(
        "fig2",
        "Figure 2: running times on MEHRA",
        f"Running times of hill climbing, normalised by those of QR, whose mean is written on its bar. {source}; "
        f"{repetitions(ratios)}. STATS and STATS PRED (hatched) are bnjit's own: BIC and the predictive score from "
        "sufficient statistics.",
        compare(ratios, "fig2"),
        (*paths, save_table(ratios, context.out, "figure2")),
        svg,
    )
