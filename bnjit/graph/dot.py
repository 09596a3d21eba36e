"""DOT, the language of Graphviz, as far as a DAG needs it: directed graphs of nodes, arcs and attributes.

networkx reads DOT only through further packages, whose errors carry no position.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import networkx as nx

from bnjit.errors import FileFormatError

_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | /\*.*?\*/ | ^\#[^\n]*          # blanks and comments
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<word>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]* | -?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?))
    | (?P<mark>->|--|[{}\[\]=;,:])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


class Token(NamedTuple):
    """A word, a quoted text or a mark, with the line that it is in; kind "end" at the end."""

    kind: str
    text: str
    line: int


def format_dot(dag: nx.DiGraph) -> str:
    """DOT of a DAG, with the kind of each node."""

    def quoted(node: Any) -> str:
        return '"' + str(node).replace("\\", "\\\\").replace('"', '\\"') + '"'

    nodes = [f"  {quoted(node)} [kind={quoted(data.get('kind', 'unknown'))}];" for node, data in dag.nodes(data=True)]
    arcs = [f"  {quoted(a)} -> {quoted(b)};" for a, b in dag.edges]
    return "\n".join(["digraph {", *nodes, *arcs, "}", ""])


def parse_dot(text: str) -> nx.DiGraph:
    """Graph of a DOT text. Attributes of nodes are kept as strings; repeated arcs are kept unless the graph is strict.

    Examples
    --------
    >>> list(parse_dot('digraph { A -> B -> "c d" [color=red]; }').edges())
    [('A', 'B'), ('B', 'c d')]
    """
    return _Parser(text).graph()


def _tokens(text: str) -> Iterator[Token]:
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FileFormatError(f"line {line}: cannot read {text[at : at + 20]!r}")
        if match.lastgroup:
            word = match.group()
            if match.lastgroup == "quoted":
                # Graphviz joins lines that end in a backslash, and escapes nothing but the quote itself. Many
                # writers, format_dot among them, also double a backslash.
                word = re.sub(r"\\(\n|\"|\\)", lambda m: "" if m[1] == "\n" else m[1], word[1:-1])
            yield Token(match.lastgroup, word, line)
        line += match.group().count("\n")
        at = match.end()
    yield Token("end", "the end", line)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.now = next(self.tokens)

    def graph(self) -> nx.DiGraph:
        graph = nx.MultiDiGraph()
        strict = self.at_word("strict")
        if strict:
            self.step()
        if not self.at_word("digraph"):
            raise self.unexpected("'digraph'")
        self.step()
        if self.now.kind in {"word", "quoted"}:
            self.step()
        self.mark("{")
        while self.now != Token("mark", "}", self.now.line):
            self.statement(graph)
        self.step()
        if self.now.kind != "end":
            raise self.unexpected("the end")
        return nx.DiGraph(graph) if strict else graph

    def statement(self, graph: nx.MultiDiGraph) -> None:
        """One of: a default for what follows, name = value, or nodes joined by arrows."""
        if self.take(";"):
            return
        if self.at_word("subgraph") or self.now == Token("mark", "{", self.now.line):
            raise FileFormatError(f"line {self.now.line}: subgraphs are not supported")
        if self.now.kind == "word" and self.now.text.lower() in {"node", "edge", "graph"}:
            self.step()
            self.attributes()
            return
        chain = [self.name()]
        if self.take("="):
            self.name()
            return
        self.port()
        while self.take("->"):
            chain.append(self.name())
            self.port()
        attributes = self.attributes()
        if len(chain) == 1:
            graph.add_node(chain[0])
            graph.nodes[chain[0]].update(attributes)
        else:
            nx.add_path(graph, chain)

    def attributes(self) -> dict[str, str]:
        found = {}
        while self.take("["):
            while not self.take("]"):
                key = self.name()
                found[key] = self.name() if self.take("=") else "true"
                _ = self.take(",") or self.take(";")
        return found

    def port(self) -> None:
        while self.take(":"):
            self.name()

    def name(self) -> str:
        if self.now.kind not in {"word", "quoted"}:
            raise self.unexpected("a name")
        return self.step().text

    def mark(self, text: str) -> None:
        if not self.take(text):
            raise self.unexpected(repr(text))

    def take(self, text: str) -> bool:
        found = self.now.kind == "mark" and self.now.text == text
        if found:
            self.step()
        return found

    def at_word(self, text: str) -> bool:
        return self.now.kind == "word" and self.now.text.lower() == text

    def step(self) -> Token:
        old = self.now
        if old.kind != "end":
            self.now = next(self.tokens)
        return old

    def unexpected(self, wanted: str) -> FileFormatError:
        return FileFormatError(f"line {self.now.line}: found {self.now.text!r} instead of {wanted}")
