"""Read discrete networks in the Bayesian Interchange Format (.bif), as bnlearn and most other packages write it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnjit.errors import FileFormatError
from bnjit.graph.text import read_text
from bnjit.network.nodes import DiscreteNode
from bnjit.network.tuning import MOST_DEFAULT_ENTRIES
from bnjit.stats.cells import MAX_CONFIGURATIONS

if TYPE_CHECKING:
    from bnjit.network.network import Network

_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<open>/\*)|(?P<quoted>"(?:[^"\\\n]|\\[^\n])*")|(?P<mark>[{}()\[\],;|])'
    r'|(?P<word>[^\s{}()\[\],;|"]+)',
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "r": "\r", '"': '"', "\\": "\\"}


def quoted(text: str) -> str:
    """Any text in quotes, as it is read again; a word without spaces and marks needs none."""
    for letter, character in reversed(_ESCAPES.items()):  # the backslash comes first
        text = text.replace(character, "\\" + letter)
    return f'"{text}"'


def _unquoted(text: str) -> str:
    """The text within quotes; other programs may have a backslash there that stands for itself."""
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[0]), text[1:-1])


class _Variable(NamedTuple):
    position: int
    codes: dict[str, int]  # of its levels


@dataclass
class DefaultBudget:
    """How many entries the default rows of a file stand for, and how many they may."""

    most: int
    used: int = 0


class _Token(NamedTuple):
    text: str
    kind: str
    line: int

    def says(self, text: str) -> bool:
        """Whether it is this mark or word, without quotes."""
        return self.text == text and self.kind != "quoted"


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
            if match is None or match.lastgroup == "open":
                raise FileFormatError(f"{self.file}: line {line}: cannot read {text[at : at + 20]!r}")
            if match.lastgroup is not None:
                found = match.group(match.lastgroup)
                yield _Token(_unquoted(found) if match.lastgroup == "quoted" else found, match.lastgroup, line)
            line += match.group().count("\n")
            at = match.end()

    def fail(self, problem: str) -> FileFormatError:
        """Error about the token that was read last."""
        line = self.tokens[max(self.at - 1, 0)].line if self.tokens else 1
        return FileFormatError(f"{self.file}: line {line}: {problem}")

    @property
    def more(self) -> bool:
        return self.at < len(self.tokens)

    def is_next(self, text: str) -> bool:
        """Whether this mark or word follows."""
        return self.more and self.tokens[self.at].says(text)

    def next(self, expected: str = "more") -> _Token:
        if not self.more:
            raise self.fail(f"the file ends where {expected} should follow")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, expected: str) -> None:
        token = self.next(expected)
        if not token.says(expected):
            raise self.fail(f"found {token.text!r} where {expected!r} should stand")

    def until(self, end: str, without: str = ",") -> list[str]:
        """Texts up to the mark `end`, leaving out the marks in `without`."""
        found = []
        while not self.is_next(end):
            token = self.next()
            if token.kind != "mark" or token.text not in without:
                found.append(token.text)
        self.expect(end)
        return found

    def skip_block(self) -> None:
        """Skip { ... }, with the blocks inside."""
        self.expect("{")
        depth = 1
        while depth:
            token = self.next()
            depth += token.says("{") - token.says("}")

    def numbers(self) -> list[float]:
        """Numbers up to a semicolon."""
        texts = self.until(";")
        try:
            return [float(text) for text in texts]
        except ValueError:
            raise self.fail(
                f"found {texts[0] if len(texts) == 1 else texts!r} where probabilities should stand"
            ) from None


class _Family:
    """Probabilities of a node, row by row; configurations are keys as in DiscreteNode."""

    def __init__(self, parser: _Parser, name: str, r: int, parents: list[_Variable]) -> None:
        self.parser, self.name, self.r, self.parents = parser, name, r, parents
        self.strides, self.q = [1] * len(parents), 1
        for i in sorted(range(len(parents)), key=lambda i: -parents[i].position):
            self.strides[i], self.q = self.q, self.q * len(parents[i].codes)
        if self.q > MAX_CONFIGURATIONS:
            raise parser.fail(f"the parents of {name!r} have more than 2^62 configurations")
        self.rows: dict[int, Any] = {}
        self.default_row: list[float] | None = None

    def key(self, given: Sequence[str]) -> int:
        """Configuration of parents that are listed in the order of the file."""
        if len(given) != len(self.parents) or any(g not in p.codes for g, p in zip(given, self.parents, strict=True)):
            raise self.parser.fail(f"({', '.join(given)}) is no configuration of the parents of {self.name!r}")
        return sum(p.codes[g] * stride for g, p, stride in zip(given, self.parents, self.strides, strict=True))

    def row(self) -> list[float]:
        values = self.parser.numbers()
        if len(values) != self.r:
            raise self.parser.fail(f"a row of {self.name!r} has {len(values)} probabilities, not {self.r}")
        return values

    def table(self) -> None:
        """Read all entries; the first variable varies slowest: the node itself, then its parents."""
        values = self.parser.numbers()
        if len(values) != self.q * self.r:
            raise self.parser.fail(f"the table of {self.name!r} has {len(values)} entries, not {self.q * self.r}")
        rows = np.reshape(values, (self.r, self.q)).T
        for given, row in zip(product(*(p.codes for p in self.parents)), rows, strict=True):
            self.rows[self.key(given)] = row

    def default(self, budget: DefaultBudget) -> None:
        """Read the row of all configurations that are not listed."""
        self.default_row = self.row()
        budget.used += self.q * self.r
        if budget.used > budget.most:
            raise self.parser.fail(f"the defaults of {self.name!r} and others have more than {budget.most:,} entries")

    def node(self) -> DiscreteNode:
        """Distribution with the rows that are numbers; a configuration whose row has NaN has no parameters."""
        keys = np.array(sorted(self.rows), np.int64)
        rows = np.array([self.rows[key] for key in keys.tolist()]).reshape(-1, self.r)
        if self.default_row is not None:
            whole = np.tile(self.default_row, (self.q, 1))
            whole[keys] = rows
            keys, rows = np.arange(self.q), whole
        known = ~np.isnan(rows).any(axis=1)
        keys, rows = keys[known], rows[known]
        sums = rows.sum(axis=1, keepdims=True)
        if not len(rows) or np.any(rows < 0) or not np.allclose(sums, 1.0, atol=1e-3):
            raise self.parser.fail(f"the probabilities of {self.name!r} are missing, negative or do not sum to 1")
        rows = rows / sums
        return DiscreteNode(tuple(sorted(p.position for p in self.parents)), keys, rows, rows.mean(axis=0))


def read_bif(path: Path, most_default_entries: int = MOST_DEFAULT_ENTRIES) -> "Network":
    """Read a discrete network; the default rows of the file may stand for `most_default_entries` entries in all."""
    from bnjit.network.network import Network

    parser = _Parser(read_text(path), path.name)
    variables: dict[str, _Variable] = {}
    nodes: dict[str, DiscreteNode] = {}
    budget = DefaultBudget(most_default_entries)
    while parser.more:
        word = parser.next()
        if word.says("network"):
            while not parser.is_next("{"):
                parser.next()
            parser.skip_block()
        elif word.says("variable"):
            _read_variable(parser, variables)
        elif word.says("probability"):
            _read_probability(parser, variables, nodes, budget)
        else:
            raise parser.fail(f"found {word.text!r} where network, variable or probability should stand")
    if not variables:
        raise parser.fail("it has no variables")
    missing = [name for name in variables if name not in nodes]
    if missing:
        raise parser.fail(f"variable {missing[0]!r} has no probabilities")
    return Network(list(variables), [tuple(v.codes) for v in variables.values()], [nodes[name] for name in variables])


def _read_variable(parser: _Parser, variables: dict[str, _Variable]) -> None:
    name = parser.next().text
    parser.expect("{")
    while not parser.is_next("}"):
        if not parser.next().says("type"):
            parser.until(";")
            continue
        parser.expect("discrete")
        parser.expect("[")
        count = parser.until("]")
        parser.expect("{")
        found = parser.until("}")
        parser.expect(";")
        if count != [str(len(found))] or len(set(found)) != len(found) or not found:
            raise parser.fail(f"variable {name!r} declares {' '.join(count)} levels and lists {len(found)}")
        if name in variables:
            raise parser.fail(f"variable {name!r} is defined twice")
        variables[name] = _Variable(len(variables), {level: code for code, level in enumerate(found)})
    parser.expect("}")
    if name not in variables:
        raise parser.fail(f"variable {name!r} has no levels")


def _read_probability(
    parser: _Parser, variables: dict[str, _Variable], nodes: dict[str, DiscreteNode], budget: DefaultBudget
) -> None:
    """Read the probabilities of a node."""
    parser.expect("(")
    name, *parents = parser.until(")", without=",|") or [""]
    for text in [name, *parents]:
        if text not in variables:
            raise parser.fail(f"a probability names {text!r}, which is no variable")
    if name in nodes or name in parents or len(set(parents)) < len(parents):
        raise parser.fail(f"the probability of {name!r} is there twice, or names a variable twice")
    family = _Family(parser, name, len(variables[name].codes), [variables[p] for p in parents])
    parser.expect("{")
    while not parser.is_next("}"):
        word = parser.next()
        if word.says("("):
            key = family.key(parser.until(")"))
            family.rows[key] = family.row()
        elif word.says("table"):
            family.table()
        elif word.says("default"):
            family.default(budget)
        else:
            parser.until(";")
    parser.expect("}")
    nodes[name] = family.node()
