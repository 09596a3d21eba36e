"""The parts of a report as HTML; every name and level is escaped."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bnjit.explore.details import as_text
from bnjit.review.tuning import MOST_ARCS, MOST_MOVES, MOST_NODES

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.result import Result
    from bnjit.review.held_out import HeldOutRows, Prediction

WIDTH, HEIGHT, LEFT = 640.0, 140.0, 4.0


def facts_table(facts: Iterable[tuple[str, str]]) -> str:
    """A line for each fact."""
    rows = "".join(f"<tr><th scope='row'>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table class='facts'>{rows}</table>"


def search_section(result: "Result") -> str:
    """The score along the search, and every move."""
    trace = result.trace
    moves = [
        (str(step), escape(str(move)), _name(source), _name(target), f"{delta:,.4g}", f"{score:,.2f}")
        for step, move, source, target, delta, score in zip(
            *(trace[field].tolist() for field in ("step", "move", "source", "target", "delta", "score")), strict=True
        )
    ]
    heads = ("step", "move", "from", "to", "gain", "score")
    table = html_table(heads, moves[:MOST_MOVES], numbers=(0, 4, 5))
    more = _more(len(moves) - MOST_MOVES, "moves", "result.trace")
    count = f"{len(moves):,} step{'s' * (len(moves) != 1)}"
    return f"{_score_chart(trace['score'].tolist())}<details><summary>{count}</summary>{table}{more}</details>"


def _score_chart(scores: Sequence[float]) -> str:
    """A line chart; nothing for fewer than two finite scores."""
    finite = [(i, score) for i, score in enumerate(scores) if abs(score) < float("inf")]
    if len(finite) < 2 or finite[0][1] == finite[-1][1]:
        return ""
    low, high = min(score for _, score in finite), max(score for _, score in finite)
    wide, tall = (WIDTH - 2 * LEFT) / (len(scores) - 1), (HEIGHT - 24) / (high - low)
    points = " ".join(f"{LEFT + wide * i:.1f},{12 + tall * (high - score):.1f}" for i, score in finite)
    return (
        f"<svg class='chart' viewBox='0 0 {WIDTH:.0f} {HEIGHT:.0f}' role='img' aria-label='Score after each step, from "
        f"{scores[0]:,.2f} to {scores[-1]:,.2f}'><polyline points='{points}'/>"
        f"</svg><p class='quiet'>From {scores[0]:,.2f} after the first step to {scores[-1]:,.2f} after step "
        f"{len(scores):,}.</p>"
    )


def strength_section(result: "Result", strength: "pd.DataFrame", least: float | None) -> str:
    """Arcs of the network, the least sure first."""
    columns = (strength[name].tolist() for name in ("from", "to", "strength", "direction"))
    known = {(a, b): (share, direction) for a, b, share, direction in zip(*columns, strict=True)}
    arcs = sorted(((known[arc], arc) for arc in result.dag.edges), key=lambda one: one[0][0])
    rows = [
        (_name(a), _name(b), meter(share), meter(direction), "" if least is None or share >= least else "below")
        for (share, direction), (a, b) in arcs[:MOST_ARCS]
    ]
    threshold = "" if least is None else f" The threshold that follows from them: {least:.0%}."
    return (
        "<p>Share of bootstrap replicates with an edge between the two columns, and of these edges that go this way."
        f"{threshold}</p>{html_table(('from', 'to', 'strength', 'direction', ''), rows)}"
        f"{_more(len(arcs) - MOST_ARCS, 'arcs', 'bnjit.arc_strength')}"
    )


def prediction_section(held_out: "HeldOutRows") -> str:
    """How well each node is predicted, the best known first."""
    dropped = f" {held_out.n_dropped:,} rows with gaps were left out." if held_out.n_dropped else ""
    order = sorted(held_out.predictions, key=lambda one: -_gain(one))
    rows = [
        (_name(one.name), one.measure, meter(one.others), meter(one.parents), _baseline(one))
        for one in order[:MOST_NODES]
    ]
    heads = ("node", "measure", "from all others", "from its parents", "most frequent level")
    return (
        f"<p>The graph was fitted again to {held_out.n_train:,} rows drawn at random, and {held_out.n_test:,} of the "
        f"others were predicted.{dropped} Accuracy is the share of right levels, to compare with that of the most "
        "frequent level; R² is the share of the variance that is explained, 0 for the mean. The graph itself was "
        "learned from all rows.</p>"
        f"{html_table(heads, rows)}{_more(len(order) - MOST_NODES, 'nodes', 'network.predict')}"
    )


def _baseline(one: "Prediction") -> str:
    return meter(one.baseline) if one.measure == "accuracy" else ""


def _gain(one: "Prediction") -> float:
    """Share of what the baseline leaves open that is predicted."""
    return (one.others - one.baseline) / max(1.0 - one.baseline, 1e-12)


def meter(share: float) -> str:
    """A share as a bar with its number."""
    wide = 100 * min(max(share, 0.0), 1.0)
    return f"<span class='meter'><span><i style='width:{wide:.1f}%'></i></span>{share:.3f}</span>"


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already, which scrolls where it is long, without columns that are empty."""
    kinds = {k: " class='number'" if k in numbers else "" for k in range(len(heads)) if any(row[k] for row in rows)}
    head = "".join(f"<th scope='col'{kind}>{escape(heads[k])}</th>" for k, kind in kinds.items())
    body = "".join(f"<tr>{''.join(f'<td{kind}>{row[k]}</td>' for k, kind in kinds.items())}</tr>" for row in rows)
    return (
        "<div class='scroll' tabindex='0' role='region' aria-label='Table'>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _name(value: Any) -> str:
    return "" if value is None else escape(as_text(value))


def _more(number: int, what: str, where: str) -> str:
    return f"<p class='quiet'>and {number:,} more {what}; see <code>{where}</code></p>" if number > 0 else ""
