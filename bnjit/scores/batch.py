"""Candidate parent sets as the scores handle them, and the contract that a local score keeps."""

from collections.abc import Generator, Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Floats, Ints32, Ints64
from bnjit.stats import Want
from bnjit.stats.collect import padded

ParentSet = tuple[int, ...]
Indices = NDArray[np.intp]

LAST = np.iinfo(np.int32).max


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


def make_sets(candidates: Iterable[Sequence[int]]) -> ParentSets:
    """Parent sets from any sequences of parents."""
    return ParentSets(*padded([sorted(parents) for parents in candidates]))


def toggled(parents: ParentSet, variables: Indices) -> ParentSets:
    """Parent sets that differ from `parents` in one variable each: without it if it is there, else with it."""
    p = len(parents)
    members = np.empty((len(variables), p + 1), np.int32)
    members[:, :p] = parents
    members[:, p] = variables
    same = members[:, :p] == members[:, p:]
    there = same.any(axis=1)
    if there.any():
        # What is left out goes last, twice: as the parent that it was and as the variable beside the parents.
        members[:, :p][same] = LAST
        members[there, p] = LAST
    members.sort(axis=1)
    members[members == LAST] = 0
    return ParentSets(members, np.where(there, p - 1, p + 1))


# Scores in the making: says what it is going to ask stores for before it does, so that whoever makes many can read the
# rows once for all of them.
Steps = Generator[list[Want], None, Floats]


class NodeScore(Protocol):
    """Scores nodes of one kind for a batch of parent sets."""

    def steps(self, node: int, sets: ParentSets) -> Steps:
        """Return the local score of `node` for every set of parents, float64[b], in steps."""
        ...


def at_once(steps: Steps) -> Floats:
    """Scores without minding what they need: stores that have the rows at hand read them when they are asked."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def together(parts: Sequence[Steps]) -> Generator[list[Want], None, list[Floats]]:
    """Make scores side by side, step by step, so that what they want comes together."""
    results: dict[int, Floats] = {}
    while len(results) < len(parts):
        wants: list[Want] = []
        for i, steps in enumerate(parts):
            if i not in results:
                try:
                    wants += next(steps)
                except StopIteration as end:
                    results[i] = end.value
        if len(results) < len(parts):
            yield wants
    return [results[i] for i in range(len(parts))]


class Candidates(NamedTuple):
    """Parent sets that share their discrete part: their places in the batch, and their continuous parts."""

    discrete: ParentSet
    at: Indices
    continuous: ParentSets

    def some(self, which: Indices) -> "Candidates":
        """Return part of the group."""
        return self._replace(at=self.at[which], continuous=self.continuous.take(which))


def by_discrete_part(sets: ParentSets, discrete: Sequence[bool]) -> list[Candidates]:
    """Group parent sets by their discrete parents: one table of Cells serves a group."""
    if not any(discrete):
        return [Candidates((), np.arange(len(sets.sizes)), sets)]
    groups: dict[ParentSet, tuple[list[int], list[list[int]]]] = {}
    for at, parents in enumerate(sets.tuples()):
        places, continuous = groups.setdefault(tuple(v for v in parents if discrete[v]), ([], []))
        places.append(at)
        continuous.append([v for v in parents if not discrete[v]])
    return [Candidates(part, np.array(at), ParentSets(*padded(some))) for part, (at, some) in groups.items()]
