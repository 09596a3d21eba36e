"""Table 2: the data sets of Figure 3, as the paper had them and as they are here."""

import pandas as pd

from bnjit.paper.figure import Context, PaperFigure, format_rows, save_table
from bnjit.paper.plan import MOST_PARENTS, PAPER_ROWS

SHAPES = {"AIRLINE": (9, 19), "GAS": (0, 37), "HEPMASS": (1, 28), "HIGGS": (1, 28), "SUSY": (1, 18)}
DENSITY = (2.5, 3.5)  # arcs for each node that the paper reports


def make(context: Context) -> PaperFigure:
    """List rows, columns and arcs found."""
    table = shapes(context.measured, context.sources)
    shown = table.assign(**{name: table[name].map(format_rows) for name in ("paper's n", "n")})
    low, high = table["arcs per node"].min(), table["arcs per node"].max()
    return PaperFigure(
        "table2",
        "Table 2: the data sets",
        "Rows, discrete (d) and continuous (M) columns, in the paper and here, and the arcs for each node that BIC "
        f"finds with at most {MOST_PARENTS} parents. Columns that are constant in the rows used are left out.",
        (
            f"{low:.1f} to {high:.1f} arcs for each node; the paper reports {DENSITY[0]} to {DENSITY[1]}.",
            f"{sum('original' in source for source in table['source'])} of {len(table)} data sets are the original "
            "ones. For others put their files into the folder of the environment variable BNJIT_DATA, or load them "
            "once with bnjit.datasets, which downloads them.",
        ),
        (save_table(table, context.out, "table2"),),
        table=shown,
    )


def shapes(measured: pd.DataFrame, sources: dict[str, str]) -> pd.DataFrame:
    """The table."""
    mine = measured[(measured["experiment"] == "table2") & (measured["estimator"] == "STATS") & (measured["run"] == 0)]
    rows = []
    for row in mine.to_dict("records"):
        data, columns = str(row["data"]), int(row["discrete"]) + int(row["continuous"])
        rows.append({
            "data": data, "paper's n": PAPER_ROWS[data], "paper's d": SHAPES[data][0], "paper's M": SHAPES[data][1],
            "n": int(row["rows"]), "d": int(row["discrete"]), "M": int(row["continuous"]),
            "arcs per node": round(float(row["arcs"]) / columns, 2), "source": sources[data],
        })  # fmt: skip
    return pd.DataFrame(rows)
