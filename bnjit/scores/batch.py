"""Candidate parent sets as the scores handle them, and the contract that a local score keeps."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bnjit._jit import Floats

ParentSet = tuple[int, ...]


class NodeScore(Protocol):
    """Scores nodes of one kind for a batch of parent sets; the parents in each ascend."""

    def scores(self, node: int, sets: Sequence[ParentSet]) -> Floats:
        """Return the local score of `node` for every set of parents, float64[b]."""
        ...


class Candidates(NamedTuple):
    """Parent sets that share their discrete part."""

    discrete: ParentSet
    at: list[int]  # their positions in the batch
    continuous: list[ParentSet]


def by_discrete_part(sets: Sequence[ParentSet], is_discrete: Sequence[bool]) -> list[Candidates]:
    """Group parent sets by their discrete parents: one table of Cells serves a group."""
    groups: dict[ParentSet, Candidates] = {}
    for at, parents in enumerate(sets):
        discrete = tuple(v for v in parents if is_discrete[v])
        group = groups.setdefault(discrete, Candidates(discrete, [], []))
        group.at.append(at)
        group.continuous.append(tuple(v for v in parents if not is_discrete[v]))
    return list(groups.values())
