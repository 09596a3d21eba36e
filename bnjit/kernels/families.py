"""Families: a node with each of its candidate parent sets, and how many configurations they have.

Axis legend: b families; w parents at the most; N columns.
"""

from bnjit._jit import Floats, Ints32, Ints64, jit


@jit
def join_nodes(
    levels: Ints64, nodes: Ints32, parents: Ints32, sizes: Ints64, members: Ints32, declared: Floats, strides: Ints64,
    q: Ints64,
) -> None:  # fmt: skip
    """Put nodes among their discrete parents. O(b w).

    levels : int64[N], 0 for continuous columns; nodes : int32[b]; parents : int32[b, w], ascending; sizes : int64[b];
    members : int32[b, w + 1], ascending and then 0; declared : float64[b], configurations of all members, 0 if one is
    continuous; strides : int64[b], weight of the node's digit in keys; q : int64[b], those of the parents (out)
    """
    for i in range(nodes.shape[0]):
        node = nodes[i]
        p = 0
        placed = False
        declared[i] = levels[node]
        strides[i] = q[i] = 1
        for j in range(sizes[i]):
            v = parents[i, j]
            if not placed and v > node:
                members[i, p] = node
                p += 1
                placed = True
            members[i, p] = v
            p += 1
            declared[i] *= levels[v]
            q[i] *= levels[v]
            if v > node:
                strides[i] *= levels[v]
        if not placed:
            members[i, p] = node
            p += 1
        for j in range(p, members.shape[1]):
            members[i, j] = 0


@jit
def divide_sets(
    levels: Ints64, members: Ints32, sizes: Ints64, discrete: Ints32, d: Ints64, continuous: Ints32, g: Ints64
) -> None:
    """Discrete and continuous members of sets, in their order. O(b w).

    Sets as those of count_configurations; discrete, continuous : int32[b, w], members and then as they were;
    d, g : int64[b], how many these are (out)
    """
    for i in range(sizes.shape[0]):
        d[i] = g[i] = 0
        for j in range(sizes[i]):
            v = members[i, j]
            if levels[v] == 0:
                continuous[i, g[i]] = v
                g[i] += 1
            else:
                discrete[i, d[i]] = v
                d[i] += 1


@jit
def count_configurations(levels: Ints64, members: Ints32, sizes: Ints64, q: Floats, g: Ints64) -> None:
    """Declared configurations of the discrete members of sets, and how many members are continuous. O(b w).

    Sets as `parents` of join_nodes, but members may be continuous; q : float64[b], which cannot overflow; g : int64[b]
    (out)
    """
    for i in range(sizes.shape[0]):
        q[i] = 1.0
        g[i] = 0
        for j in range(sizes[i]):
            r = levels[members[i, j]]
            if r == 0:
                g[i] += 1
            else:
                q[i] *= r
