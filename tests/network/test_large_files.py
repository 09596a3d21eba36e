"""Files of networks that are large, or small and hostile: seconds and an answer, or an error."""

import bz2
import json
import time

import numpy as np
import pandas as pd
import pytest

import bnjit
from bnjit.network.bif import read_bif
from bnjit.network.rfile import read_r


@pytest.fixture
def brief():
    began = time.perf_counter()
    yield
    assert time.perf_counter() - began < 20


def write(path, variables, *probabilities):
    """Write BIF of variables, given by their levels."""
    lines = [
        f"variable {name} {{ type discrete [ {len(levels)} ] {{ {', '.join(levels)} }}; }}"
        for name, levels in variables.items()
    ]
    path.write_text("\n".join([*lines, *probabilities]))
    return path


def test_a_comment_without_end(tmp_path, brief):
    (tmp_path / "n.bif").write_text("network x { }\n" + "/* " * 50_000)
    with pytest.raises(bnjit.FileFormatError, match="line 2: cannot read '/"):
        bnjit.read_network(tmp_path / "n.bif")


@pytest.mark.parametrize("many", [26, 70])
def test_defaults_of_many_configurations(many, tmp_path, brief):
    variables = {f"p{i}": "ab" for i in range(many)} | {"y": "c"}
    text = f"probability ( y | {', '.join(list(variables)[:-1])} ) {{ default 1.0; }}"
    with pytest.raises(bnjit.FileFormatError, match=r"entries|2\^62 configurations"):
        bnjit.read_network(write(tmp_path / "n.bif", variables, text))


def test_defaults_add_up(tmp_path):
    variables = dict.fromkeys("pqrxy", "ab")
    texts = [f"probability ( {name} | p, q, r ) {{ default 0.5, 0.5; }}" for name in "xy"]
    with pytest.raises(bnjit.FileFormatError, match="line 7: the defaults of 'y' and others have more than 20"):
        read_bif(write(tmp_path / "n.bif", variables, *texts), most_default_entries=20)


def test_many_parents_with_one_level(tmp_path):
    variables = {f"p{i}": "a" for i in range(69)} | {"y": "cd"}
    texts = [f"probability ( p{i} ) {{ table 1.0; }}" for i in range(69)]
    texts.append(f"probability ( y | {', '.join(list(variables)[:-1])} ) {{ ({', '.join('a' * 69)}) 0.25, 0.75; }}")
    network = bnjit.read_network(write(tmp_path / "n.bif", variables, *texts))
    assert network.parameters("y").iloc[0, -2:].tolist() == [0.25, 0.75]
    bnjit.write_network(network, tmp_path / "m.bif")
    assert bnjit.read_network(tmp_path / "m.bif").parameters("y").equals(network.parameters("y"))


def test_many_levels(tmp_path, brief):
    levels = [f"l{i}" for i in range(40_000)]
    even = ", ".join([repr(1 / 40_000)] * 40_000)
    rows = "\n".join(f"({level}) 0.5, 0.5;" for level in levels)
    texts = [f"probability ( a ) {{ table {even}; }}", f"probability ( b | a ) {{ {rows} }}"]
    network = bnjit.read_network(write(tmp_path / "n.bif", {"a": levels, "b": "uv"}, *texts))
    assert len(network.parameters("b")) == 40_000
    network.to_json(tmp_path / "n.json")
    assert bnjit.read_network(tmp_path / "n.json").labels == network.labels


def test_more_configurations_than_bif_can_list(tmp_path, brief):
    rng = np.random.default_rng(1)
    names = [f"p{i}" for i in range(40)]
    table = pd.DataFrame({name: rng.choice(list("ab"), 200) for name in [*names, "y"]})
    network = bnjit.fit([(name, "y") for name in names], table)
    with pytest.raises(bnjit.FileFormatError, match=r"BIF lists every configuration.*write .json instead"):
        bnjit.write_network(network, tmp_path / "n.bif")


def test_a_root_without_parameters_is_written_by_its_fallback(tmp_path):
    bnjit.fit("[a]", {"a": list("uvv")}).to_json(tmp_path / "n.json")
    document = json.loads((tmp_path / "n.json").read_text())
    document["nodes"][0].update(configurations=[], probabilities=[])
    (tmp_path / "n.json").write_text(json.dumps(document))
    bnjit.write_network(bnjit.read_network(tmp_path / "n.json"), tmp_path / "n.bif")
    assert bnjit.read_network(tmp_path / "n.bif").parameters("a").iloc[0].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_a_packed_file_that_is_too_large(tmp_path):
    (tmp_path / "n.rds").write_bytes(bz2.compress(bz2.compress(bytes(1 << 22))))
    with pytest.raises(bnjit.FileFormatError, match=r"n\.rds: .*unpacked it has more than 1,048,576 bytes"):
        read_r(tmp_path / "n.rds", most_bytes=1 << 20)


def test_quoted_words_and_a_byte_order_mark(tmp_path):
    texts = ["probability ( a ) { table 0.5, 0.25, 0.25; }"]
    path = write(tmp_path / "n.bif", {"a": ['"{"', '","', '"type"']}, *texts)
    path.write_text(path.read_text(), encoding="utf-8-sig")
    assert bnjit.read_network(path).labels == (("{", ",", "type"),)
    path.write_bytes(b"network x {\xff")
    with pytest.raises(bnjit.FileFormatError, match="byte 11 is not UTF-8"):
        bnjit.read_network(path)
