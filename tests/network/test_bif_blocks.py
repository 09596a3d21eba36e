"""Blocks of BIF files that are read at a time say what they say token by token; packed files."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnjit
from bnjit.network import bif, bifblocks
from bnjit.network.bif import read_bif
from bnjit.network.packed import read_network_text
from tests.network.test_files import BIF, same

TABLE = "probability ( Sky | Rain, Wet ) { table 0.25, 0.5, 0.125, 0.75, 1.0, 0.5, 0.75, 0.5, 0.875, 0.25, 0.0, 0.5; }"
TEXTS = (
    BIF,
    BIF.replace('"wet"', "wet"),
    BIF + "variable Sky { type discrete[2] {blue,grey}; }\n" + TABLE,
    BIF.replace("(yes) 0.1, 0.3, 0.6;", "default 0.1, 0.3, 0.6;"),
    BIF.replace("(no) 0.7, 0.2, 0.1;\n  (yes)", "(yes)").replace("0.1, 0.3, 0.6;", "1e-3, 0.3, .699;\n (no) 1,0,0;"),
)
INSERTED = [
    "", "{", "}", "[", "]", ",", ", ", "-1", "1e999", '"', "(", ")", "|", ";", "nan", "\x00", "\x1c", "\u00e9", "//",
    "/*", "*/", " ", "\n", "\u2003", "1_0", "\u0663", "table ", "default ", "probability", "variable", "(no) 1, 0, 0;",
]  # fmt: skip


def outcome(path):
    """What is read of a file, to the bit, or the message of the error."""
    try:
        network = bnjit.read_network(path)
    except bnjit.FileFormatError as error:
        return str(error)
    nodes = [(n.parents, n.keys.tobytes(), n.probabilities.tobytes(), n.fallback.tobytes()) for n in network.nodes]
    return network.names, network.labels, nodes


def by_tokens(path):
    """Outcome where no block is read at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bif, "_read_block", lambda *_: False)
        return outcome(path)


@given(data=st.data())
@settings(max_examples=400)
def test_any_text_is_read_as_by_tokens(data, tmp_path_factory):
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(0, 3))):
        at, length = data.draw(st.integers(0, len(text))), data.draw(st.sampled_from([0, 0, 1, 2, 9]))
        text = text[:at] + data.draw(st.sampled_from(INSERTED)) + text[at + length :]
    path = tmp_path_factory.mktemp("files", numbered=True) / "n.bif"
    path.write_text(text, encoding="utf-8")
    assert outcome(path) == by_tokens(path)


@pytest.mark.parametrize("levels", [2, 9, 33])
def test_written_networks_are_read_as_by_tokens(levels, tmp_path):
    network = bnjit.datasets.random_network("discrete", 6, parents=1.5, seed=levels, levels=levels)
    path = tmp_path / "n.bif"
    bnjit.write_network(network, path)
    assert outcome(path) == by_tokens(path)
    # One table for a node: its entries lie another way in memory, which must not change the order of sums.
    j = next(j for j, node in enumerate(network.nodes) if node.parents)
    node, names = network.nodes[j], network.names
    rows = bnjit.read_network(path).nodes[j].probabilities
    head = f"probability ( {names[j]} | {', '.join(names[p] for p in node.parents)} ) {{"
    before, _, after = path.read_text().partition(head)
    entries = ", ".join(map(repr, rows.T.ravel().tolist()))
    path.write_text(f"{before}{head} table {entries}; }}{after[after.index('}') + 1 :]}")
    assert outcome(path) == by_tokens(path)
    np.testing.assert_allclose(bnjit.read_network(path).nodes[j].probabilities, rows, rtol=1e-12)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("variable a { type discrete [ 2 ] { u, v }; property x; }", "a property"),
        ('variable a { type discrete [ 2 ] { "u", v }; }', "a quoted level"),
        ("variable a { type discrete [ 3 ] { u, v }; }", "a wrong count"),
        ("variable Rain { type discrete [ 2 ] { u, v }; }", "a name that is taken"),
        ("variable a { type discrete [ 2 ] { //u, v }; }", "a comment"),
    ],
)
def test_unusual_variables_are_left_to_tokens(block, reason):
    rain = {"Rain": bifblocks.Variable(0, {"no": 0, "yes": 1}, plain=True)}
    assert bifblocks.read_variable(block, 0, rain) is None, reason
    usual = "variable a{type discrete[2]{u,v};}"
    read = bifblocks.read_variable(f"// {usual}", 3, rain)
    assert read == bifblocks.Block("a", bifblocks.Variable(1, {"u": 0, "v": 1}, plain=True), 3 + len(usual))


@pytest.mark.parametrize(
    "body",
    [
        "(u) 0.5, 0.5; (u) 0.1, 0.9;", "(u) 0.5, 0.5; default 0.1, 0.9;", "(u, v) 0.5, 0.5;", "(w) 0.5, 0.5;",
        "(u) 0.5; (v) 0.1, 0.2, 0.7;", "(u) 0.5 0.5;", "(u) x, 0.5;", "x (u) 0.5, 0.5;", "(u) 0.5, 0.5; x",
        "table 0.5, 0.5;", "table0.5, 0.5, 0.5, 0.5;", "(u) 0.5, 0.4;", "", "(u) 0.5, 0.5 /* ; */;", "[ (u) 0.5, 0.5;",
    ],
)  # fmt: skip
def test_unusual_rows_are_left_to_tokens(body):
    variables = {name: bifblocks.Variable(j, {"u": 0, "v": 1}, plain=True) for j, name in enumerate("ab")}
    assert bifblocks.read_probability(f"probability ( b | a ) {{ {body} }}", 0, variables, {}) is None
    read = bifblocks.read_probability("probability(b|a){(v)0.25,0.75;\n( u )1,0;}", 0, variables, {})
    assert read.content.keys.tolist() == [0, 1]
    assert read.content.probabilities.tolist() == [[1.0, 0.0], [0.25, 0.75]]


def test_packed_files(tmp_path):
    network = bnjit.datasets.small_discrete()
    for name in ("n.bif", "n.bif.gz", "again.BIF.GZ"):
        bnjit.write_network(network, tmp_path / name)
    assert gzip.decompress((tmp_path / "n.bif.gz").read_bytes()) == (tmp_path / "n.bif").read_bytes()
    assert (tmp_path / "again.BIF.GZ").read_bytes() == (tmp_path / "n.bif.gz").read_bytes()
    same(bnjit.read_network(tmp_path / "n.bif.gz"), bnjit.read_network(tmp_path / "n.bif"))


def test_damaged_packed_files(tmp_path):
    path = tmp_path / "n.bif.gz"
    good = gzip.compress(BIF.encode() * 20)
    flipped = bytes([*good[:30], good[30] ^ 255, *good[31:]])
    for content in (b"", good[:-30], b"network x { }", flipped):
        path.write_bytes(content)
        with pytest.raises(bnjit.FileFormatError, match=r"^n\.bif\.gz: "):
            read_bif(path)
    path.write_bytes(gzip.compress(bytes(1 << 20)))
    with pytest.raises(bnjit.FileFormatError, match=r"unpacked it has more than 1,024 bytes"):
        read_network_text(path, most_bytes=1024)
    with pytest.raises(bnjit.FileFormatError, match=r"cannot tell what 'n\.gz' is; .*\.bif\.gz"):
        bnjit.read_network(tmp_path / "n.gz")
