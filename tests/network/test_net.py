"""Hugin's .net files: round trips, pyAgrum's reader and writer, and damage of every kind."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.datasets import random_network, small_discrete, small_mixed
from bnjit.network.linear import normal_text, read_normal
from tests.network.test_bif import WORDS
from tests.network.test_bif import network_of as chain

NET = """net { node_size = (80 40); data_format = "1.0"; }
% a comment; with { and ( and "
discrete node A { states = ("yes" no); label = "say \\"so\\""; position = (10 20); }
node B { states = ("a b" "c" "d"); }
continuous node X { label = ""; }
continuous node Y { }
potential (A) { data = (0.25 0.75); }
potential ( B | A ) { data = ((0.1 0.2 0.7) % A=yes; (
  (0.5 0.25 0.25)); }
potential (X) { data = ( normal(-1.5, 4) ); }
potential (Y | B A X) { data = (
  (normal(1, 1) normal(2 + 0.5 * X, 0.25)) (normal(3 - X, 1) normal(-4 - 1e1*X, 1)) (normal(X, 1) normal(6, 0.0))); }
"""


def read(text, tmp_path):
    (tmp_path / "n.net").write_text(text, encoding="utf-8")
    return bnjit.read_network(tmp_path / "n.net")


def test_text(tmp_path):
    network = read(NET, tmp_path)
    assert network.names == ("A", "B", "X", "Y")
    assert network.labels == (("yes", "no"), ("a b", "c", "d"), None, None)
    assert set(network.dag.edges) == {("A", "B"), ("A", "Y"), ("B", "Y"), ("X", "Y")}
    np.testing.assert_allclose(network.nodes[1].probabilities, [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    assert network.parameters("X").iloc[0].tolist() == [-1.5, 2.0]
    table = network.parameters("Y").set_index(["B", "A"])
    expected = {
        ("a b", "yes"): [1, 0, 1], ("a b", "no"): [2, 0.5, 0.5], ("c", "yes"): [3, -1, 1], ("c", "no"): [-4, -10, 1],
        ("d", "yes"): [0, 1, 1], ("d", "no"): [6, 0, 0],
    }  # fmt: skip
    assert {key: list(row) for key, row in zip(table.index, table.to_numpy().tolist(), strict=True)} == expected


def test_one_flat_list(tmp_path):
    flat = read(NET.replace("(0.1 0.2 0.7) %", "0.1 0.2 0.7 %").replace("(0.5 0.25 0.25))", "0.5 0.25 0.25)"), tmp_path)
    np.testing.assert_array_equal(flat.nodes[1].probabilities, read(NET, tmp_path).nodes[1].probabilities)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("net {", "class X {", "line 1: found 'class' where net, node or potential should stand"),
        ("discrete node A", "utility node A", "line 3: found 'utility'"),
        ("discrete node A", "discrete A", "line 3: found 'A' where 'node' should stand"),
        ("node B", "node A", "line 4: node 'A' is defined twice"),
        ('"yes" no', '"yes" = no', "line 3: found '=' where a word or"),
        ('"yes" no', "no no", "line 3: node 'A' has no states, or one of them twice"),
        ('states = ("a b" "c" "d");', "", "line 4: node 'B' has no states"),
        ("position =", "position", "line 3: found '\\(' where '=' should stand"),
        ("(0.5 0.25 0.25)", "( )", "line 9: the data of 'B' is no list of 2 lists of 3 numbers"),
        ("(0.5 0.25 0.25)", "() 0.5 0.25 0.25", "line 9: the data of 'B' is no list of 2 lists of 3 numbers"),
        ("(A) {", "(Q) {", "line 7: a potential names 'Q', which is no node"),
        ("(A) {", "(A B) {", "line 7: a potential is of 2 nodes"),
        ("(A) {", "(B | A) {", "line 7: the data of 'B' is no list of 2 lists of 3 numbers"),
        ("( B | A )", "( B | A A )", "line 8: the potential of 'B' names a node twice"),
        ("( B | A )", "( A )", "line 8: the potential of 'A' is there twice"),
        ("( B | A )", "( B | X )", "line 9: 'B' is discrete and has a continuous parent"),
        ("(0.25 0.75)", "(0.25 0.65)", "line 7: the probabilities of 'A' are missing, negative or do not sum to 1"),
        ("(0.25 0.75)", "(-0.25 1.25)", "line 7: the probabilities of 'A'"),
        ("(0.25 0.75)", "(0.25, 0.75)", "line 7: the data of 'A' has more than numbers"),
        ("(0.25 0.75)", "(nan 0.75)", "line 7: the data of 'A' has more than numbers"),
        ("(0.25 0.75)", "(0.25 0.7.5)", "line 7: the data of 'A' has something that is no number"),
        ("(0.25 0.75)", "(0.25 0.5 0.25)", "line 7: the data of 'A' is no list of 2 numbers"),
        ("(0.25 0.75)", "((0.25 0.75))", "line 7: the data of 'A' is no list of 2 numbers"),
        ("(0.25 0.75);", '(0.25 0.75) "";', "line 7: the data of 'A' does not end"),
        ("data = (0.25 0.75);", "", "line 7: the potential of 'A' has no data"),
        ("data = (0.25", "data = (0.25 0.75); data = (0.25", "line 7: the potential of 'A' has data twice"),
        ("potential (A) { data = (0.25 0.75); }", "", "node 'A' has no potential"),
        ("normal(-1.5, 4)", "normal(-1.5, -4)", "line 10: the data of 'X': '-4' is no variance"),
        ("normal(-1.5, 4)", "normal(A, 4)", "line 10: the data of 'X': 'A' is no continuous parent"),
        ("normal(-1.5, 4)", "normal(-1.5 2, 4)", "line 10: the data of 'X': '-1.5 2' is no sum"),
        ("normal(-1.5, 4)", "normal(1e999, 4)", "line 10: the data of 'X': .* too large"),
        ("normal(-1.5, 4)", "-1.5", "line 10: the data of 'X' has more than normal"),
        ("normal(-1.5, 4)", "normal(0, 1) normal(0, 1)", "line 10: the data of 'X' is no list of 1 numbers"),
        ("normal(3 - X, 1)", "normal(3 - X - X, 1)", "line 12: the data of 'Y': 'X' is .* there twice"),
        ("(normal(X, 1)", "normal(X, 1)", "line 12: the data of 'Y' is no list of 3 lists of 2 numbers"),
        ('"say', '"say\n', "line 3: cannot read"),
        ("normal(6, 0.0))); }", "normal(6, 0.0)))", "line 11: the data of 'Y' does not end"),
    ],
)
def test_damaged(old, new, message, tmp_path):
    assert old in NET
    with pytest.raises(bnjit.FileFormatError, match=rf"^n\.net: .*{message}"):
        read(NET.replace(old, new, 1), tmp_path)


def close(first, second, rtol=1e-12):
    """The same distributions, also where a file lists the fallback of configurations without parameters."""
    assert first.names == second.names
    assert first.labels == second.labels
    for ours, theirs in zip(first.nodes, second.nodes, strict=True):
        assert ours.parents == theirs.parents
        known = np.isin(theirs.keys, ours.keys)
        assert known.sum() == len(ours.keys)
        for name in ("probabilities", "coefficients", "sd"):
            if hasattr(ours, name):
                np.testing.assert_allclose(getattr(theirs, name)[known], getattr(ours, name), rtol=rtol)


@pytest.mark.parametrize("ending", [".net", ".net.gz"])
@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_round_trips(kind, ending, tmp_path):
    network = random_network(kind, 12, parents=2, seed=4)
    bnjit.write_network(network, tmp_path / f"n{ending}")
    close(network, bnjit.read_network(tmp_path / f"n{ending}"))


def test_configurations_without_parameters_get_their_fallback(tmp_path):
    data = {"A": list("xxy"), "B": list("uvu"), "C": list("stt"), "X": [1.0, 2.0, 3.0]}
    network = bnjit.fit("[A][B][C|A:B][X|A]", data)
    bnjit.write_network(network, tmp_path / "n.net")
    again = bnjit.read_network(tmp_path / "n.net")
    np.testing.assert_allclose(again.nodes[2].probabilities[3], [1 / 3, 2 / 3])  # y, v: all rows
    assert again.nodes[3].coefficients[1].tolist() == network.nodes[3].fallback[:-1].tolist()


@given(names=st.lists(WORDS, min_size=1, max_size=3, unique=True), data=st.data())
def test_any_text_comes_back(names, data, tmp_path_factory):
    levels = [data.draw(st.lists(WORDS, min_size=1, max_size=4, unique=True)) for _ in names]
    path = tmp_path_factory.mktemp("files", numbered=True) / "n.net"
    bnjit.write_network(chain(names, levels), path)
    close(chain(names, levels), bnjit.read_network(path))


@given(data=st.data())
@settings(max_examples=200)
def test_mutated_files_give_an_error_or_a_network(data, tmp_path_factory):
    text = NET
    for _ in range(data.draw(st.integers(1, 4))):
        at, length = data.draw(st.integers(0, len(text) - 1)), data.draw(st.sampled_from([0, 1, 2, 5, 30]))
        insert = data.draw(
            st.sampled_from(["", "{", "}", "(", ")", ";", "|", '"', "%", "-1", "9e9", "=", "normal(0, 1)"])
        )
        text = text[:at] + insert + text[at + length :]
    path = tmp_path_factory.mktemp("files", numbered=True) / "n.net"
    path.write_text(text, encoding="utf-8")
    with contextlib.suppress(bnjit.FileFormatError):
        assert len(bnjit.read_network(path).sample(3, seed=1)) == 3


def test_hostile(tmp_path):
    nodes = "".join(f"node V{i} {{ states = (a b c d e f g h i); }}\n" for i in range(22))
    given = " ".join(f"V{i}" for i in range(1, 20))
    text = f"potential (V0 | {given}) {{ data = {'(' * 20000}{')' * 20000}; }}"
    with pytest.raises(bnjit.FileFormatError, match="the data of 'V0' is no list of 9 lists of 9"):
        read(nodes + text, tmp_path)
    with pytest.raises(bnjit.FileFormatError, match=r"more than 2\^62 configurations"):
        read(nodes + text.replace("V19", "V19 V20 V21"), tmp_path)
    cycle = "node A { states = (a); }\nnode B { states = (b); }\n"
    with pytest.raises(bnjit.FileFormatError, match="the network has the cycle"):
        read(cycle + "potential (A | B) { data = ((1)); }\npotential (B | A) { data = ((1)); }", tmp_path)


def test_too_many_configurations_to_write(tmp_path):
    rng = np.random.default_rng(1)
    names = [f"p{i}" for i in range(40)]
    network = bnjit.fit([(p, "y") for p in names], {name: rng.choice(list("ab"), 99) for name in [*names, "y"]})
    with pytest.raises(bnjit.FileFormatError, match=r"a \.net file lists every configuration.*write \.json"):
        bnjit.write_network(network, tmp_path / "n.net")
    with pytest.raises(bnjit.FileFormatError, match="in a name or level is no character"):
        bnjit.write_network(chain(["a"], [["\ud800"]]), tmp_path / "n.net")


def test_linear_terms():
    assert read_normal(" - X +2*Y - 0.5", ".25", ["X", "Y"]) == [-0.5, -1.0, 2.0, 0.5]
    assert read_normal("1 + -2 * X", "0", ["X"]) == [1.0, -2.0, 0.0]
    assert normal_text([-0.0, -1e-7], 0.5, ["X"]) == "normal(-0.0 - 1e-07 * X, 0.25)"
    for mean in ("", "1 2", "--1", "1 + --2", "X * 2", "1 +", "2 * 3", "(1)"):
        with pytest.raises(ValueError, match="is no "):
            read_normal(mean, "1", ["X"])


def test_pyagrum_reads_what_is_written(tmp_path, pyagrum):
    network = small_discrete()
    bnjit.write_network(network, tmp_path / "n.net")
    model = pyagrum.loadBN(str(tmp_path / "n.net"))
    assert set(model.names()) == set(network.names)
    for j, (name, node) in enumerate(zip(network.names, network.nodes, strict=True)):
        table = model.cpt(name)
        for key, row in zip(node.keys.tolist(), node.probabilities, strict=True):
            given = {network.names[p]: found[0] for p, found in zip(
                node.parents, network.configurations(node.parents, np.array([key])), strict=True)}  # fmt: skip
            for label, probability in zip(network.labels[j], row, strict=True):
                at = pyagrum.Instantiation(table)
                at.fromdict({**given, name: label})
                assert table.get(at) == pytest.approx(probability, abs=1e-7)  # it has 24 bits of a number in a file


def test_pyagrum_writes_what_is_read(tmp_path, pyagrum):
    model = pyagrum.fastBN("A{u|v|w}->B<-C[4];A->D[2];B->D")
    model.saveNET(str(tmp_path / "n.net"))
    network = bnjit.read_network(tmp_path / "n.net")
    assert set(network.dag.edges) == {("A", "B"), ("C", "B"), ("A", "D"), ("B", "D")}
    rows = network.sample(50, seed=1)
    for row, found in zip(rows.to_dict("records"), network.log_likelihood(rows, by_row=True), strict=True):
        at = pyagrum.Instantiation()
        for name in model.names():
            at.add(model.variable(name))
        at.fromdict(row)
        assert found == pytest.approx(np.log(model.jointProbability(at)), rel=1e-9)


def test_mixed_networks_keep_their_likelihood(tmp_path):
    network = small_mixed()
    bnjit.write_network(network, tmp_path / "n.net")
    rows = network.sample(200, seed=1)
    assert bnjit.read_network(tmp_path / "n.net").log_likelihood(rows) == pytest.approx(network.log_likelihood(rows))
