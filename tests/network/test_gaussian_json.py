"""Gaussian networks as the bnlearn repository has them in JSON."""

import contextlib
import copy
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit

DOCUMENT = {
    "nodes": ["A", "B", "C"],
    "arcs": [["A", "C"], ["B", "C"]],
    "cpds": {
        "A": {"coefficients": {"(Intercept)": [1.5]}, "variance": [4.0], "parents": []},
        "B": {"coefficients": {"(Intercept)": [-1]}, "variance": [0], "parents": []},
        "C": {"coefficients": {"(Intercept)": [0.5], "B": [2.0], "A": [-3.0]}, "variance": [0.25],
              "parents": ["B", "A"]},
    },
}  # fmt: skip


def read(document, tmp_path):
    (tmp_path / "n.json").write_text(json.dumps(document))
    return bnjit.read_network(tmp_path / "n.json")


def test_parameters(tmp_path):
    network = read(DOCUMENT, tmp_path)
    assert network.names == ("A", "B", "C")
    assert set(network.dag.edges) == {("A", "C"), ("B", "C")}
    assert network.parameters("C").iloc[0].to_dict() == {"intercept": 0.5, "A": -3.0, "B": 2.0, "sd": 0.5}
    assert network.parameters("A").iloc[0].tolist() == [1.5, 2.0]
    sample = network.sample(50_000, seed=1)
    assert sample["C"].mean() == pytest.approx(0.5 - 2.0 - 4.5, abs=0.1)
    assert sample["C"].std() == pytest.approx(np.hypot(6.0, 0.5), rel=0.02)
    bnjit.write_network(network, tmp_path / "own.json")
    assert bnjit.read_network(tmp_path / "own.json").parameters("C").equals(network.parameters("C"))


def set_at(document, path, value):
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("nodes",), None, "nodes: it is missing or no list of names"),
        (("nodes",), ["A", "B", "C", "C"], "nodes: a name is there twice"),
        (("nodes",), ["A", "B"], "cpds: 'C' is no node"),
        (("nodes",), ["A", "B", "C", "D"], r"cpds\['D'\]: it is missing or no object"),
        (("cpds",), [], "cpds: it is missing"),
        (("arcs",), [["A", "C"]], "arcs: it has 1 arcs, and the parents are 2"),
        (("arcs",), [["A", "C"], ["A", "C"]], "arcs: an arc is there twice"),
        (("arcs", 0), ["C", "A"], r"arcs\[0\]: \['C', 'A'\] is not from a parent to its child"),
        (("arcs", 0), [["A"], "C"], r"arcs\[0\]: "),
        (("cpds", "C", "parents"), ["B", "D"], r"cpds\['C'\].parents: 'D' is no node"),
        (("cpds", "C", "parents"), ["B"], r"cpds\['C'\].coefficients: they are not those"),
        (("cpds", "C", "coefficients", "A"), [1, 2], r"coefficients\['A'\]: it is no \[number\]"),
        (("cpds", "C", "coefficients", "A"), [True], r"coefficients\['A'\]: it is no \[number\]"),
        (("cpds", "C", "coefficients", "A"), [10**400], r"coefficients\['A'\]: it is no \[number\]"),
        (("cpds", "C", "variance"), [-1], r"cpds\['C'\].variance: it is -1.0, and must not be negative"),
        (("cpds", "C", "variance"), 1.0, r"cpds\['C'\].variance: it is no \[number\]"),
    ],
)
def test_damaged(path, value, message, tmp_path):
    document = copy.deepcopy(DOCUMENT)
    set_at(document, path, value)
    with pytest.raises(bnjit.FileFormatError, match=rf"^n\.json: .*{message}"):
        read(document, tmp_path)


def test_a_cycle(tmp_path):
    document = copy.deepcopy(DOCUMENT)
    document["arcs"].append(["C", "A"])
    document["cpds"]["A"] = {"coefficients": {"(Intercept)": [0], "C": [1]}, "variance": [1], "parents": ["C"]}
    with pytest.raises(bnjit.FileFormatError, match="has the cycle"):
        read(document, tmp_path)


VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=2) | st.floats(allow_nan=False)


@given(data=st.data())
@settings(max_examples=150)
def test_any_change_gives_an_error_or_a_network(data, tmp_path_factory):
    document, path = copy.deepcopy(DOCUMENT), []
    part = document
    while isinstance(part, list | dict) and part and (not path or data.draw(st.booleans())):
        path.append(data.draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part)))))
        part = part[path[-1]]
    set_at(document, path, data.draw(VALUES | st.lists(VALUES, max_size=2) | st.dictionaries(st.text(), VALUES)))
    with contextlib.suppress(bnjit.FileFormatError):
        assert set(read(document, tmp_path_factory.mktemp("json", numbered=True)).names) == {"A", "B", "C"}


@pytest.mark.parametrize(("name", "nodes", "arcs"), [("ecoli70", 46, 70), ("magic-niab", 44, 66)])
def test_networks_of_the_repository(name, nodes, arcs):
    import importlib.util

    package = importlib.util.find_spec("pgmpy")
    path = Path(package.origin).parent / "utils" / "example_models" / f"{name}.json"
    if not path.exists():
        pytest.skip("this release of pgmpy has no such file")
    network = bnjit.read_network(path)
    assert (len(network.names), len(network.dag.edges)) == (nodes, arcs)
    document = json.loads(path.read_text())
    for child, cpd in document["cpds"].items():
        row = network.parameters(child).iloc[0]
        assert row["sd"] ** 2 == pytest.approx(cpd["variance"][0])
        assert {p: row[p] for p in cpd["parents"]} == {p: cpd["coefficients"][p][0] for p in cpd["parents"]}
