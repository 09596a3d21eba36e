"""Discrete networks in the Bayesian Interchange Format (.bif), as bnlearn and most other packages write it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnjit.errors import FileFormatError
from bnjit.network.nodes import DiscreteNode

if TYPE_CHECKING:
    from bnjit.network.network import Network

MAX_CELLS = 1 << 26  # of one table, so that a small hostile file cannot ask for all memory
_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<quoted>"[^"\n]*")|(?P<mark>[{}()\[\],;|])|(?P<word>[^\s{}()\[\],;|"]+)', re.DOTALL
)


class _Token(NamedTuple):
    text: str
    line: int


class _Parser:
    """Reads tokens one by one; errors name the line."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.tokens = list(self._split(text))
        self.at = 0

    def _split(self, text: str) -> Iterator[_Token]:
        at, line = 0, 1
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise FileFormatError(f"{self.file}: line {line}: cannot read {text[at : at + 20]!r}")
            if match.lastgroup is not None:
                yield _Token(match.group(match.lastgroup).strip('"'), line)
            line += match.group().count("\n")
            at = match.end()

    def fail(self, problem: str) -> FileFormatError:
        """Error about the token that was read last."""
        line = self.tokens[max(self.at - 1, 0)].line if self.tokens else 1
        return FileFormatError(f"{self.file}: line {line}: {problem}")

    @property
    def more(self) -> bool:
        return self.at < len(self.tokens)

    def peek(self) -> str:
        return self.tokens[self.at].text if self.more else ""

    def take(self, expected: str | None = None) -> str:
        if not self.more:
            raise self.fail(f"the file ends where {expected or 'more'} should follow")
        text = self.tokens[self.at].text
        self.at += 1
        if expected is not None and text != expected:
            raise self.fail(f"found {text!r} where {expected!r} should stand")
        return text

    def until(self, end: str) -> list[str]:
        """Texts up to a mark, without commas."""
        found = []
        while self.peek() != end:
            text = self.take()
            if text != ",":
                found.append(text)
        self.take(end)
        return found

    def skip_block(self) -> None:
        """Pass over { ... }, blocks inside included."""
        self.take("{")
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)

    def numbers(self) -> list[float]:
        """Numbers up to a semicolon."""
        texts = self.until(";")
        try:
            return [float(text) for text in texts]
        except ValueError:
            raise self.fail(
                f"found {texts[0] if len(texts) == 1 else texts!r} where probabilities should stand"
            ) from None


def read_bif(path: Path) -> "Network":
    """Read a discrete network."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path.name}: it is not text in UTF-8") from error
    parser = _Parser(text, path.name)
    levels: dict[str, tuple[str, ...]] = {}
    tables: dict[str, tuple[list[str], Any]] = {}
    while parser.more:
        word = parser.take()
        if word == "network":
            while parser.peek() != "{":
                parser.take()
            parser.skip_block()
        elif word == "variable":
            _read_variable(parser, levels)
        elif word == "probability":
            _read_probability(parser, levels, tables)
        else:
            raise parser.fail(f"found {word!r} where network, variable or probability should stand")
    return _assemble(parser, levels, tables)


def _read_variable(parser: _Parser, levels: dict[str, tuple[str, ...]]) -> None:
    name = parser.take()
    if name in levels:
        raise parser.fail(f"variable {name!r} is defined twice")
    parser.take("{")
    while parser.peek() != "}":
        if parser.take() != "type":
            parser.until(";")
            continue
        parser.take("discrete")
        parser.take("[")
        count = parser.until("]")
        parser.take("{")
        found = tuple(parser.until("}"))
        parser.take(";")
        if count != [str(len(found))] or len(set(found)) != len(found) or not found:
            raise parser.fail(f"variable {name!r} declares {' '.join(count)} levels and lists {len(found)}")
        levels[name] = found
    parser.take("}")
    if name not in levels:
        raise parser.fail(f"variable {name!r} has no levels")


def _read_probability(
    parser: _Parser, levels: dict[str, tuple[str, ...]], tables: dict[str, tuple[list[str], Any]]
) -> None:
    parser.take("(")
    family = parser.until(")")
    name, parents = family[0] if family else "", [text for text in family[1:] if text != "|"]
    for text in [name, *parents]:
        if text not in levels:
            raise parser.fail(f"a probability names {text!r}, which is no variable")
    if name in tables or name in parents or len(set(parents)) < len(parents):
        raise parser.fail(f"the probability of {name!r} is there twice, or names a variable twice")
    shape = [len(levels[p]) for p in parents] + [len(levels[name])]
    if np.prod([float(s) for s in shape]) > MAX_CELLS:
        raise parser.fail(f"the probability of {name!r} has more than {MAX_CELLS:,} entries")
    table = np.full(shape, np.nan)
    parser.take("{")
    while parser.peek() != "}":
        if parser.peek() == "(":
            parser.take("(")
            given = parser.until(")")
            known = len(given) == len(parents) and all(g in levels[p] for g, p in zip(given, parents, strict=True))
            if not known:
                raise parser.fail(f"({', '.join(given)}) is no configuration of the parents of {name!r}")
            cell = tuple(levels[p].index(g) for g, p in zip(given, parents, strict=True))
            _store(parser, name, table, cell, parser.numbers())
        else:
            _fill_table(parser, name, table)
    parser.take("}")
    sums = table.sum(axis=-1)
    if np.isnan(sums).all() or np.any(table < 0) or not np.allclose(sums[~np.isnan(sums)], 1.0, atol=1e-3):
        raise parser.fail(f"the probabilities of {name!r} are missing, negative or do not sum to 1")
    tables[name] = parents, table


def _fill_table(parser: _Parser, name: str, table: Any) -> None:
    """Read a property that is about the whole table: its entries, or those of configurations not named before."""
    word = parser.take()
    if word == "table":
        # The first variable varies slowest: the node itself, then its parents.
        values = parser.numbers()
        if len(values) != table.size:
            raise parser.fail(f"the table of {name!r} has {len(values)} entries, not {table.size}")
        table[...] = np.moveaxis(np.reshape(values, table.shape[-1:] + table.shape[:-1]), 0, -1)
    elif word == "default":
        values = parser.numbers()
        for cell in np.argwhere(np.isnan(table[..., 0])):
            _store(parser, name, table, tuple(cell.tolist()), values)
    else:
        parser.until(";")


def _store(parser: _Parser, name: str, table: Any, cell: tuple[int, ...], values: list[float]) -> None:
    if len(values) != table.shape[-1]:
        raise parser.fail(f"a row of {name!r} has {len(values)} probabilities, not {table.shape[-1]}")
    table[cell] = values


def _assemble(
    parser: _Parser, levels: dict[str, tuple[str, ...]], tables: dict[str, tuple[list[str], Any]]
) -> "Network":
    import networkx as nx

    from bnjit.network.network import Network

    if not levels:
        raise parser.fail("it has no variables")
    names = list(levels)
    nodes = []
    for name in names:
        if name not in tables:
            raise parser.fail(f"variable {name!r} has no probabilities")
        parents, table = tables[name]
        order = sorted(range(len(parents)), key=lambda i: names.index(parents[i]))
        rows = np.transpose(table, [*order, len(parents)]).reshape(-1, len(levels[name]))
        known = np.flatnonzero(~np.isnan(rows).any(axis=1))
        rows = rows[known] / rows[known].sum(axis=1, keepdims=True)
        positions = tuple(names.index(parents[i]) for i in order)
        nodes.append(DiscreteNode(positions, known.astype(np.int64), rows, rows.mean(axis=0)))
    network = Network(names, [levels[name] for name in names], nodes)
    if not nx.is_directed_acyclic_graph(network.dag):
        raise FileFormatError(f"{parser.file}: the parents make a cycle")
    return network


def write_bif(network: "Network", path: Path) -> None:
    """Write a discrete network; configurations without parameters get their fallback."""
    if not all(network.discrete):
        name = network.names[network.discrete.index(False)]
        raise FileFormatError(
            f"{path.name}: BIF holds discrete networks, and {name!r} is continuous; write .json instead"
        )
    lines = ["network unknown {", "}"]
    for name, labels in zip(network.names, network.labels, strict=True):
        listed = ", ".join(_word(label) for label in labels or ())
        lines += [f"variable {_word(name)} {{", f"  type discrete [ {len(labels or ())} ] {{ {listed} }};", "}"]
    for j, node in enumerate(network.nodes):
        assert isinstance(node, DiscreteNode)
        lines += _probability_lines(network, j, node)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _probability_lines(network: "Network", j: int, node: DiscreteNode) -> list[str]:
    name = _word(network.names[j])

    def row(values: Any) -> str:
        return ", ".join(repr(float(v)) for v in values)

    if not node.parents:
        return [f"probability ( {name} ) {{", f"  table {row(node.probabilities[0])};", "}"]
    parents = ", ".join(_word(network.names[p]) for p in node.parents)
    lines = [f"probability ( {name} | {parents} ) {{"]
    filled = dict(zip(node.keys.tolist(), node.probabilities, strict=True))
    for key in range(int(np.prod([network.levels[p] for p in node.parents]))):
        rest, given = key, []
        for p in reversed(node.parents):
            rest, code = divmod(rest, network.levels[p])
            given.append(_word((network.labels[p] or ())[code]))
        lines.append(f"  ({', '.join(given[::-1])}) {row(filled.get(key, node.fallback))};")
    return [*lines, "}"]


def _word(value: Any) -> str:
    """A name or level as BIF writes it: one word. What BIF cannot hold is an error."""
    text = str(value)
    if not text or re.search(r'[\s{}()\[\],;|"]|//|/\*', text):
        raise FileFormatError(
            f"{text!r} cannot be written to BIF, which takes words without spaces, brackets or commas"
        )
    return text
