"""Read blocks of BIF files that are written as most programs write them, many values at a time.

What a function returns here is what bnjit.network.bif would read token by token. It returns None where a block has
anything unusual: quotes, comments, a level or a number that is none, too few or too many of them, a configuration that
is there twice. Then bnjit.network.bif reads it, and says what is wrong, if something is.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.errors import FileFormatError
from bnjit.network.families import Family, Variable
from bnjit.network.nodes import DiscreteNode
from bnjit.network.tokens import WORD

_MARKS = r'{}()\[\],;|"'
_VARIABLE = re.compile(
    rf"variable\s+({WORD})\s*{{\s*type\s+discrete\s*\[\s*(\d+)\s*\]\s*{{([^{_MARKS.replace(',', '')}]*)}}\s*;\s*}}"
)
_PROBABILITY = re.compile(r'probability\s*\(([^{}()\[\];"]*)\)\s*{([^{}\[\]|"]*)}')
_TABLE = re.compile(r"\s*table\s([^();]*);\s*")
_ROW = re.compile(r"([^();]*)\(([^();]*)\)([^();]*);")


class Block(NamedTuple):
    """A block that was read: the name of the variable, what was read of it, and where the block ends."""

    name: str
    content: Variable | DiscreteNode
    end: int


def read_variable(text: str, at: int, variables: Mapping[str, Variable]) -> Block | None:
    """Read the levels of a variable."""
    match = _VARIABLE.match(text, at)
    if match is None or _has_comment(match[0]):
        return None
    name, count, listed = match.groups()
    levels = listed.replace(",", " ").split()
    if count != str(len(levels)) or len(set(levels)) != len(levels) or not levels or name in variables:
        return None
    codes = {level: code for code, level in enumerate(levels)}
    return Block(name, Variable(len(variables), codes, plain=True), match.end())


def read_probability(
    text: str, at: int, variables: Mapping[str, Variable], nodes: Mapping[str, DiscreteNode]
) -> Block | None:
    """Read the probabilities of a node: one table, or a row for each configuration."""
    match = _PROBABILITY.match(text, at)
    if match is None or _has_comment(match[0]):
        return None
    names = match[1].replace("|", " ").replace(",", " ").split()
    if not names or names[0] in nodes or len(set(names)) < len(names) or any(name not in variables for name in names):
        return None
    name, *parents = names
    try:
        family = Family(name, len(variables[name].codes), [variables[p] for p in parents], FileFormatError)
        read = _read_table(family, match[2]) or _read_rows(family, match[2])
        return None if read is None else Block(name, family.node(*read), match.end())
    except (ValueError, KeyError):  # no numbers, no level, or an error of the family
        return None


def _has_comment(block: str) -> bool:
    return "//" in block or "/*" in block


def _read_table(family: Family, body: str) -> tuple[Ints64, Floats] | None:
    """Configurations and their rows from all entries; the node varies slowest, then its parents."""
    match = _TABLE.fullmatch(body)
    if match is None:
        return None
    values = np.array(list(map(float, match[1].split(","))))
    return family.all_keys(), np.ascontiguousarray(values.reshape(family.r, family.q).T)


def _read_rows(family: Family, body: str) -> tuple[Ints64, Floats] | None:
    """Configurations and their rows, listed one by one."""
    found = _ROW.findall(body)
    if not found or any(body.count(mark) != len(found) for mark in "();"):
        return None
    before, given, numbers = zip(*found, strict=True)
    if "".join(before).strip() or body[body.rfind(";") + 1 :].strip():
        return None
    if {text.count(",") for text in numbers} != {family.r - 1}:
        return None
    keys = _read_keys(family, given)
    if keys is None:
        return None
    values = np.array(list(map(float, ",".join(numbers).split(","))))
    return keys, values.reshape(-1, family.r)


def _read_keys(family: Family, given: tuple[str, ...]) -> Ints64 | None:
    """Keys of configurations; None if they are not all different."""
    d = len(family.parents)
    if not d or {text.count(",") for text in given} != {d - 1} or not all(p.plain for p in family.parents):
        return None
    words = list(map(str.strip, ",".join(given).split(",")))
    keys = np.zeros(len(given), np.int64)
    for i, (parent, stride) in enumerate(zip(family.parents, family.strides, strict=True)):
        keys += np.array([parent.codes[word] for word in words[i::d]], np.int64) * stride
    return keys if len(set(keys.tolist())) == len(keys) else None
