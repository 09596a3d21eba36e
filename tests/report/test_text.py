"""A report as text and as HTML."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd

import bnjit
from tests.report.nasty import messy


class Cells(HTMLParser):
    """Tags that are open, and texts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.tags = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_text_is_short_and_readable():
    lines = repr(bnjit.check(messy())).splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 120
    assert lines[0] == (
        "Report: 300 rows, 20 columns; 0 of 300 rows (0%) are complete; without `empty`, `income` and `sex` 300 are"
    )
    assert lines[1] == "  8 problems that stop learning, 8 that mislead it; 4 hints"
    assert any("`sex` lacks" in line for line in lines)
    names = [f"a column with a rather long name {i}" for i in range(9)]
    long = repr(bnjit.check(pd.DataFrame({name: [None, 1.0, 2.5, 4.0] * 50 for name in names})))
    assert 'fills them,\n           missing="drop" leaves out these rows\n' in long  # what is found is wrapped, not cut
    wide = repr(bnjit.check(pd.DataFrame(np.random.default_rng(1).normal(size=(5000, 60)))))
    assert "... and 40 more columns; see report.columns" in wide
    assert len(wide.splitlines()) <= 40


def test_html_is_escaped_and_closed():
    rng = np.random.default_rng(1)
    table = {"<script>alert(1)</script>": rng.normal(size=30), "a&b": ["<i>x</i>", "y", None] * 10, "n\n": ["<p>"] * 30}
    html = bnjit.check(table)._repr_html_()
    cells = Cells(html)
    assert cells.open == []
    allowed = "div p b br table thead tbody tr th td span details summary code ul li"
    assert cells.tags <= set(allowed.split())
    assert "<script>alert(1)</script>" in cells.texts
    assert any("<i>x</i>" in text for text in cells.texts)


def test_html_of_many_columns_is_cut():
    html = bnjit.check(pd.DataFrame(np.random.default_rng(1).normal(size=(5, 700))))._repr_html_()
    assert "... and 200 more" in html
    assert len(html) < 300_000
