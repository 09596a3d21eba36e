"""Names and levels of any text come back from a BIF file; levels that are no text do so as their text."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnjit
from bnjit.network import Network
from bnjit.network.nodes import DiscreteNode

AWKWARD = [
    "(0.5, 1.5]", "a b", "a,b", "{", "}", "[", "|", ";", '"', '""', "\\", '\\"', "a\\n", "a\nb", "\r\n", "\t", "", "//",
    "/* x */", "table", "default", "network", "type", "discrete", " ", "\u00a0", "\u2028", "\x00", "é", "1",
]  # fmt: skip
WORDS = st.sampled_from(AWKWARD) | st.text(max_size=8) | st.text(' "\\\n\r()[],;|/*nr', max_size=6)


def network_of(names, levels):
    """Every node has the one before it as a parent."""
    nodes = []
    for j, labels in enumerate(levels):
        parents = (j - 1,) if j else ()
        q = len(levels[j - 1]) if j else 1
        rows = np.random.default_rng(j).dirichlet(np.ones(len(labels)), q)
        nodes.append(DiscreteNode(parents, np.arange(q), rows, rows.mean(axis=0)))
    return Network(names, [tuple(labels) for labels in levels], nodes)


@given(names=st.lists(WORDS, min_size=1, max_size=3, unique=True), data=st.data())
def test_any_text_comes_back(names, data, tmp_path_factory):
    levels = [data.draw(st.lists(WORDS, min_size=1, max_size=4, unique=True)) for _ in names]
    network = network_of(names, levels)
    path = tmp_path_factory.mktemp("files", numbered=True) / "n.bif"
    bnjit.write_network(network, path)
    again = bnjit.read_network(path)
    assert again.names == network.names
    assert again.labels == network.labels
    for name in names:
        pd.testing.assert_frame_equal(again.parameters(name), network.parameters(name))


def test_words_need_no_quotes(tmp_path):
    bnjit.write_network(network_of(["a", "b"], [["x", "<=1.5"], ["0-1", "a\\b"]]), tmp_path / "n.bif")
    assert '"' not in (tmp_path / "n.bif").read_text()


def test_backslashes_of_other_programs(tmp_path):
    text = 'network x { property "C:\\dir"; }\nvariable a { type discrete [ 2 ] { "\\d", "\\\\" }; }\n'
    (tmp_path / "n.bif").write_text(text + "probability ( a ) { table 0.5, 0.5; }")
    assert bnjit.read_network(tmp_path / "n.bif").labels == (("\\d", "\\"),)


def test_half_a_character_cannot_be_written(tmp_path):
    with pytest.raises(bnjit.FileFormatError, match=r"n.bif: '\\ud800' in a name or level is no character"):
        bnjit.write_network(network_of(["a"], [["\ud800", "b"]]), tmp_path / "n.bif")
    assert not (tmp_path / "n.bif").exists()


def test_intervals(tmp_path):
    rng = np.random.default_rng(3)
    x = rng.normal(size=500)
    cut = pd.DataFrame({"x": pd.cut(x, [-9, -0.5, 0.5, 9]), "y": pd.qcut(x + rng.normal(size=500), 3)})
    result = bnjit.learn(cut, progress=False)
    assert len(result.dag.edges) == 1
    network = bnjit.fit(result.dag, cut)
    levels = tuple(tuple(map(str, cut[name].cat.categories)) for name in cut)
    assert network.labels == levels
    assert levels[0] == ("(-9.0, -0.5]", "(-0.5, 0.5]", "(0.5, 9.0]")
    for name in ("n.bif", "n.json"):
        bnjit.write_network(network, tmp_path / name)
        again = bnjit.read_network(tmp_path / name)
        assert again.labels == levels
        assert again.log_likelihood(cut) == pytest.approx(network.log_likelihood(cut))
        assert again.sample(5, seed=1)["x"].cat.categories.tolist() == list(levels[0])
