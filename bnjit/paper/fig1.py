"""Figure 1: the conditional Gaussian network MEHRA."""

import pandas as pd

from bnjit.paper.figure import Context, PaperFigure, save_table
from bnjit.paper.sources import mehra_network
from bnjit.plots import save_dag
from bnjit.plots.dag import node_class


def make(context: Context) -> PaperFigure:
    """Draw the network, and write its arcs."""
    dag = mehra_network().dag
    paths = (context.out / "figure1.png", context.out / "figure1.svg")
    for path in paths:
        save_dag(dag, path)
    arcs = pd.DataFrame([(str(a), str(b)) for a, b in dag.edges], columns=["from", "to"])
    classes = [node_class(dag, node) for node in dag]
    counts = ", ".join(f"{classes.count(name)} {name}" for name in dict.fromkeys(classes))
    return PaperFigure(
        "fig1",
        "Figure 1: the network",
        "MEHRA (Vitolo et al. 2018). Yellow nodes are multinomial, blue nodes Gaussian, green nodes conditional "
        f"Gaussian. Parameters: {context.sources['MEHRA']}.",
        (
            f"{len(dag)} nodes ({counts}) and {dag.number_of_edges()} arcs, the paper's 24 variables; the structure is "
            "the published one.",
        ),
        (*paths, save_table(arcs, context.out, "figure1")),
        paths[1].read_text(encoding="utf-8"),
    )
