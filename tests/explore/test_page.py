"""The page as text: what is in it, what cannot be, and what is refused."""

import json
import re

import networkx as nx
import numpy as np
import pytest

import bnjit
from bnjit.datasets import random_network, small_gaussian, small_mixed
from bnjit.explore.drawing import draw_boxes
from bnjit.explore.tuning import MOST_LEVELS, MOST_ROWS
from bnjit.network import DiscreteNode, GaussianNode, Network
from bnjit.network.details import describe_nodes
from tests.explore.networks import NAMES, STRENGTHS, hostile_network, strengths


def document(html):
    """What the page knows of the network."""
    (text,) = re.findall(r'<script type="application/json" id="network">(.*?)</script>', html, flags=re.DOTALL)
    return json.loads(text)


def test_all_that_the_page_needs_is_in_it():
    html = small_mixed().explore().html
    assert not re.search(r"(?:src|href)=\"(?!data:,)|@import|url\((?!#)|fetch\(|XMLHttpRequest", html)
    assert re.findall(r"https?://[^\s\"']+", html) == ["http://www.w3.org/2000/svg"]
    assert "default-src 'none'" in html


def test_names_cannot_end_the_script():
    html = hostile_network().explore(strength=strengths()).html
    html.encode()
    assert html.count("<script") == html.count("</script>") == 2
    assert "<img" not in html
    assert "<b>low" not in html
    assert [node["name"] for node in document(html)["nodes"]][:4] == NAMES[:4]


def test_a_document_holds_arcs_strengths_and_parameters():
    found = document(hostile_network().explore(strength=strengths()).html)
    assert {(arc["from"], arc["to"]): arc["strength"] for arc in found["arcs"]} == STRENGTHS
    child = found["nodes"][1]
    assert child["parents"] == [0]
    assert child["details"]["table"]["rows"] == [["high", "0.75", "0.25"]]
    assert child["details"]["table"]["unseen"] == 1
    assert found["nodes"][4]["details"]["table"]["rows"] == [["1.5", "-2.5", "1"]]
    assert found["nodes"][5]["details"]["histogram"] == {"edges": [7, 7], "shares": [1], "mean": "7", "sd": "0"}
    assert [node["class"] for node in found["nodes"]] == [
        "multinomial", "multinomial", "multinomial", "conditional Gaussian", "Gaussian", "Gaussian",
    ]  # fmt: skip


def test_the_significant_strength_is_that_of_the_averaged_network():
    strength = strengths()
    kept = {frozenset(arc) for arc in bnjit.averaged_network(strength).edges}
    least = document(hostile_network().explore(strength=strength).html)["significant"]
    names = NAMES
    assert kept == {frozenset((names[a], names[b])) for (a, b), share in STRENGTHS.items() if share >= least}
    nothing = strength.assign(strength=0.0)
    assert document(hostile_network().explore(strength=nothing).html)["significant"] is None


def test_distributions_are_those_of_the_network():
    network = small_gaussian()
    for details, values in zip(describe_nodes(network), network.sample(100_000, seed=5).to_numpy().T, strict=True):
        assert details.distribution.mean == pytest.approx(values.mean(), abs=0.05 * values.std())
        assert details.distribution.sd == pytest.approx(values.std(), rel=0.05)
        assert sum(details.distribution.shares) == pytest.approx(0.998)
    bars = describe_nodes(hostile_network())[0].distribution
    assert list(bars.levels) == ["high", "<b>low</b>"]
    assert bars.shares == pytest.approx([0.75, 0.25], abs=0.02)


def test_only_the_first_of_many_parameters():
    levels, rows = 50, 3_000
    rng = np.random.default_rng(1)
    table = rng.dirichlet(np.ones(levels), rows)
    labels = tuple(f"level {k}" for k in range(levels))
    grid = tuple(f"cell {k}" for k in range(rows))
    root = DiscreteNode((), np.array([0]), np.full((1, rows), 1 / rows), np.full(rows, 1 / rows))
    child = DiscreteNode((0,), np.arange(rows), table, table.mean(axis=0))
    html = Network(["root", "child"], [grid, labels], [root, child]).explore().html
    first, second = (node["details"] for node in document(html)["nodes"])
    assert (len(first["bars"]["levels"]), first["bars"]["more"]) == (MOST_LEVELS, rows - MOST_LEVELS)
    shown = second["table"]
    assert (len(shown["rows"]), shown["total"], shown["more"]) == (MOST_ROWS, rows, levels - MOST_LEVELS)
    assert shown["rows"][7] == ["cell 7", *(f"{value:.4g}" for value in table[7, :MOST_LEVELS])]
    assert len(html) < 100_000


def test_infinite_parameters_are_written_as_texts():
    node = GaussianNode((), (), np.array([0]), np.array([[0.0]]), np.array([np.inf]), np.array([0.0, np.inf]))
    found = document(Network(["x"], [None], [node]).explore().html)["nodes"][0]["details"]
    assert found["table"]["rows"] == [["0", "inf"]]


def test_names_of_any_kind():
    graph = nx.DiGraph([((1, 2), 3), (3, 4.5)])
    found = draw_boxes(graph)
    assert [node["name"] for node in found["nodes"]] == ["(1, 2)", "3", "4.5"]
    assert (found["nodes"][1]["parents"], found["nodes"][1]["children"]) == ([0], [2])


def test_boxes_are_apart_and_in_the_frame():
    found = draw_boxes(random_network("gaussian", 60, seed=1).dag)
    left, top, width, height = found["frame"]
    places = np.array([node["place"] for node in found["nodes"]])
    assert (places[:, 0] - places[:, 2] / 2 >= left).all()
    assert (places[:, 0] + places[:, 2] / 2 <= left + width).all()
    assert (places[:, 1] - places[:, 3] / 2 >= top).all()
    assert (places[:, 1] + places[:, 3] / 2 <= top + height).all()
    apart = np.abs(places[:, None, :2] - places[None, :, :2]) >= (places[:, None, 2:] + places[None, :, 2:]) / 2
    assert apart.any(axis=2)[~np.eye(60, dtype=bool)].all()


def test_the_same_page_again():
    network = small_mixed()
    assert network.explore().html == network.explore().html


def test_result_network_and_file(tmp_path):
    table = small_mixed().sample(500, seed=1)
    result = bnjit.learn(table)
    page = result.explore(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html == result.fit().explore().html
    page.save(tmp_path / "again.HTM")
    assert (tmp_path / "again.HTM").read_text(encoding="utf-8") == page.html
    assert page.html not in page._repr_html_()
    assert 'sandbox="allow-scripts"' in page._repr_html_()
    assert "height:300px" in result.explore(height=300)._repr_html_()
    assert "kB" in repr(page)


def test_a_result_that_cannot_be_fitted_has_no_parameters():
    result = bnjit.learn(small_mixed().sample(500, seed=1))
    result._statistics = "they were not collected"
    found = document(result.explore().html)
    assert "details" not in found["nodes"][0]
    assert "they were not collected" in found["note"]


def test_what_is_refused(tmp_path):
    network = small_mixed()
    with pytest.raises(bnjit.ArgumentError, match=r"must end in \.html"):
        network.explore(tmp_path / "page.png")
    with pytest.raises(bnjit.ArgumentError, match="height=5 must be"):
        network.explore(height=5)
    with pytest.raises(bnjit.ArgumentError, match="lacks the column 'direction'"):
        network.explore(strength=strengths().drop(columns="direction"))
    with pytest.raises(bnjit.ArgumentError, match=r"strength has no row from 'A' to 'D'"):
        network.explore(strength=strengths())
    with pytest.raises(bnjit.ArgumentError, match="shares are from 0 to 1"):
        hostile_network().explore(strength=strengths().assign(strength=2.0))
    assert list(tmp_path.iterdir()) == []
