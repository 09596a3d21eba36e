"""Candidate parent sets as arrays: what a search asks to be scored, and how sets are grouped by their discrete part."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints32, Ints64
from bnjit.kernels.families import divide_sets
from bnjit.kernels.toggles import toggle_sets
from bnjit.stats.collect import padded

ParentSet = tuple[int, ...]
Indices = NDArray[np.intp]


class ParentSets(NamedTuple):
    """A batch of parent sets: members : int32[b, w], each row ascending and then anything; sizes : int64[b]."""

    members: Ints32
    sizes: Ints64

    def take(self, which: Indices) -> "ParentSets":
        """Return some of the sets."""
        return ParentSets(self.members[which], self.sizes[which])

    def tuples(self) -> list[ParentSet]:
        """Return the sets one by one."""
        return [tuple(row[:size]) for row, size in zip(self.members.tolist(), self.sizes.tolist(), strict=True)]

    def inside(self) -> NDArray[np.bool_]:
        """Which entries of `members` are members, bool[b, w]."""
        return np.arange(self.members.shape[1]) < self.sizes[:, None]


class Batch(NamedTuple):
    """Nodes, each with a parent set: nodes : int32[b], those that are equal stand together; sets : b sets."""

    nodes: Ints32
    sets: ParentSets

    @property
    def size(self) -> int:
        """How many sets there are."""
        return len(self.nodes)

    def by_node(self) -> list[tuple[int, slice]]:
        """Return the nodes, each with the places of its sets."""
        if not len(self.nodes):
            return []
        nodes = self.nodes
        changes = (nodes[1:] != nodes[:-1]).nonzero()[0].tolist()
        bounds = [0, *(at + 1 for at in changes), len(nodes)]
        return [(int(nodes[a]), slice(a, b)) for a, b in pairwise(bounds)]

    def take(self, which: Indices | slice) -> "Batch":
        """Return a part of the batch."""
        return Batch(self.nodes[which], ParentSets(self.sets.members[which], self.sets.sizes[which]))


def make_sets(candidates: Iterable[Sequence[int]]) -> ParentSets:
    """Parent sets from any sequences of parents."""
    return ParentSets(*padded([sorted(parents) for parents in candidates]))


def make_batch(pairs: Sequence[tuple[int, Sequence[int]]]) -> Batch:
    """Batch of nodes, each with the parents of one set."""
    return Batch(np.array([node for node, _ in pairs], np.int32), make_sets([parents for _, parents in pairs]))


def batch_of(node: int, sets: ParentSets) -> Batch:
    """Batch of one node."""
    return Batch(np.full(len(sets.sizes), node, np.int32), sets)


def toggle_batch(
    bases: Sequence[tuple[int, Sequence[int]]], rows: Sequence[int] | Indices, which: Sequence[int] | Indices
) -> Batch:
    """Parent sets that differ from given ones by one parent each: without it if it is there, else with it.

    bases : nodes, each with some parents, ascending; rows : which of them each set differs from; which : by what
    """
    parents, sizes = padded([parents for _, parents in bases])
    at, parent = np.array(rows, np.int32), np.array(which, np.int32)
    members = np.zeros((len(at), parents.shape[1] + 1), np.int32)
    lengths = np.empty(len(at), np.int64)
    toggle_sets(parents, sizes, at, parent, members, lengths)
    nodes = np.array([node for node, _ in bases], np.int32)
    return Batch(nodes[at], ParentSets(members, lengths))


class Candidates(NamedTuple):
    """Parent sets that share their discrete part: their places in a batch, and their continuous parts."""

    discrete: ParentSet
    at: Indices
    continuous: ParentSets

    def some(self, which: Indices) -> "Candidates":
        """Return part of the group."""
        return self._replace(at=self.at[which], continuous=self.continuous.take(which))

    def columns_with(self, node: int) -> tuple[int, ...]:
        """Return the continuous columns that regressions of a node need, ascending."""
        sets = self.continuous
        return tuple(sorted({node, *sets.members[sets.inside()].tolist()}))


def by_discrete_part(sets: ParentSets, discrete: Sequence[bool]) -> list[Candidates]:
    """Group parent sets by their discrete parents: one table of Cells serves a group."""
    kinds = _kinds(tuple(discrete))
    if kinds is None:
        return [Candidates((), np.arange(len(sets.sizes)), sets)]
    members, sizes = np.zeros((2, *sets.members.shape), np.int32), np.empty((2, len(sets.sizes)), np.int64)
    continuous = ParentSets(members[1], sizes[1])
    divide_sets(kinds, *sets, members[0], sizes[0], *continuous)
    places: dict[ParentSet, list[int]] = {}
    for i, (row, size) in enumerate(zip(members[0].tolist(), sizes[0].tolist(), strict=True)):
        places.setdefault(tuple(row[:size]), []).append(i)
    groups = [(part, np.array(at)) for part, at in places.items()]
    return [Candidates(part, at, continuous.take(at)) for part, at in groups]


@lru_cache(8)
def _kinds(discrete: tuple[bool, ...]) -> Ints64 | None:
    """1 for discrete columns and 0 for others, int64[N]; None where all are continuous."""
    return np.array(discrete, np.int64) if any(discrete) else None
