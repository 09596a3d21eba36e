"""Probability tables as files list them: in the file's order of parents, and perhaps not of all configurations."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.errors import FileFormatError
from bnjit.network.nodes import DiscreteNode
from bnjit.stats.cells import MAX_CONFIGURATIONS

Fail = Callable[[str], FileFormatError]


class Variable(NamedTuple):
    """A discrete variable of a file: its position, the codes of its levels, and whether these need no quotes."""

    position: int
    codes: dict[str, int]
    plain: bool


class Family:
    """A node and its parents in the order of a file; configurations are keys as in DiscreteNode."""

    def __init__(self, name: str, r: int, parents: Sequence[Variable], fail: Fail) -> None:
        self.name, self.r, self.parents, self.fail = name, r, parents, fail
        self.strides, self.q = [1] * len(parents), 1
        for i in sorted(range(len(parents)), key=lambda i: -parents[i].position):
            self.strides[i], self.q = self.q, self.q * len(parents[i].codes)
        if self.q > MAX_CONFIGURATIONS:
            raise fail(f"the parents of {name!r} have more than 2^62 configurations")

    def key(self, given: Sequence[str]) -> int:
        """Configuration of parents that are listed in the order of the file."""
        if len(given) != len(self.parents) or any(g not in p.codes for g, p in zip(given, self.parents, strict=True)):
            raise self.fail(f"({', '.join(given)}) is no configuration of the parents of {self.name!r}")
        return sum(p.codes[g] * stride for g, p, stride in zip(given, self.parents, self.strides, strict=True))

    def all_keys(self) -> Ints64:
        """All configurations, in the order of a table in which the first parent of the file varies slowest."""
        keys = np.zeros(1, np.int64)
        for parent, stride in zip(self.parents, self.strides, strict=True):
            keys = (keys[:, None] + np.arange(len(parent.codes)) * stride).ravel()
        return keys

    def node(self, keys: Ints64, rows: Floats) -> DiscreteNode:
        """Distribution with the rows that are numbers; a configuration whose row has NaN has no parameters.

        keys : int64[m], distinct, in any order; rows : float64[m, r]
        """
        if len(keys) > 1 and not (keys[1:] > keys[:-1]).all():
            order = np.argsort(keys)
            keys, rows = keys[order], rows[order]
        sums = rows.sum(axis=1, keepdims=True)
        if not _are_probabilities(rows, sums):
            known = ~np.isnan(rows).any(axis=1)
            keys, rows, sums = keys[known], rows[known], sums[known]
            if not _are_probabilities(rows, sums):
                raise self.fail(f"the probabilities of {self.name!r} are missing, negative or do not sum to 1")
        rows = rows / sums
        return DiscreteNode(tuple(sorted(p.position for p in self.parents)), keys, rows, rows.mean(axis=0))


def _are_probabilities(rows: Floats, sums: Floats) -> bool:
    """Whether there are rows, and all have sums that round to 1 and nothing negative; sums are NaN where an entry is.

    The bounds are those of np.allclose with atol=1e-3, which takes five times as long for a small table.
    """
    return len(rows) > 0 and bool((abs(sums - 1.0) <= 1e-3 + 1e-5).all()) and bool(rows.min() >= 0.0)
