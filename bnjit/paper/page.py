"""One page with all figures and tables: self-contained HTML, nothing to load from elsewhere."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from bnjit.paper.figure import PaperFigure

if TYPE_CHECKING:
    import pandas as pd

STYLE = """
.bnjit { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: #1d2733;
  max-width: 62rem; margin: 0 auto; padding: 1.5rem; background: #fff; }
.bnjit h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .4rem; }
.bnjit h2 { font-size: 1.2rem; margin: 2.6rem 0 .6rem; padding-top: 1rem; border-top: 1px solid #dde3ea; }
.bnjit h3 { font-size: .98rem; margin: 1.4rem 0 .4rem; }
.bnjit .lead { color: #51606f; margin: 0 0 1.2rem; }
.bnjit nav a { display: inline-block; margin-right: 1rem; color: #0a5c96; }
.bnjit figure { margin: 0; } .bnjit img { max-width: 100%; height: auto; }
.bnjit figcaption, .bnjit .caption { color: #51606f; font-size: .92rem; margin: .5rem 0; }
.bnjit ul { margin: .6rem 0; padding-left: 1.2rem; } .bnjit li { margin: .2rem 0; }
.bnjit .scroll { overflow-x: auto; }
.bnjit table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
.bnjit th, .bnjit td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #e6ebf0; }
.bnjit th { background: #f4f7fa; font-weight: 600; vertical-align: bottom; }
.bnjit td { white-space: nowrap; } .bnjit td.text { white-space: normal; min-width: 12rem; }
.bnjit td.text, .bnjit th.text { text-align: left; }
.bnjit .files { color: #7a8794; font-size: .85rem; }
"""
TEXT = ("data", "source", "protocol", "edges", "value")  # columns that are aligned to the left
PAPER = "Scutari, Vitolo and Tucker, Learning Bayesian Networks from Big Data with Greedy Search, 2019"


def body(title: str, lead: str, figures: Sequence[PaperFigure], facts: Mapping[str, str]) -> str:
    """Everything between the page's <body> tags, which a notebook shows as it is."""
    links = "".join(f'<a href="#{figure.name}">{escape(figure.title.partition(":")[0])}</a>' for figure in figures)
    rows = "".join(f'<tr><th class="text">{escape(k)}</th><td class="text">{escape(v)}</td></tr>' for k, v in
                   facts.items())  # fmt: skip
    return (
        f'<style>{STYLE}</style><div class="bnjit"><h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p>'
        f"<nav>{links}<a href='#made'>How it was made</a></nav>{''.join(map(_section, figures))}"
        f'<h2 id="made">How it was made</h2><div class="scroll"><table>{rows}</table></div></div>'
    )


def page(title: str, inside: str) -> str:
    """The whole page."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title></head><body>{inside}</body></html>\n"
    )


def _section(figure: PaperFigure) -> str:
    shown = ""
    if figure.svg:
        data = base64.b64encode(figure.svg.encode()).decode()
        shown = f'<figure><img alt="{escape(figure.title)}" src="data:image/svg+xml;base64,{data}"></figure>'
    if figure.table is not None:
        shown += f'<div class="scroll">{_table(figure.table)}</div>'
    said = "".join(f"<li>{escape(finding)}</li>" for finding in figure.findings)
    more = "".join(f'<h3>{escape(heading)}</h3><div class="scroll">{_table(table)}</div>' for heading, table in
                   figure.more)  # fmt: skip
    files = ", ".join(path.name for path in figure.files)
    return (
        f'<h2 id="{figure.name}">{escape(figure.title)}</h2>{shown}<p class="caption">{escape(figure.caption)}</p>'
        f'<ul>{said}</ul>{more}<p class="files">Files: {escape(files)}</p>'
    )


def _table(table: "pd.DataFrame") -> str:
    def cell(tag: str, name: str, value: object) -> str:
        kind = ' class="text"' if name in TEXT else ""
        return f"<{tag}{kind}>{escape(str(value))}</{tag}>"

    head = "".join(cell("th", str(name), name) for name in table)
    rows = "".join(
        "<tr>" + "".join(cell("td", str(name), value) for name, value in zip(table, row, strict=True)) + "</tr>"
        for row in table.itertuples(index=False)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
