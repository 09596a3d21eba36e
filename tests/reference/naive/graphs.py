"""Operations on graphs by their definitions; a graph is a set of arcs, pairs (parent, child)."""

import itertools


def is_acyclic(arcs):
    arcs = set(arcs)
    while arcs:
        sources = {a for a, _ in arcs} - {b for _, b in arcs}
        if not sources:
            return False
        arcs = {(a, b) for a, b in arcs if a not in sources}
    return True


def colliders(arcs):
    adjacent = {frozenset(arc) for arc in arcs}
    return {
        (frozenset((a, b)), c)
        for a, c in arcs
        for b, d in arcs
        if c == d and a != b and frozenset((a, b)) not in adjacent
    }


def equivalence_class(arcs, discrete=()):
    """All DAGs with the same skeleton and colliders, and no arc from a continuous to a discrete node."""
    edges = sorted(tuple(sorted(arc)) for arc in arcs)
    members = []
    for choice in range(2 ** len(edges)):
        graph = {edge[::-1] if choice >> i & 1 else edge for i, edge in enumerate(edges)}
        if any(b in discrete and a not in discrete for a, b in graph):
            continue
        if is_acyclic(graph) and colliders(graph) == colliders(arcs):
            members.append(graph)
    return members


def cpdag(arcs, discrete=()):
    """Arcs of all members of the equivalence class: an edge that goes both ways is there twice."""
    return set().union(*equivalence_class(arcs, discrete)) if arcs else set()


# Orders of nodes: the parents of a node are found among those before it.


def all_classes(names):
    """One DAG of every equivalence class."""
    pairs = list(itertools.combinations(names, 2))
    found = {}
    for choice in itertools.product(range(3), repeat=len(pairs)):
        arcs = frozenset(pair if c == 1 else pair[::-1] for pair, c in zip(pairs, choice, strict=True) if c)
        if is_acyclic(arcs):
            found.setdefault((frozenset(map(frozenset, arcs)), frozenset(colliders(arcs))), arcs)
    return list(found.values())


# Interventions: what adjusting for the parents of a learned graph gets wrong in the true one.


def paths(arcs, a, b):
    """All paths between two nodes that meet no node twice, along arcs in any direction."""
    found, waiting = [], [[a]]
    while waiting:
        path = waiting.pop()
        if path[-1] == b:
            found.append(path)
            continue
        around = {t for s, t in arcs if s == path[-1]} | {s for s, t in arcs if t == path[-1]}
        waiting += [[*path, node] for node in around if node not in path]
    return found


def after(arcs, node):
    """A node and its descendants."""
    found = {node}
    while more := {t for s, t in arcs if s in found} - found:
        found |= more
    return found


def is_blocked(arcs, path, given):
    for a, m, b in zip(path, path[1:], path[2:], strict=False):
        collider = (a, m) in arcs and (b, m) in arcs
        if (collider and not after(arcs, m) & given) or (not collider and m in given):
            return True
    return False


def sid(names, learned, true):
    """Structural intervention distance by the definition of Peters and Buehlmann (2015), path by path."""
    wrong = 0
    for i, j in itertools.permutations(names, 2):
        given = {a for a, b in learned if b == i}
        if j in given:
            wrong += j in after(true, i)
            continue
        ways = paths(true, i, j)
        directed = [path for path in ways if all(arc in true for arc in itertools.pairwise(path))]
        spoiled = any(after(true, w) & given for path in directed for w in path[1:])
        wrong += spoiled or not all(path in directed or is_blocked(true, path, given) for path in ways)
    return wrong
