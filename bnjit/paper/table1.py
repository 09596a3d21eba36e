"""Table 1: structural Hamming distances between learned networks and MEHRA, by protocol, and what is behind them."""

import json
import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from bnjit.paper.accuracy import RULE, SCORE, SEARCH, Difference, reason
from bnjit.paper.figure import Context, PaperFigure, format_rows, save_table
from bnjit.paper.protocols import PROTOCOLS

# Sums over five samples, by millions of rows.
PAPER_SUMS = {1: (11, 2), 2: (2, 1), 5: (0, 1), 10: (0, 0), 20: (0, 0), 50: (0, 0)}
PAPER_SAMPLES = 5
MOST_LISTED = 6  # edges that differ in a row of the page; others are in the file
CELL = ["n", "protocol", "knowledge"]
WHY = {
    RULE: "the rule makes the true parents impossible",
    SCORE: "the score prefers what was found",
    SEARCH: "the search stopped short of the better score",
}


def make(context: Context) -> PaperFigure:
    """Write distances and differences, and arrange them as the page shows them."""
    measured = context.measured
    mine = measured[measured["experiment"] == "accuracy"].rename(columns={"estimator": "protocol"})
    table, arcs = summarise(mine), list_arcs(mine)
    known_first = bool(context.knowledge and table["knowledge"].any())
    known = table[table["knowledge"] == known_first]
    started = [name for name, protocol in PROTOCOLS.items() if protocol.from_truth]
    others = [name for name in PROTOCOLS if name not in started]
    parts = [
        ("Without background knowledge", distances(table[~table["knowledge"]], others)),
        ("Started at the true network", distances(known, started)),
        ("Score of the network found, less that of the true one (means)", margins(known, others)),
        (
            "Why edges differ: number of edges over all samples and splits",
            reasons(arcs[arcs["knowledge"] == known_first]),
        ),
    ]
    main = distances(known, others)
    return PaperFigure(
        "table1",
        "Table 1: accuracy on MEHRA",
        f"Sums of the structural Hamming distances between the learned equivalence classes and that of the true "
        f"network over the samples of each size, means in brackets. Rows: {context.sources['MEHRA']}. Hill climbing; "
        f"{_knowledge_words(table)} The paper's sums are over {PAPER_SAMPLES} samples. Reject and pool are what "
        "becomes of configurations with too few rows for a regression: bnlearn's rule makes the structure impossible, "
        "pooling gives them one regression together. Where a sample has several splits, its distance is their mean. "
        f"Learned by bnjit {', '.join(sorted(set(mine['code'])))}.",
        tuple(_findings(table, arcs)),
        (save_table(table, context.out, "table1"), save_table(arcs, context.out, "table1_arcs")),
        table=_with_paper(main),
        more=tuple((heading, part) for heading, part in parts if len(part.columns) > 1 and len(part)),
    )


def summarise(mine: pd.DataFrame) -> pd.DataFrame:
    """One row for each size, protocol and knowledge: distances, scores and configurations over its samples."""
    rows = []
    key: Any
    for key, own in mine.groupby(CELL):
        n, protocol, known = key
        samples = own.groupby("sample")["shd"].mean()
        margin = own["score"] - own["true_score"]
        rows.append({
            "n": int(n), "protocol": protocol, "label": PROTOCOLS[protocol].label, "knowledge": bool(known),
            "samples": len(samples), "splits": round(len(own) / len(samples)), "sum": float(samples.sum()),
            "mean": float(samples.mean()), "least": float(own["shd"].min()), "most": float(own["shd"].max()),
            "arcs": float(own["arcs"].mean()), "score": float(own["score"].mean()),
            "score_less_truth": float(margin.mean()), "possible": int(own["true_score"].map(math.isfinite).sum()),
            "impossible_configurations": float(own["impossible"].mean()), "seconds": float(own["wall_seconds"].mean()),
        })  # fmt: skip
    order = list(PROTOCOLS)
    rows.sort(key=lambda row: (row["n"], not row["knowledge"], order.index(str(row["protocol"]))))
    return pd.DataFrame(rows, columns=list(rows[0]) if rows else None)


def list_arcs(mine: pd.DataFrame) -> pd.DataFrame:
    """Every edge that differs, with the reason."""
    rows = []
    for row in mine.sort_values([*CELL, "sample", "run"]).to_dict("records"):
        for found in json.loads(row["differences"]):
            edge = Difference(*found)
            why = reason(edge.kind, edge.gain, row["score"] - row["true_score"])
            rows.append((*(row[name] for name in (*CELL, "sample", "run")), *edge._replace(why=why)))
    return pd.DataFrame(rows, columns=[*CELL, "sample", "split", *Difference._fields])


def distances(table: pd.DataFrame, protocols: Iterable[str]) -> pd.DataFrame:
    """Sums with means in brackets, sizes down and protocols across."""
    rows = []
    n: Any
    for n, at in table.groupby("n"):
        samples = int(at["samples"].max())
        row = {"rows": format_rows(int(n)), "samples": str(samples)}
        for name in protocols:
            own = at[at["protocol"] == name]
            if len(own):
                fewer = f"; {own['samples'].iloc[0]} samples" if own["samples"].iloc[0] != samples else ""
                total = f"{own['sum'].iloc[0]:.1f}".removesuffix(".0")  # a mean over splits may be no whole number
                row[PROTOCOLS[name].label] = f"{total} ({own['mean'].iloc[0]:.1f}{fewer})"
        rows.append(row)
    return _blanks(pd.DataFrame(rows))


def margins(table: pd.DataFrame, protocols: Iterable[str]) -> pd.DataFrame:
    """Score of the network found, less that of the truth, and whether the truth is possible at all."""
    rows = []
    n: Any
    for n, at in table.groupby("n"):
        few = at["impossible_configurations"].mean()
        row = {"rows": format_rows(int(n)), "configurations with too few rows": f"{few:,.0f}"}
        for name in protocols:
            own = at[at["protocol"] == name]
            if len(own):
                margin = float(own["score_less_truth"].iloc[0])
                row[PROTOCOLS[name].label] = f"{margin:+,.0f}" if math.isfinite(margin) else "truth impossible"
        rows.append(row)
    return _blanks(pd.DataFrame(rows))


def reasons(arcs: pd.DataFrame) -> pd.DataFrame:
    """Edges that differ by size and protocol: their kinds, their reasons and, if they are few, each of them."""
    rows = []
    key: Any
    for key, own in arcs.groupby(["n", "protocol"]):
        n, protocol = key
        kinds, why = own["kind"].value_counts(), own["why"].value_counts()
        edges = own.groupby(["source", "target", "kind", "why"]).size()
        rows.append({
            "rows": format_rows(int(n)), "protocol": PROTOCOLS[protocol].label,
            **{kind: int(kinds.get(kind, 0)) for kind in ("missing", "extra", "turned")},
            **{f"by the {name}": int(why.get(name, 0)) for name in WHY},
            "edges": "; ".join(map(_describe_edge, edges.items())) if len(edges) <= MOST_LISTED else "",
        })  # fmt: skip
    return pd.DataFrame(rows)


def _describe_edge(counted: Any) -> str:
    (source, target, kind, why), count = counted
    times = f", {count} times" if count > 1 else ""
    return f"{source} to {target} {kind} ({why}{times})"


def _with_paper(main: pd.DataFrame) -> pd.DataFrame:
    """The paper's sums beside ours; sizes that only one has are empty for the other."""
    paper = pd.DataFrame([
        {"rows": format_rows(1_000_000 * millions), "the paper's BIC": str(bic), "the paper's PRED": str(pred)}
        for millions, (bic, pred) in PAPER_SUMS.items()
    ])  # fmt: skip
    both = paper if main.empty else main.merge(paper, on="rows", how="outer", sort=False)
    both = both.sort_values("rows", key=lambda rows: rows.map(_rows_of), ignore_index=True)
    first = [name for name in ("rows", "samples", *paper.columns[1:]) if name in both]
    return _blanks(both[[*first, *(name for name in both if name not in first)]])


def _blanks(table: pd.DataFrame) -> pd.DataFrame:
    """Empty texts in place of missing values."""
    return table.astype(object).where(table.notna(), "")


def _rows_of(text: str) -> float:
    number, _, unit = text.replace(",", "").partition(" ")
    return float(number) * (1e6 if unit else 1.0)


def _knowledge_words(table: pd.DataFrame) -> str:
    """What background knowledge is, and which protocols are also without it."""
    if not table["knowledge"].any():
        return "no background knowledge."
    without = [PROTOCOLS[name].label for name in dict.fromkeys(table[~table["knowledge"]]["protocol"])]
    return (
        "arcs into the eleven variables of place and time (Region, Zone, Type, Year, Season, Month, Day, Hour, "
        "Latitude, Longitude, Altitude), which nothing in the data can cause, are forbidden. Without this knowledge, "
        f"to bound the time, only: {'; '.join(without)}."
    )


def _findings(table: pd.DataFrame, arcs: pd.DataFrame) -> list[str]:
    """What the table shows, in sentences."""
    found = []
    known = table[table["knowledge"]] if table["knowledge"].any() else table
    best = known[known["n"] == known["n"].max()]
    if len(best):
        said = "; ".join(f"{row['label']} {row['mean']:.1f}" for row in best.to_dict("records"))
        found.append(f"With {format_rows(int(best['n'].iloc[0]))} rows the mean distances are: {said}.")
    rule = known[known["protocol"] == "reject"]
    if len(rule):
        said = "; ".join(
            f"{row['impossible_configurations']:,.0f} at {format_rows(row['n'])} rows, where the true network is "
            f"possible in {row['possible']} of {row['samples']} samples"
            for row in rule.to_dict("records")
        )
        found.append(f"Configurations with too few rows for the true regressions, a sample: {said} (reject).")
    if len(arcs):
        why = arcs["why"].value_counts()
        said = ", ".join(f"for {int(why[name])} {meaning}" for name, meaning in WHY.items() if name in why)
        found.append(
            f"Of the {len(arcs):,} edges that differ over all protocols and samples, {said}: by the local scores of "
            "the arc's target with the parents found and with the true ones. table1_arcs.csv has each of them."
        )
    return found
