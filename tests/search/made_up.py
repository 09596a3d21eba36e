"""A score of a user's own, made up at random, and the best graph of all by trying each."""

import functools
import itertools

import numpy as np

from tests.reference import naive

NODES = 4


class MadeUp:
    """Random local scores of four nodes; parents that come earlier in a hidden order are worth having."""

    name = "made up"

    def __init__(self, seed, interaction):
        rng = np.random.default_rng(seed)
        order = rng.permutation(NODES)
        self.known, self.asked = {}, []
        for node in range(NODES):
            worth = np.where(np.argsort(order) < np.argsort(order)[node], 1.0, -1.0) * rng.uniform(1.0, 2.0, NODES)
            for size in range(NODES):
                for parents in itertools.combinations([v for v in range(NODES) if v != node], size):
                    noise = interaction * rng.normal()
                    self.known[node, parents] = float(worth[list(parents)].sum() + noise)

    def local_scores(self, node, parent_sets):
        self.asked += [(node, parents) for parents in parent_sets]
        return [self.known[node, parents] for parents in parent_sets]

    def score(self, arcs):
        """Score of a graph by plain sums."""
        return sum(self.known[j, tuple(sorted(a for a, b in arcs if b == j))] for j in range(NODES))


@functools.cache
def all_graphs():
    """All 543 acyclic graphs of four nodes, as sets of arcs."""
    pairs = list(itertools.combinations(range(NODES), 2))
    choices = itertools.product((None, 0, 1), repeat=len(pairs))
    graphs = [
        frozenset((a, b) if way == 0 else (b, a) for (a, b), way in zip(pairs, ways, strict=True) if way is not None)
        for ways in choices
    ]
    return [arcs for arcs in graphs if naive.is_acyclic(set(arcs))]


def best_graph(score, required=(), most=NODES):
    """The best graph that has the required arcs, and no node with more parents than allowed."""
    allowed = [
        arcs for arcs in all_graphs()
        if set(required) <= arcs and all(sum(b == j for _, b in arcs) <= most for j in range(NODES))
    ]  # fmt: skip
    return max(allowed, key=score.score)


def neighbours(arcs):
    """Graphs that one arc more, less or the other way round leads to."""
    return [other for other in all_graphs() if len(arcs ^ other) == 1 or is_reversal(arcs, other)]


def is_reversal(arcs, other):
    gone, new = arcs - other, other - arcs
    return len(gone) == len(new) == 1 and {tuple(reversed(arc)) for arc in gone} == new
