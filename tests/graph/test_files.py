"""Files of graphs: round trips, other writers' files, and damage of every kind."""

import contextlib
import time

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.graph.dot import parse_dot

FORMATS = ("graphml", "dot", "json", "txt")
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp")), min_size=1, max_size=6)


def example():
    dag = bnjit.datasets.small_mixed().dag
    return nx.relabel_nodes(dag, {"A": 'a "b"\\', "B": "PM2.5 é", "C": "digraph"})


@pytest.mark.parametrize("suffix", FORMATS)
def test_round_trip(suffix, tmp_path):
    dag = example()
    bnjit.write_dag(dag, tmp_path / f"g.{suffix}")
    again = bnjit.read_dag(tmp_path / f"g.{suffix}")
    if suffix != "txt":  # which puts parents before children, and knows no kinds
        assert list(again) == list(dag)
        assert dict(again.nodes(data="kind")) == dict(dag.nodes(data="kind"))
    assert set(again) == set(dag)
    assert set(again.edges) == set(dag.edges)


@settings(max_examples=50, deadline=None)
@given(names=st.lists(NAMES, min_size=2, max_size=5, unique=True), data=st.data())
def test_round_trip_of_any_names(names, data, tmp_path_factory):
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    dag = nx.DiGraph()
    dag.add_nodes_from(names)
    dag.add_edges_from(data.draw(st.lists(st.sampled_from(pairs), unique=True)))
    for suffix in ("graphml", "dot", "json"):
        path = tmp_path_factory.mktemp("g") / f"g.{suffix}"
        bnjit.write_dag(dag, path)
        assert set(bnjit.read_dag(path).edges) == set(dag.edges)
        assert list(bnjit.read_dag(path)) == names


def test_attributes_of_networks_are_left_out(tmp_path):
    network = bnjit.datasets.small_discrete()
    for suffix in FORMATS:
        bnjit.write_dag(network.to_networkx(), tmp_path / f"g.{suffix}")
        assert set(bnjit.read_dag(tmp_path / f"g.{suffix}").edges) == set(network.dag.edges)


def test_dot_of_other_writers():
    graph = parse_dot(
        """# made by hand
        strict digraph "my graph" {
          rankdir = LR; node [shape=box, color="light\\
blue"] /* a
          comment */
          A -> B:n -> C [label="x -> y"; weight=2]; // another
          1.5 [kind=discrete]
          "A" -> 1.5
        }"""
    )
    assert list(graph.edges()) == [("A", "B"), ("A", "1.5"), ("B", "C")]
    assert graph.nodes["1.5"] == {"kind": "discrete"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.dot", "digraph {\n A -> ;\n}", "g.dot: line 2: found ';' instead of a name"),
        ("g.dot", "graph { A -- B }", "found 'graph' instead of 'digraph'"),
        ("g.dot", "digraph { subgraph x { A } }", "line 1: subgraphs are not supported"),
        ("g.dot", 'digraph {\n"A', "line 2: cannot read"),
        ("g.dot", "digraph { A", "found 'the end' instead of"),
        ("g.dot", "digraph { A -> B; B -> A }", "cycle"),
        ("g.dot", "digraph { A -> B; A -> B }", "there twice"),
        ("g.dot", "digraph { A -> A }", "cycle"),
        ("g.dot", "digraph { } x", "instead of the end"),
        ("g.json", "{", "not JSON: .*line 1 column 2"),
        ("g.json", "[1]", "node-link"),
        ("g.json", '{"nodes": [{"id": ["a"]}], "edges": []}', "node-link"),
        ("g.json", '{"nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "b"}]}', r"edges\[0\].*no node"),
        ("g.json", '{"directed": false, "nodes": [], "edges": []}', "not directed"),
        ("g.json", '{"format": "bnjit-network"}', "read_network"),
        ("g.json", "[" * 100_000, "nested too deeply|not JSON"),
        ("g.json", '{"nodes": ["NaN",\n NaN]}', "line 2, column 2: 'NaN.*is no number"),
        ("g.json", f'{{"nodes": [{"9" * 5000}]}}', "line 1, column 12: '9999.*is no number"),
        ("g.json", '{"nodes": [{"id": "\\ud800"}], "edges": []}', "half of a pair"),
        ("g.txt", "[A][B|C]", "not defined"),
        ("g.txt", "", "empty"),
        ("g.graphml", "<graphml", "not well-formed XML.*line 1, column"),
        ("g.graphml", "<graphml></graphml>", "not GraphML"),
        ("g.graphml", '<!DOCTYPE x [<!ENTITY a "a">]><graphml/>', "entities"),
        ("g.png", "", "must end in"),
    ],
)
def test_bad_files(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(bnjit.FileFormatError, match=message):
        bnjit.read_dag(tmp_path / name)


def test_no_file_and_no_text(tmp_path):
    (tmp_path / "folder.dot").mkdir()
    for path in (tmp_path / "g.dot", tmp_path / "folder.dot", "a\0b.json", "a" * 5000 + ".txt"):
        with pytest.raises(bnjit.FileFormatError, match="there is no file"):
            bnjit.read_dag(path)
    (tmp_path / "g.dot").write_bytes(b"digraph \xff")
    with pytest.raises(bnjit.FileFormatError, match="byte 8 is not UTF-8"):
        bnjit.read_dag(tmp_path / "g.dot")


@pytest.mark.parametrize("suffix", FORMATS)
def test_mutated_files_end_in_a_graph_or_an_error(suffix, tmp_path):
    bnjit.write_dag(example(), tmp_path / f"g.{suffix}")
    whole = (tmp_path / f"g.{suffix}").read_bytes()
    bad = tmp_path / f"bad.{suffix}"

    @settings(max_examples=150, deadline=None)
    @given(
        at=st.integers(0, len(whole) - 1), removed=st.integers(0, 30),
        put=st.one_of(st.binary(max_size=4), st.sampled_from([b'"', b"[", b"}", b"->", b"<", b"&", b":"])),
    )  # fmt: skip
    def mutate(at, removed, put):
        bad.write_bytes(whole[:at] + put + whole[at + removed :])
        with contextlib.suppress(bnjit.FileFormatError):
            assert nx.is_directed_acyclic_graph(bnjit.read_dag(bad))

    mutate()


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("name", ["new\nline", "a\rb", "a\r\nb", "a\x01", "\ud800", " a ", "a\tb", ("a", 1), 7])
def test_names_are_kept_or_refused(suffix, name, tmp_path):
    dag = nx.DiGraph([(name, "other")])
    try:
        bnjit.write_dag(dag, tmp_path / f"g.{suffix}")
    except bnjit.GraphError as error:
        assert repr(name) in str(error)  # noqa: PT017
        assert not (tmp_path / f"g.{suffix}").exists()
    else:
        assert set(map(str, bnjit.read_dag(tmp_path / f"g.{suffix}"))) == {str(name), "other"}


def test_graphs_that_a_format_cannot_hold(tmp_path):
    for suffix in ("dot", "graphml"):
        with pytest.raises(bnjit.GraphError, match="two names that are alike as text"):
            bnjit.write_dag(nx.DiGraph([(1, "1")]), tmp_path / f"g.{suffix}")
    with pytest.raises(bnjit.GraphError, match="at least one node"):
        bnjit.write_dag(nx.DiGraph(), tmp_path / "g.txt")
    bnjit.write_dag([("a", "b")], tmp_path / "g.txt")
    assert (tmp_path / "g.txt").read_text() == "[a][b|a]\n"


def test_attributes_of_any_name(tmp_path):
    (tmp_path / "g.dot").write_text("digraph { A [self=1]; B [node_for_adding=1, kind=discrete]; }")
    assert dict(bnjit.read_dag(tmp_path / "g.dot").nodes(data="kind")) == {"A": None, "B": "discrete"}
    (tmp_path / "g.json").write_text('{"nodes": [{"id": "a", "kind": []}], "edges": []}')
    assert dict(bnjit.read_dag(tmp_path / "g.json").nodes) == {"a": {}}


def test_strict_graphs_merge_arcs():
    assert list(parse_dot("strict digraph { A -> B; A -> B }").edges()) == [("A", "B")]


def test_large_files_take_seconds(tmp_path):
    arcs = [f"a{i} -> b{i};" for i in range(40_000)]
    (tmp_path / "g.dot").write_text(f"digraph {{ {' '.join([*arcs, arcs[-1]])} }}")
    (tmp_path / "g.txt").write_text("".join(f"[a{i}]" for i in range(40_000)) + "[y|a39999]")
    began = time.perf_counter()
    with pytest.raises(bnjit.FileFormatError, match="a39999 -> b39999 is there twice"):
        bnjit.read_dag(tmp_path / "g.dot")
    assert len(bnjit.read_dag(tmp_path / "g.txt")) == 40_001
    assert time.perf_counter() - began < 10
