"""The report: one HTML file with the page to explore in it."""

import os
from collections.abc import Callable, Hashable
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from bnjit.errors import ArgumentError, BnjitError, DataError, StatisticsError, as_number, as_seed, quiet
from bnjit.explore.page import Page, check_page, least_significant
from bnjit.report import Report, check
from bnjit.report.text import as_html
from bnjit.review.advice import what_next
from bnjit.review.held_out import HeldOutRows, complete_rows, predict_held_out
from bnjit.review.impossible import impossible_arcs
from bnjit.review.sections import facts_table, prediction_section, search_section, strength_section

if TYPE_CHECKING:
    import pandas as pd

    from bnjit.network import Network
    from bnjit.result import Result

Sections = list[tuple[str, str, str]]  # identifier, title, HTML


def make_review(
    result: "Result", path: "str | os.PathLike[str] | None", data: Any, strength: "pd.DataFrame | None", title: str,
    test: float, seed: int | None, weights: Any = None, say: Callable[[str], str] = str,
) -> Page:  # fmt: skip
    """Report on a result; see `bnjit.Result.report`. `say` puts what a user types in place of what one writes."""
    if path is not None:
        check_page(path)
    test, seed = as_number("test", test, 0.01, 0.9), as_seed(seed)
    if not isinstance(title, str):
        raise ArgumentError(f"title={title!r} must be a text")
    explorer = result.explore(strength=strength, height=None)
    sections: Sections = [
        ("network", "The network", f"{facts_table(result._facts())}{explorer._repr_html_()}"),
        ("search", "Score and search", search_section(result)),
    ]
    weak = None
    if strength is not None:
        least = least_significant(strength)
        weak = _weak(result, strength, least)
        sections.append(("strength", "How sure the arcs are", strength_section(result, strength, least)))
    report, held_out, impossible = _about_the_table(result, data, test, seed, weights, sections, say)
    advice = what_next(result, report, _network(result), held_out, weak, impossible)
    items = "".join(f"<li>{escape(say(sentence))}</li>" for sentence in advice)
    sections.insert(1, ("next", "What to try next", f"<ul>{items}</ul>" if items else "<p>Nothing was found.</p>"))
    page = Page(make_page(title, f"A Bayesian network of {result._counts()}, learned by bnjit", sections), 800)
    if path is not None:
        page.save(path)
    return page


def _about_the_table(
    result: "Result", data: Any, test: float, seed: int, weights: Any, sections: Sections, say: Callable[[str], str]
) -> tuple[Report | None, HeldOutRows | None, str | None]:
    """Add what needs the table: the check of its columns, and predictions of rows that were held out."""
    if data is None:
        return None, None, None
    held_out = impossible = None
    discrete = [name for name, kind in result.dag.nodes(data="kind") if kind == "discrete"]
    with quiet():  # learning has warned already
        try:
            report = check(data, discrete=discrete, progress=False)
        except ArgumentError as error:
            raise ArgumentError(f"data is not the table of this result: {error}") from None
        nodes = set(report.names) - ({weights} if isinstance(weights, Hashable) else set())
        differ = sorted(map(str, nodes ^ set(result.dag)))
        if differ:
            raise ArgumentError(f"data is not the table of this result: only one of them has the column {differ[0]!r}")
        try:
            if weights is not None:
                raise DataError("rows with weights are not predicted")
            table = complete_rows(result.dag, data)
            if table.n == report.n_rows:
                impossible = impossible_arcs(result, table)
            held_out = predict_held_out(result.dag, table, report.n_rows, test, seed)
            found = prediction_section(held_out)
        except BnjitError as error:
            found = f"<p>Not measured: {escape(str(error))}.</p>"
    sections.append(("predictions", "How well each node is predicted", found))
    sections.append(("columns", "The columns of the table", f"<div class='check'>{as_html(report, say)}</div>"))
    return report, held_out, impossible


def _weak(result: "Result", strength: "pd.DataFrame", least: float | None) -> int:
    """Arcs of the network that are not significant."""
    rows = zip(strength["from"].tolist(), strength["to"].tolist(), strength["strength"].tolist(), strict=True)
    return sum(result.dag.has_edge(a, b) and (least is None or share < least) for a, b, share in rows)


def _network(result: "Result") -> "Network | None":
    try:
        return result.fit()
    except StatisticsError:
        return None


def make_page(title: str, subtitle: str, sections: Sections) -> str:
    """A page of its own, in light and dark; several sections are listed at its top."""
    here = files("bnjit.review")
    links = "".join(f"<a href='#{name}'>{escape(text)}</a>" for name, text, _ in sections)
    listed = f"<nav aria-label='Sections'>{links}</nav>" if len(sections) > 1 else ""
    body = "".join(
        f"<section aria-labelledby='{name}'><h2 id='{name}'>{escape(text)}</h2>{html}</section>"
        for name, text, html in sections
    )
    return Template(here.joinpath("page.html").read_text(encoding="utf-8")).substitute(
        title=escape(title), subtitle=escape(subtitle), links=listed, sections=body,
        style=here.joinpath("style.css").read_text(encoding="utf-8"),
    )  # fmt: skip
