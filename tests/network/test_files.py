"""Files of networks: round trips, and damage of every kind."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from tests.network.test_network import network_of

BIF = """network unknown {
}
variable Rain {
  type discrete [ 2 ] { no, yes };
}
// a comment
variable Wet {
  type discrete [ 3 ] { dry, damp, "wet" };
}
probability ( Rain ) {
  table 0.8, 0.2;
}
probability ( Wet | Rain ) {
  (no) 0.7, 0.2, 0.1;
  (yes) 0.1, 0.3, 0.6;
}
"""


def same(first, second):
    assert first.names == second.names
    assert first.labels == second.labels
    for ours, theirs in zip(first.nodes, second.nodes, strict=True):
        assert type(ours) is type(theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", ["discrete", "gaussian", "cgaussian"])
def test_json_round_trip(kind, tmp_path):
    network = network_of(kind)
    bnjit.write_network(network, tmp_path / "n.json")
    same(bnjit.read_network(tmp_path / "n.json"), network)
    document = json.loads((tmp_path / "n.json").read_text())
    assert document["format"] == "bnjit-network"
    assert document["version"] == 1
    again = bnjit.read_network(str(tmp_path / "n.json"))
    again.to_json(tmp_path / "m.json")
    assert (tmp_path / "m.json").read_text() == (tmp_path / "n.json").read_text()


def test_bif_round_trip(tmp_path):
    network = network_of("discrete")
    bnjit.write_network(network, tmp_path / "n.bif")
    again = bnjit.read_network(tmp_path / "n.bif")
    assert again.labels == network.labels
    assert set(again.dag.edges) == set(network.dag.edges)
    for name in network.names:
        ours, theirs = again.parameters(name), network.parameters(name)
        labels = [c for c in ours if not c.startswith("P(")]
        if labels:
            ours, theirs = ours.set_index(labels), theirs.set_index(labels)
            ours = ours.loc[theirs.index]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_bif_text(tmp_path):
    path = tmp_path / "n.bif"
    path.write_text(BIF)
    network = bnjit.read_network(path)
    expected = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]
    assert network.parameters("Wet")["Rain"].tolist() == ["no", "yes"]

    def close(path):
        found = bnjit.read_network(path).parameters("Wet").drop(columns="Rain").to_numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    close(path)
    path.write_text(BIF.replace("(no) 0.7, 0.2, 0.1;\n  (yes) 0.1, 0.3, 0.6;", "table 0.7, 0.1, 0.2, 0.3, 0.1, 0.6;"))
    close(path)
    path.write_text(BIF.replace("(yes) 0.1, 0.3, 0.6;", "default 0.1, 0.3, 0.6;"))
    close(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.8, 0.2;", "0.8, 0.1;", "line 12: the probabilities of 'Rain'"),
        ("0.8, 0.2;", "0.8;", "line 11: the table of 'Rain' has 1 entries, not 2"),
        ("0.8, 0.2;", "0.8, two;", "where probabilities should stand"),
        ("(yes)", "(maybe)", r"\(maybe\) is no configuration of the parents of 'Wet'"),
        ("| Rain", "| Snow", "names 'Snow', which is no variable"),
        ("[ 2 ]", "[ 3 ]", "declares 3 levels and lists 2"),
        ("variable Wet", "variable Rain", "'Rain' is defined twice"),
        ("probability ( Rain )", "probability ( Wet )", "the table of 'Wet' has 2 entries"),
        ("network unknown", "notwork unknown", "line 1: found 'notwork'"),
        ("(yes) 0.1, 0.3, 0.6;\n}", "", "line 14: the file ends where"),
        ("0.1, 0.3, 0.6", "0.1, nan, 0.6", "'Wet'"),
    ],
)
def test_damaged_bif(old, new, message, tmp_path):
    path = tmp_path / "n.bif"
    assert old in BIF
    path.write_text(BIF.replace(old, new))
    if "nan" in new:
        # A row that is not there at all is a configuration without parameters; NaN in one is the same.
        assert len(bnjit.read_network(path).parameters("Wet")) == 1
        return
    with pytest.raises(bnjit.FileFormatError, match=message):
        bnjit.read_network(path)


def test_hostile_bif(tmp_path):
    path = tmp_path / "n.bif"
    many = "\n".join(f"variable V{i} {{ type discrete [ 9 ] {{ {', '.join('abcdefghi')} }}; }}" for i in range(12))
    given = ", ".join(f"V{i}" for i in range(1, 12))
    row = ", ".join(["1", *"0" * 8])
    path.write_text(f"network x {{ }}\n{many}\nprobability ( V0 | {given} ) {{ default {row}; }}")
    with pytest.raises(bnjit.FileFormatError, match=r"line 14: the defaults of 'V0' .* more than 16,777,216 entries"):
        bnjit.read_network(path)
    cycle = "variable A { type discrete [ 1 ] { a }; }\nvariable B { type discrete [ 1 ] { b }; }\n"
    path.write_text(cycle + "probability ( A | B ) { (b) 1.0; }\nprobability ( B | A ) { (a) 1.0; }")
    with pytest.raises(bnjit.FileFormatError, match="the network has the cycle"):
        bnjit.read_network(path)
    with pytest.raises(bnjit.FileFormatError, match="'X' is continuous"):
        bnjit.write_network(network_of("cgaussian"), path)


@given(data=st.data())
@settings(max_examples=150)
def test_mutated_files_give_an_error_or_a_network(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files", numbered=True)
    suffix = data.draw(st.sampled_from([".bif", ".json"]))
    path = folder / f"n{suffix}"
    if suffix == ".bif":
        text = BIF
    else:
        network_of("cgaussian").to_json(path)
        text = path.read_text()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 30))
        insert = data.draw(
            st.sampled_from(
                ["", "{", "}", "[", "]", ",", "null", "-1", "1e999", '"', "(", "|", ";", "nan", "\x00", "é"]
            )
        )
        text = text[:at] + insert + text[at + length :]
    path.write_text(text, encoding="utf-8")
    with contextlib.suppress(bnjit.FileFormatError):
        assert len(bnjit.read_network(path).sample(3, seed=1)) == 3


@given(content=st.binary(max_size=200), suffix=st.sampled_from([".bif", ".json", ".rda", ".rds"]))
@settings(max_examples=60)
def test_noise_is_no_network(content, suffix, tmp_path_factory):
    path = tmp_path_factory.mktemp("noise", numbered=True) / f"n{suffix}"
    path.write_bytes(content)
    with pytest.raises(bnjit.FileFormatError):
        bnjit.read_network(path)


def test_damaged_r_file(shared, tmp_path):
    content = (shared / "data" / "mehra-complete.rda").read_bytes()
    for name, damaged in (("short.rda", content[:5000]), ("wrong.rds", b"not R")):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(bnjit.FileFormatError, match=f"{name}: it is no R data file"):
            bnjit.read_network(tmp_path / name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="other"), 'it has no "format"'),
        (lambda d: d.update(version=2), "version: it is 2; this bnjit reads version 1"),
        (lambda d: d["nodes"][1].pop("sd"), r"nodes\[1\].sd: it is missing"),
        (lambda d: d["nodes"][1]["sd"].append(1.0), r"nodes\[1\].sd: it is no array of numbers with shape \[2\]"),
        (lambda d: d["nodes"][1].update(discrete_parents=["X"]), "'X' is of the other kind"),
        (lambda d: d["nodes"][0]["probabilities"][0].__setitem__(0, 0.1), "do not sum to 1"),
        (lambda d: d["nodes"][1]["configurations"].reverse(), "they must ascend"),
        (lambda d: d["nodes"][1].update(name="A"), "two nodes have the same name"),
        (lambda d: d["nodes"][2].update(parents=["Q"]), "'Q' is no node"),
        (lambda d: d["nodes"][1].update(sd=[1.0, float("nan")]), r"n\.json: line 1, column \d+: 'NaN.* is no number"),
        (lambda d: d["nodes"][1].update(name="\ud800"), "half of a pair"),
    ],
)
def test_damaged_json(change, message, tmp_path):
    path = tmp_path / "n.json"
    network_of("cgaussian").to_json(path)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(bnjit.FileFormatError, match=message):
        bnjit.read_network(path)


def test_unknown_names(tmp_path):
    with pytest.raises(bnjit.FileFormatError, match=r"the name must end in \.json, \.bif"):
        bnjit.read_network("n.xyz")
    (tmp_path / "folder.rds").mkdir()
    for path in (tmp_path / "n.json", tmp_path / "folder.rds", "a\0b.bif"):
        with pytest.raises(bnjit.FileFormatError, match="there is no file"):
            bnjit.read_network(path)
    with pytest.raises(bnjit.FileFormatError, match=r"cannot tell how to write 'n\.rda'"):
        bnjit.write_network(network_of("gaussian"), tmp_path / "n.rda")
