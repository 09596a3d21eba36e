"""The pool of parent sets: what all searches have scored, and the best orders with parents from it.

Searches that end in different places know different parts of the best network. An order of the nodes puts these
together: each node has the best of all sets in the pool that precede it (Teyssier and Koller 2005). Nothing is scored
for that, so thousands of orders take less time than one search.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints32, Ints64
from bnjit._threads import in_ranges
from bnjit.graph.bits import bits_of, members_of
from bnjit.kernels.graph import Bits, Flags, Limits
from bnjit.kernels.pool import PoolTables, climb_orders, find_undominated, fit_all, list_sets
from bnjit.search.families import Families
from bnjit.search.score_memo import ScoreMemo, Toggle
from bnjit.search.tuning import CLIMBS_AT_ONCE, POOL_SETS


class NodePool:
    """The sets of one node that are worth having: within the limits, and better than each of their subsets.

    Parameters
    ----------
    limits : Limits
        What is allowed.
    node : int
        The node.
    score : float
        That of the parents that it must have.
    """

    def __init__(self, limits: Limits, node: int, score: float) -> None:
        self.node, self.most = node, limits.most
        self.fixed = bits_of(np.flatnonzero(limits.fixed[:, node]).tolist())
        self.allowed = self.fixed | bits_of(np.flatnonzero(limits.addable[:, node]).tolist())
        self.sets: list[int] = [self.fixed]
        self.scores: list[float] = [score]
        self.words = -(-len(limits.fixed) // 64)
        self.expanded: set[int] = set()
        self._seen = 0  # sets of the memo that were looked at
        self._members: tuple[Ints32, Ints64] | None = None

    def add(self, memo: ScoreMemo, tolerance: float) -> None:
        """Take what is worth having of the sets that a memo was asked for since the last time."""
        new = memo.asked(self.node, self._seen)
        self._seen += len(new)
        self.take(new, tolerance)

    def begin_anew(self) -> None:
        """Look at all sets of the memo the next time, which forgets those it has."""
        self._seen = 0

    def take(self, some: Iterable[tuple[int, float]], tolerance: float) -> None:
        """Take what is worth having of some sets and their scores."""
        least = self.scores[-1] + tolerance
        found = {bits: score for bits, score in some if score > least and self._is_legal(bits)}
        if found:
            self._merge(found | dict(zip(self.sets, self.scores, strict=True)), tolerance)

    def _is_legal(self, bits: int) -> bool:
        return not bits & ~self.allowed and bits & self.fixed == self.fixed and bits.bit_count() <= self.most

    def _merge(self, found: dict[int, float], tolerance: float) -> None:
        """Keep those that no subset dominates, the best first; the parents that must be there are the last."""
        sets = sorted(found, key=lambda bits: (bits.bit_count(), bits))
        scores = np.array([found[bits] for bits in sets])
        kept = np.empty(len(sets), bool)
        find_undominated(self.as_words(sets), scores, tolerance, kept)
        places = [i for i in np.argsort(-scores, kind="stable").tolist() if kept[i]]
        if len(places) > POOL_SETS:
            places = [*places[: POOL_SETS - 1], places[-1]]
        self.sets, self.scores, self._members = [sets[i] for i in places], scores[places].tolist(), None

    def as_words(self, sets: Iterable[int]) -> Bits:
        """Sets as uint64[P, W]."""
        return np.frombuffer(self._as_bytes(sets), "<u8").astype(np.uint64).reshape(-1, self.words)

    def _as_bytes(self, sets: Iterable[int]) -> bytes:
        return b"".join(bits.to_bytes(8 * self.words, "little") for bits in sets)

    def members(self) -> tuple[Ints32, Ints64]:
        """Members of all sets, int32[L], and how many each has, int64[P]."""
        if self._members is None:
            flat = np.frombuffer(self._as_bytes(self.sets), np.uint8).reshape(-1, 8 * self.words)
            there = np.unpackbits(flat, axis=1, bitorder="little")
            self._members = there.nonzero()[1].astype(np.int32), there.sum(axis=1, dtype=np.int64)
        return self._members

    def to_expand(self, most: int) -> list[Toggle]:
        """Best sets, so many, of those that were not asked for before; with what may be toggled in them."""
        free = self.allowed & ~self.fixed
        best = [bits for bits in self.sets[:most] if bits not in self.expanded]
        self.expanded.update(best)
        return [
            Toggle(self.node, bits, members_of(free if bits.bit_count() < self.most else free & bits)) for bits in best
        ]


class ParentSetPool:
    """The pool of all nodes that may have arcs.

    Parameters
    ----------
    scores, limits
        Where scores come from, and what is allowed.
    nodes : int64[M]
        Nodes that may have arcs.
    tolerance : float
        A difference that is none.
    """

    def __init__(self, scores: ScoreMemo, limits: Limits, nodes: Ints64, tolerance: float) -> None:
        self.memo, self.limits, self.free, self.tolerance = scores, limits, nodes, tolerance
        fixed = [(v, bits_of(np.flatnonzero(limits.fixed[:, v]).tolist())) for v in nodes.tolist()]
        alone = scores.get(fixed).tolist()
        self.nodes = {v: NodePool(limits, v, score) for (v, _), score in zip(fixed, alone, strict=True)}
        self._tables: PoolTables | None = None
        scores.before_forgetting = self._take_the_last

    def _take_the_last(self) -> None:
        self.update()
        for own in self.nodes.values():
            own.begin_anew()

    def update(self) -> None:
        """Take what the memo was asked for."""
        for own in self.nodes.values():
            own.add(self.memo, self.tolerance)
        self._tables = None

    def add_pairs(self) -> None:
        """Score all pairs of parents: two that matter only together are found by no single arc."""
        for v, own in self.nodes.items():
            some = members_of(own.allowed & ~own.fixed)
            if own.fixed.bit_count() + 2 <= own.most:
                self.memo.toggled([
                    Toggle(v, own.fixed | 1 << x, [y for y in some if y > x]) for x in some
                ])  # fmt: skip

    def add_families(self) -> Iterator[None]:
        """Add what each node by itself finds by growing several sets at once; yields between parts of that."""
        for found in Families(self.memo, self.limits, self.tolerance).grown(self.free.tolist()):
            for v, sets in found.items():
                self.nodes[v].take(sets.items(), self.tolerance)
            self._tables = None
            yield

    def expand(self, most: int) -> None:
        """Score what is one parent more or less than the best sets of each node, so many of them."""
        requests = [request for own in self.nodes.values() for request in own.to_expand(most)]
        if requests:
            self.memo.toggled(requests)

    def search(self, order: Ints64, rounds: int, rng: np.random.Generator) -> tuple[Ints64, Flags]:
        """Climb from an order, and then from the best order perturbed in several ways; the best, and its graph."""
        pool = self._as_tables()
        M, best, highest = len(order), order, -np.inf
        for turn in range(rounds + 1):
            moves = self._draw_moves(CLIMBS_AT_ONCE, M, rng) if turn else np.full((1, 1, 2), -1)
            orders, totals = np.tile(best, (len(moves), 1)), np.empty(len(moves))
            in_ranges(climb_orders, len(moves), pool, self.tolerance, moves, orders, totals)
            totals[~self._keep_fixed(orders)] = -np.inf
            at = int(totals.argmax())
            if -np.inf < totals[at] >= highest - self.tolerance:  # of orders that tie, the new one leads on
                best, highest = orders[at], max(highest, float(totals[at]))
        return best, self._graph(best)

    def _keep_fixed(self, orders: NDArray[np.int64]) -> Flags:
        """Whether all arcs that must be there go forward in each order, bool[R].

        An order in which one does not makes no graph, but may lead where many nodes are impossible in all others.
        """
        places = np.empty((len(orders), len(self.limits.fixed)), np.int64)
        np.put_along_axis(places, orders, np.arange(orders.shape[1])[None], axis=1)
        i, j = self.limits.fixed.nonzero()
        there = np.isin(i, self.free) & np.isin(j, self.free)
        forward: Flags = np.logical_and.reduce(places[:, i[there]] < places[:, j[there]], axis=1)
        return forward

    @staticmethod
    def _draw_moves(rounds: int, M: int, rng: np.random.Generator) -> Ints64:
        """Places between which nodes move, int64[R, m, 2]: up to a fifth of all nodes, and of few up to four."""
        most = max(4, M // 5)
        moves = rng.integers(0, max(M, 1), (rounds, most, 2))
        moves[np.arange(most) >= rng.integers(1, most + 1, rounds)[:, None]] = -1
        return moves

    def _as_tables(self) -> PoolTables:
        """Sets by node and by member, as kernels take them."""
        if self._tables is None:
            N = len(self.limits.fixed)
            own = [self.nodes[v] for v in range(N) if v in self.nodes]
            number = np.zeros(N, np.int64)
            number[[one.node for one in own]] = [len(one.sets) for one in own]
            members, sizes = (np.concatenate(some) for some in zip(*(one.members() for one in own), strict=True))
            scores = np.concatenate([one.scores for one in own])
            nodes = np.repeat(np.arange(N, dtype=np.int32), number)
            first, starts = (np.concatenate([[0], np.cumsum(some)]).astype(np.int64) for some in (number, sizes))
            listed = np.zeros(N + 1, np.int64)
            self._tables = PoolTables(first, scores, starts, members, nodes, listed, np.empty_like(members))
            list_sets(self._tables)
        return self._tables

    def _graph(self, order: Ints64) -> Flags:
        """Arcs of an order, bool[N, N]; nodes that are not in it have none."""
        pool = self._as_tables()
        found = np.empty(len(self.limits.fixed), np.int64)
        fit_all(pool, order, found)
        arcs = np.zeros_like(self.limits.fixed)
        for v in order.tolist():
            own, p = self.nodes[v], int(found[v])
            arcs[members_of(own.fixed if p < 0 else own.sets[p - int(pool.first[v])]), v] = True
        return arcs
