"""Dynamic programming over subsets: the best parents within every set of nodes, and the best network of every set.

Axis legend: M nodes; sets of nodes are bits; within : float64[M, 2^(M - 1)], the best score of node v with parents
within a set of the M - 1 others, whose bits above v are moved down by one.
"""

import numpy as np

from bnjit._jit import Floats, Ints64, jit
from bnjit.kernels.rules import gaussian_loglik


@jit
def without_bit(nodes: int, v: int) -> int:
    """Bits of a set without node v, those above moved down by one."""
    low = (1 << v) - 1
    return nodes & low | nodes >> 1 & ~low


@jit
def spread(first: int, last: int, tolerance: float, within: Floats) -> None:
    """Make the scores of parent sets those of the best of their subsets, for some nodes. O(M 2^M) each.

    A set that exceeds the best of its subsets by no more than the tolerance is not needed. within : (in and out)
    """
    for v in range(first, last):
        scores = within[v]
        for nodes in range(1, scores.shape[0]):
            top = -np.inf
            rest = nodes
            while rest:
                lowest = rest & -rest
                rest ^= lowest
                top = max(top, scores[nodes ^ lowest])
            if not scores[nodes] > top + tolerance:
                scores[nodes] = top


@jit
def find_sink(nodes: int, tolerance: float, within: Floats, best: Floats) -> tuple[float, int]:
    """Score of the best network of some nodes, and a node without children in it. O(M).

    Of those that differ by no more than the tolerance, the last column is taken. best : float64[2^M], of all subsets
    """
    top = -np.inf
    sink = -1
    for v in range(within.shape[0] - 1, -1, -1):
        if nodes >> v & 1:
            others = nodes ^ (1 << v)
            total = best[others] + within[v, without_bit(others, v)]
            if total > top + tolerance:
                top = total
                sink = v
    return top, sink


@jit
def fill_blocks(
    first: int, last: int, blocks: Ints64, low: int, tolerance: float, within: Floats, best: Floats
) -> None:
    """Score of the best network of every set of nodes in some blocks: the sets that agree in all but `low` nodes.

    blocks : int64[B], the higher bits of their sets; best : float64[2^M], -inf where there is no network; blocks with
    fewer of the higher nodes are there (in and out)
    """
    for b in range(first, last):
        base = blocks[b] << low
        for lower in range(1 << low):
            nodes = base | lower
            if nodes == 0:
                best[0] = 0.0
            else:
                best[nodes] = find_sink(nodes, tolerance, within, best)[0]


@jit
def score_all_regressions(
    crosses: Floats, bits: Ints64, most: int, n: float, price: float, work: Floats, scores: Floats
) -> float:
    """Penalised likelihood of a continuous node with every set of some parents, from centred cross products.

    Sets are visited so that each adds one parent to another, and the cross products of what may still be added are made
    residuals (as Furnival and Wilson 1974 do): O(1) for a set on average. Returns the least share of a column's own sum
    of squares that was left of it: where that is small, digits are lost.

    crosses : float64[m + 1, m + 1], of m parents and, last, the node; bits : int64[m], of the parents in a set; most :
    parents at the most; price : of a parent; work : float64[most + 1, m + 1, m + 1]; scores : float64[2^(M - 1)] (out)
    """
    m = bits.shape[0]
    work[0] = crosses
    chosen = np.zeros(m + 1, np.int64)  # the parents of the set, by size
    size = 0
    nodes = 0
    least = 1.0
    own: float = crosses[m, m]  # type: ignore[assignment]
    scores[0] = gaussian_loglik(n, n - 1, own)
    x = 0
    while True:
        if x < m and size < most:
            matrix, after = work[size], work[size + 1]
            pivot = matrix[x, x]
            least = min(least, pivot / crosses[x, x])
            for i in range(x + 1, m + 1):
                share = matrix[i, x] / pivot
                for j in range(x + 1, i + 1):
                    after[i, j] = matrix[i, j] - share * matrix[j, x]
            chosen[size] = x
            size += 1
            nodes |= bits[x]
            rss: float = after[m, m]
            least = min(least, rss / crosses[m, m])
            scores[nodes] = gaussian_loglik(n, n - size - 1, rss) - price * size
            x += 1
        elif size:
            size -= 1
            nodes ^= bits[chosen[size]]
            x = chosen[size] + 1
        else:
            return least
