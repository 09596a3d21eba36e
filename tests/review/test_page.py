"""Reports: what is in them, in text and in a browser."""

import re
from html import unescape

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.datasets import small_mixed
from bnjit.errors import quiet
from bnjit.explore import make_explorer
from tests.explore.networks import END, SCRIPT


@pytest.fixture(scope="module")
def table():
    return small_mixed().sample(600, seed=1)


@pytest.fixture(scope="module")
def result(table):
    return bnjit.learn(table)


def strength_of(result, weak):
    """Strengths as of `bnjit.arc_strength`: 1 for the arcs of a result, but for one."""
    rows = []
    for a in result.dag:
        for b in result.dag:
            if a != b:
                joined = result.dag.has_edge(a, b) or result.dag.has_edge(b, a)
                share = 0.3 if weak in ((a, b), (b, a)) else float(joined)
                rows.append((a, b, share, float(result.dag.has_edge(a, b))))
    return pd.DataFrame(rows, columns=["from", "to", "strength", "direction"])


def titles(html):
    return re.findall(r"<h2 id='\w+'>(.*?)</h2>", html)


def advice(html):
    (items,) = re.findall(r"What to try next</h2><ul>(.*?)</ul>", html)
    return [unescape(item) for item in re.findall(r"<li>(.*?)</li>", items)]


def test_all_parts(result, table, tmp_path):
    weak = next(iter(result.dag.edges))
    page = result.report(tmp_path / "r.html", table, strength_of(result, weak), title="A & B", seed=1)
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert html == page.html
    assert titles(html) == [
        "The network", "What to try next", "Score and search", "How sure the arcs are",
        "How well each node is predicted", "The columns of the table",
    ]  # fmt: skip
    assert "<title>A &amp; B</title>" in html
    for name, value in result._facts():
        assert f"<th scope='row'>{name}</th><td>{value}</td>" in html
    assert any(sentence.startswith("One arc is below the threshold") for sentence in advice(html))
    assert f"<td>{weak[0]}</td><td>{weak[1]}</td>" in html
    assert html.count("<td>below</td>") == 1
    assert html.count("<td>accuracy</td>") == 4
    assert html.count("<td>R²</td>") == 4
    assert all(word in html for word in ("levels or range", result.trace["move"][0], "srcdoc="))


def test_without_a_table_and_strengths_it_says_so(result):
    html = result.report().html
    assert titles(html) == ["The network", "What to try next", "Score and search"]
    assert any("made without the table" in sentence for sentence in advice(html))
    assert any("bnjit.arc_strength(data)" in sentence for sentence in advice(html))


def test_advice_follows_from_what_was_found(table):
    rng = np.random.default_rng(1)
    copy = table.assign(noise=rng.normal(size=len(table)), twice=2 * table["E"] + 0.02 * rng.normal(size=len(table)))
    copy.loc[:9, "E"] = np.nan
    with quiet():
        result = bnjit.learn(copy, missing="drop", max_iter=3)
    sentences = advice(result.report(data=copy).html)
    assert any("stopped by max_iter=3" in one for one in sentences)
    assert any("590 of 600 rows (98%) are complete" in one for one in sentences)
    assert not any("E)" in one for one in sentences if "check of the columns" in one)  # gaps were got past
    assert any("hardly help to predict" in one and "noise" in one for one in sentences)
    assert any("almost exactly" in one and "twice" in one for one in sentences)
    searched = bnjit.learn(table, algorithm=bnjit.Boss()).report(data=table).html
    assert not any("local maximum" in one or "complete" in one for one in advice(searched))
    with quiet():
        filled = bnjit.learn(copy, missing="em", max_iter=3)
    assert not any("are complete" in one for one in advice(filled.report(data=copy).html))


def test_arcs_that_cannot_be_scored_are_named():
    rng = np.random.default_rng(2)
    group, other = rng.choice(["crew", "first", "second"], 300), rng.choice(["no", "yes"], 300)
    fare = np.where(group == "crew", 0.0, np.where(group == "first", 9.0, 3.0) + rng.normal(size=300))
    table = pd.DataFrame({"group": group, "other": other, "fare": fare})
    result = bnjit.learn(table)
    assert not result.dag.has_edge("group", "fare")
    said = [one for one in advice(result.report(data=table).html) if "cannot be scored" in one]
    assert said == [
        "One arc cannot be scored, group -> fare: where `group` = 'crew' it is constant, so that nothing is left to "
        'have a density. score=bnjit.BIC(penalty="local") scores such arcs, too.'
    ]
    local = bnjit.learn(table, score=bnjit.BIC(penalty="local"))
    assert local.dag.has_edge("group", "fare")
    assert not any("cannot be scored" in one for one in advice(local.report(data=table).html))
    table.loc[table.index[table["group"] == "crew"][0], "fare"] = 1.0  # no longer constant there
    assert not any("cannot be scored" in one for one in advice(bnjit.learn(table).report(data=table).html))


def test_the_frame_is_as_high_as_names_need():
    chains = [nx.DiGraph([(f"node {i}", f"node {i + 1}") for i in range(n)]) for n in (3, 17, 60)]
    few, some, many = (make_explorer(chain, height=None)._height for chain in chains)
    assert few == 640 < some < many == 1000
    assert make_explorer(chains[2])._height == 640


def test_what_cannot_be_measured_is_said():
    short = small_mixed().sample(600, seed=1)[:30]
    short.loc[2:, "E"] = None
    html = bnjit.learn(small_mixed().sample(300, seed=1)).report(data=short).html
    assert "Not measured: 2 rows are too few" in unescape(html)


def test_names_and_levels_are_escaped():
    table = small_mixed().sample(300, seed=1)
    table["A"] = table["A"].cat.rename_categories({"a": SCRIPT})
    table = table.rename(columns={"A": END, "E": SCRIPT})
    result = bnjit.learn(table)
    html = result.report(data=table, title=SCRIPT, strength=strength_of(result, None)).html
    assert "<script" not in html
    assert "<img" not in html


def test_what_is_refused(result, table, tmp_path):
    with pytest.raises(bnjit.ArgumentError, match=r"must end in \.html"):
        result.report(tmp_path / "report.pdf", table)
    with pytest.raises(bnjit.ArgumentError, match=r"test=1.5 must be"):
        result.report(data=table, test=1.5)
    with pytest.raises(bnjit.ArgumentError, match="title=3 must be a text"):
        result.report(title=3)
    with pytest.raises(bnjit.ArgumentError, match="not the table of this result"):
        result.report(data=table.drop(columns="A"))
    with pytest.raises(bnjit.ArgumentError, match="only one of them has the column 'more'"):
        result.report(data=table.assign(more=1.5))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("width", [1200, 380])
def test_in_a_browser(result, table, show, width):
    page = show(result.report(data=table).html, width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    page.find_element("css selector", "nav a[href='#predictions']").click()
    assert page.find_element("id", "predictions").rect["y"] > 0
    for cell in page.find_elements("css selector", ".check td:nth-child(3)"):
        assert cell.rect["width"] > 140, "levels are not one under the other"
    page.switch_to.frame(page.find_element("css selector", "iframe"))
    page.find_element("css selector", "[data-node='0']").click()
    assert "multinomial" in page.find_element("id", "details").text
    page.switch_to.default_content()


def test_empty_columns_of_tables_are_left_out():
    table = pd.DataFrame(np.random.default_rng(1).normal(size=(200, 3)), columns=list("abc"))
    html = bnjit.learn(table).report(data=table).html
    assert "from its parents</th>" in html
    assert "most frequent level</th>" not in html  # there are no levels
    assert ">levels or range</th>" in html
    assert ">missing</th>" not in html
    table.loc[3:5, "a"] = np.nan
    html = bnjit.learn(table, missing="em").report(data=table).html
    assert ">missing</th>" in html


def test_weights_are_no_node(table):
    weighted = table.assign(often=1.0 + np.arange(len(table)) % 3)
    html = bnjit.learn(weighted, weights="often").report(data=weighted, weights="often").html
    assert "Not measured: rows with weights are not predicted." in html
