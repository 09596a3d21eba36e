"""Read discrete networks in the Bayesian Interchange Format (.bif, .bif.gz), which most packages write."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bnjit._jit import Floats
from bnjit.network.bifblocks import read_probability, read_variable
from bnjit.network.families import Family, Variable
from bnjit.network.nodes import DiscreteNode
from bnjit.network.packed import read_network_text
from bnjit.network.tokens import ESCAPES, WORD, Tokens
from bnjit.network.tuning import MOST_DEFAULT_ENTRIES

if TYPE_CHECKING:
    from bnjit.network.network import Network

_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|(?P<open>/\*)|(?P<quoted>"(?:[^"\\\n]|\\[^\n])*")|(?P<mark>[{}()\[\],;|])'
    rf"|(?P<word>{WORD})",
    re.DOTALL,
)


@dataclass
class DefaultBudget:
    """How many entries the default rows of a file stand for, and how many they may."""

    most: int
    used: int = 0


class _Probabilities:
    """Rows of a node, read token by token."""

    def __init__(self, tokens: Tokens, family: Family) -> None:
        self.tokens, self.family = tokens, family
        self.rows: dict[int, list[float] | Floats] = {}
        self.default_row: list[float] | None = None

    def row(self) -> list[float]:
        values = self.tokens.numbers()
        if len(values) != self.family.r:
            raise self.tokens.fail(
                f"a row of {self.family.name!r} has {len(values)} probabilities, not {self.family.r}"
            )
        return values

    def table(self) -> None:
        """Read all entries; the first variable varies slowest: the node itself, then its parents."""
        values, r, q = self.tokens.numbers(), self.family.r, self.family.q
        if len(values) != q * r:
            raise self.tokens.fail(f"the table of {self.family.name!r} has {len(values)} entries, not {q * r}")
        self.rows.update(zip(self.family.all_keys().tolist(), np.reshape(values, (r, q)).T, strict=True))

    def default(self, budget: DefaultBudget) -> None:
        """Read the row of all configurations that are not listed."""
        self.default_row = self.row()
        budget.used += self.family.q * self.family.r
        if budget.used > budget.most:
            raise self.tokens.fail(
                f"the defaults of {self.family.name!r} and others have more than {budget.most:,} entries"
            )

    def node(self) -> DiscreteNode:
        keys = np.array(list(self.rows), np.int64)
        rows = np.array([self.rows[key] for key in keys.tolist()]).reshape(-1, self.family.r)
        if self.default_row is not None:
            whole = np.tile(self.default_row, (self.family.q, 1))
            whole[keys] = rows
            keys, rows = np.arange(self.family.q), whole
        return self.family.node(keys, rows)


def read_bif(path: Path, most_default_entries: int = MOST_DEFAULT_ENTRIES) -> "Network":
    """Read a discrete network; the default rows of the file may stand for `most_default_entries` entries in all."""
    from bnjit.network.network import Network

    tokens = Tokens(read_network_text(path), path.name, _TOKEN, ESCAPES)
    variables: dict[str, Variable] = {}
    nodes: dict[str, DiscreteNode] = {}
    budget = DefaultBudget(most_default_entries)
    while tokens.more:
        if _read_block(tokens, variables, nodes):
            continue
        word = tokens.next()
        if word.says("network"):
            while not tokens.is_next("{"):
                tokens.next()
            tokens.skip_block()
        elif word.says("variable"):
            _read_variable(tokens, variables)
        elif word.says("probability"):
            _read_probability(tokens, variables, nodes, budget)
        else:
            raise tokens.fail(f"found {word.text!r} where network, variable or probability should stand")
    if not variables:
        raise tokens.fail("it has no variables")
    missing = [name for name in variables if name not in nodes]
    if missing:
        raise tokens.fail(f"variable {missing[0]!r} has no probabilities")
    return Network(list(variables), [tuple(v.codes) for v in variables.values()], [nodes[name] for name in variables])


def _read_block(tokens: Tokens, variables: dict[str, Variable], nodes: dict[str, DiscreteNode]) -> bool:
    """Read a block with nothing unusual in it, and whether there was one."""
    if tokens.is_next("probability"):
        block = read_probability(tokens.text, tokens.position, variables, nodes)
    elif tokens.is_next("variable"):
        block = read_variable(tokens.text, tokens.position, variables)
    else:
        return False
    if block is None:
        return False
    if isinstance(block.content, Variable):
        variables[block.name] = block.content
    else:
        nodes[block.name] = block.content
    tokens.skip_to(block.end)
    return True


def _read_variable(tokens: Tokens, variables: dict[str, Variable]) -> None:
    name = tokens.next().text
    tokens.expect("{")
    while not tokens.is_next("}"):
        if not tokens.next().says("type"):
            tokens.until(";")
            continue
        tokens.expect("discrete")
        tokens.expect("[")
        count = tokens.until("]")
        tokens.expect("{")
        found = tokens.until("}")
        tokens.expect(";")
        if count != [str(len(found))] or len(set(found)) != len(found) or not found:
            raise tokens.fail(f"variable {name!r} declares {' '.join(count)} levels and lists {len(found)}")
        if name in variables:
            raise tokens.fail(f"variable {name!r} is defined twice")
        plain = all(re.fullmatch(WORD, level) for level in found)
        variables[name] = Variable(len(variables), {level: code for code, level in enumerate(found)}, plain)
    tokens.expect("}")
    if name not in variables:
        raise tokens.fail(f"variable {name!r} has no levels")


def _read_probability(
    tokens: Tokens, variables: dict[str, Variable], nodes: dict[str, DiscreteNode], budget: DefaultBudget
) -> None:
    """Read the probabilities of a node, token by token."""
    tokens.expect("(")
    name, *parents = tokens.until(")", without=",|") or [""]
    for text in [name, *parents]:
        if text not in variables:
            raise tokens.fail(f"a probability names {text!r}, which is no variable")
    if name in nodes or name in parents or len(set(parents)) < len(parents):
        raise tokens.fail(f"the probability of {name!r} is there twice, or names a variable twice")
    family = Family(name, len(variables[name].codes), [variables[p] for p in parents], tokens.fail)
    read = _Probabilities(tokens, family)
    tokens.expect("{")
    while not tokens.is_next("}"):
        word = tokens.next()
        if word.says("("):
            key = family.key(tokens.until(")"))
            read.rows[key] = read.row()
        elif word.says("table"):
            read.table()
        elif word.says("default"):
            read.default(budget)
        else:
            tokens.until(";")
    tokens.expect("}")
    nodes[name] = read.node()
