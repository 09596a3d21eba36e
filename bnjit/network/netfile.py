"""Read networks in Hugin's format (.net, .net.gz): discrete and conditional Gaussian ones.

A file has blocks: `net { ... }`, `node A { states = ("yes" "no"); }`, `continuous node X { }`, and for each node
`potential (A | B C) { data = ((0.1 0.9) (0.5 0.5)); }` with the states of the last parent varying fastest, and within
them those of the node. In place of its probabilities a continuous node has `normal(1.5 - 0.5 * Y, 2)`: a mean, linear
in the continuous parents, and a variance. Other attributes are skipped. Decisions, utilities and potentials that are
made from models are no part of such a network.
"""

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bnjit._jit import Floats
from bnjit.network.families import Family, Variable
from bnjit.network.linear import read_normal
from bnjit.network.nodes import GaussianNode, Node
from bnjit.network.packed import read_network_text
from bnjit.network.tokens import ESCAPES, Tokens

if TYPE_CHECKING:
    from bnjit.network.network import Network

_TOKEN = re.compile(r'\s+|%[^\n]*|(?P<quoted>"(?:[^"\\\n]|\\[^\n])*")|(?P<mark>[{}()=;|,])|(?P<word>[^\s{}()=;|,"%]+)')
_DATA = re.compile(r'(?:[^;%"{}]++|%[^\n]*+)*+;')
_COMMENT = re.compile(r"%[^\n]*")
_NUMBERS = re.compile(r"[\s()0-9eE.+\-]*")
_NORMAL = re.compile(r"normal\s*\(([^(),]*),([^(),]*)\)")


class _File:
    """What was read of a file: names and levels in order, and the distributions so far."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.names: dict[str, str] = {}  # of nodes, by their identifiers
        self.taken: set[str] = set()
        self.variables: dict[str, Variable | None] = {}  # by identifier; None if continuous
        self.nodes: dict[str, Node] = {}

    def read_blocks(self) -> None:
        while self.tokens.more:
            word = self.tokens.next()
            if word.says("net"):
                self.tokens.skip_block()
            elif word.says("node") or word.says("discrete") or word.says("continuous"):
                if not word.says("node"):
                    self.tokens.expect("node")
                self.read_node(word.text != "continuous")
            elif word.says("potential"):
                self.read_potential()
            else:
                raise self.tokens.fail(f"found {word.text!r} where net, node or potential should stand")

    def read_node(self, discrete: bool) -> None:
        tokens = self.tokens
        identifier = tokens.next("a name").text
        if identifier in self.variables:
            raise tokens.fail(f"node {identifier!r} is defined twice")
        name, levels = identifier, None
        tokens.expect("{")
        while not tokens.is_next("}"):
            attribute = tokens.next()
            tokens.expect("=")
            if attribute.says("states") and discrete:
                tokens.expect("(")
                levels = self.read_words()
                tokens.expect(";")
                if not levels or len(set(levels)) < len(levels):
                    raise tokens.fail(f"node {identifier!r} has no states, or one of them twice")
            elif attribute.says("bnjit_name"):
                name = tokens.next().text
                tokens.expect(";")
            else:
                tokens.until(";")
        tokens.expect("}")
        if discrete and levels is None:
            raise tokens.fail(f"node {identifier!r} has no states")
        if name in self.taken:
            raise tokens.fail(f"two nodes are called {name!r}")
        self.taken.add(name)
        codes = {level: code for code, level in enumerate(levels or ())}
        self.variables[identifier] = Variable(len(self.variables), codes, plain=False) if discrete else None
        self.names[identifier] = name

    def read_potential(self) -> None:
        tokens = self.tokens
        tokens.expect("(")
        child, parents = self.read_head()
        if child in self.nodes:
            raise tokens.fail(f"the potential of {child!r} is there twice")
        tokens.expect("{")
        while not tokens.is_next("}"):
            attribute = tokens.next()
            tokens.expect("=")
            if not attribute.says("data"):
                tokens.until(";")
            elif child in self.nodes:
                raise tokens.fail(f"the potential of {child!r} has data twice")
            else:
                self.nodes[child] = self.read_data(child, parents)
        tokens.expect("}")
        if child not in self.nodes:
            raise tokens.fail(f"the potential of {child!r} has no data")

    def read_words(self) -> list[str]:
        """Read words and quoted texts up to a closing bracket."""
        found = []
        while not self.tokens.is_next(")"):
            token = self.tokens.next("')'")
            if token.kind == "mark":
                raise self.tokens.fail(f"found {token.text!r} where a word or ')' should stand")
            found.append(token.text)
        self.tokens.expect(")")
        return found

    def read_head(self) -> tuple[str, list[str]]:
        """Read the node of a potential and its parents, up to the closing mark."""
        tokens = self.tokens
        children = []
        while not (tokens.is_next("|") or tokens.is_next(")")):
            children.append(tokens.next("a name").text)
        parents = []
        if tokens.next().says("|"):
            parents = self.read_words()
        for text in [*children, *parents]:
            if text not in self.variables:
                raise tokens.fail(f"a potential names {text!r}, which is no node")
        if len(children) != 1:
            raise tokens.fail(f"a potential is of {len(children)} nodes, and must be of one")
        if len({*children, *parents}) < 1 + len(parents):
            raise tokens.fail(f"the potential of {children[0]!r} names a node twice")
        return children[0], parents

    def read_data(self, child: str, parents: list[str]) -> Node:
        tokens = self.tokens
        match = _DATA.match(tokens.text, tokens.position)
        if match is None:
            tokens.next()
            raise tokens.fail(f"the data of {child!r} does not end with ';', or has more than numbers")
        tokens.skip_to(match.end())
        body = _COMMENT.sub("", match[0][:-1])
        variable = self.variables[child]
        found = [v for v in map(self.variables.get, parents) if v is not None]
        if variable is None:
            family = Family(child, 1, found, tokens.fail)
            return self.regressions(family, body, [p for p in parents if self.variables[p] is None])
        if len(found) < len(parents):
            raise tokens.fail(f"{child!r} is discrete and has a continuous parent")
        family = Family(child, len(variable.codes), found, tokens.fail)
        if not _NUMBERS.fullmatch(body):
            raise tokens.fail(f"the data of {child!r} has more than numbers")
        rows = self.nested(family, body, [family.r]).reshape(family.q, family.r)
        return family.node(family.all_keys(), rows)

    def nested(self, family: Family, body: str, entry: list[int]) -> Floats:
        """Numbers of lists within lists, one level for each parent and one for an entry; or of a flat list."""
        shape = [len(p.codes) for p in family.parents] + entry
        size = math.prod(shape)
        brackets = re.sub(r"[^()]+", lambda match: "" if match[0].isspace() else "n", body)
        chunks = [chunk.split() for chunk in re.split(r"[()]+", body) if chunk and not chunk.isspace()]
        # What a file can hold bounds the length that is compared.
        whole = size <= len(body) and brackets == _brackets(shape[:-1])
        lengths = {shape[-1]} if whole else {size}
        if set(map(len, chunks)) != lengths or not (whole or brackets == "(n)"):
            raise self.tokens.fail(
                f"the data of {family.name!r} is no list of {' lists of '.join(map(str, shape))} numbers"
            )
        try:
            return np.array([float(text) for chunk in chunks for text in chunk])
        except ValueError:
            raise self.tokens.fail(f"the data of {family.name!r} has something that is no number") from None

    def regressions(self, family: Family, body: str, continuous: list[str]) -> GaussianNode:
        """Regressions for the configurations of the discrete parents; there is a number for each, which is its own."""
        normals = _NORMAL.findall(body)
        left = iter(range(len(normals)))
        numbers = self.nested(family, _NORMAL.sub(lambda _: f" {next(left)} ", body), [] if family.parents else [1])
        if numbers.tolist() != list(range(len(normals))):
            raise self.tokens.fail(f"the data of {family.name!r} has more than normal(mean, variance)")
        order = list(self.variables)
        continuous = sorted(continuous, key=order.index)
        try:
            read = np.array([read_normal(mean, variance, continuous) for mean, variance in normals])
        except ValueError as error:
            raise self.tokens.fail(f"the data of {family.name!r}: {error}") from None
        keys = family.all_keys()
        read = read[np.argsort(keys)]
        return GaussianNode(
            tuple(sorted(p.position for p in family.parents)), tuple(map(order.index, continuous)),
            np.sort(keys), read[:, :-1], read[:, -1], read.mean(axis=0),
        )  # fmt: skip


def _brackets(shape: list[int]) -> str:
    """Brackets of lists within lists, around innermost ones of numbers, for which there is an n."""
    text = "(n)"
    for length in reversed(shape):
        text = f"({text * length})"
    return text


def read_net(path: Path) -> "Network":
    """Read a network; nodes are in the order of the file."""
    from bnjit.network.network import Network

    tokens = Tokens(read_network_text(path), path.name, _TOKEN, ESCAPES)
    file = _File(tokens)
    file.read_blocks()
    if not file.variables:
        raise tokens.fail("it has no nodes")
    missing = [name for name in file.variables if name not in file.nodes]
    if missing:
        raise tokens.fail(f"node {missing[0]!r} has no potential")
    labels = [None if variable is None else tuple(variable.codes) for variable in file.variables.values()]
    return Network(list(file.names.values()), labels, [file.nodes[name] for name in file.variables])
