"""Searches that look at every neighbour of a graph, or of an equivalence class, in turn."""

import itertools
import math

from tests.reference.naive.graphs import colliders, equivalence_class, is_acyclic
from tests.reference.naive.scores import TOL, is_discrete, local_score


def neighbours(names, arcs, allowed=lambda a, b: True, fixed=frozenset(), most=math.inf):
    """Every graph one move away, in the order in which bnlearn looks at them: (move, source, target, graph)."""

    def room(node):
        return sum(b == node for _, b in arcs) < most

    for a in names:
        for b in names:
            if a != b and (a, b) not in arcs and (b, a) not in arcs and allowed(a, b) and room(b):
                yield "add", a, b, arcs | {(a, b)}
    for a in names:
        for b in names:
            if (a, b) in arcs and (a, b) not in fixed:
                yield "delete", a, b, arcs - {(a, b)}
    for a in names:
        for b in names:
            if (a, b) in arcs and (a, b) not in fixed and allowed(b, a) and room(a):
                yield "reverse", a, b, (arcs - {(a, b)}) | {(b, a)}


def greedy(table, score, *, tabu=0, equivalent=False, start=frozenset(), test=None, **limits):
    """Hill climbing, or tabu search with lists of length `tabu`: the path of moves and the best graph.

    Every score of every neighbour is computed anew.
    """
    names = list(table)

    def local(node, arcs):
        parents = [a for a in names if (a, node) in arcs]
        return local_score(table, node, parents, score, test)

    def difference(move, a, b, arcs, after):
        if equivalent and move == "add" and names.index(a) > names.index(b) and not any(t in (a, b) for _, t in arcs):
            a, b, after = b, a, arcs | {(b, a)}  # a tie by score equivalence: compute it once
        changed = {a, b} if move == "reverse" else {b}
        value = 0.0
        for node in changed:
            change = local(node, after) - local(node, arcs)
            value += 0.0 if abs(change) < TOL else change
        return value

    def best(arcs, least, forbidden):
        winner, gain = None, least
        for move, a, b, after in neighbours(names, arcs, **limits):
            if is_discrete(table[b]) and not is_discrete(table[a]) and move == "add":
                continue
            if move == "reverse" and is_discrete(table[a]) and not is_discrete(table[b]):
                continue
            if not is_acyclic(after) or after in forbidden:
                continue
            value = difference(move, a, b, arcs, after)
            if value - gain > TOL:
                winner, gain = (move, a, b, after), value
        return winner

    def total(arcs):
        return math.fsum(local(node, arcs) for node in names)

    arcs = frozenset(start)
    path, visited, losses = [], [], 0
    champion, champion_score = arcs, total(arcs)
    while True:
        visited.append(arcs)
        forbidden = visited[-tabu:] if tabu else []
        winner = best(arcs, 0.0, forbidden)
        if winner is None:
            if losses >= tabu:
                return path, champion
            losses += 1
            winner = best(arcs, -math.inf, forbidden)
            if winner is None:
                return path, champion
        path.append(winner[:3])
        arcs = winner[3]
        if total(arcs) - champion_score > TOL:
            champion, champion_score, losses = arcs, total(arcs), 0


def grow_shrink(names, before, score, fixed=(), allowed=lambda x: True, most=math.inf):
    """Add the best parent while that improves the score of a set, then drop the worst while that does."""
    parents, value = frozenset(fixed), score(frozenset(fixed))
    while len(parents) < most:
        choices = [x for x in names if x in before and x not in parents and allowed(x)]
        best = max(choices, key=lambda x: score(parents | {x}), default=None)
        if best is None or score(parents | {best}) <= value + TOL:
            break
        parents, value = parents | {best}, score(parents | {best})
    while parents - set(fixed):
        worst = max((x for x in names if x in parents - set(fixed)), key=lambda x: score(parents - {x}))
        if score(parents - {worst}) <= value + TOL:
            break
        parents, value = parents - {worst}, score(parents - {worst})
    return parents, value


# Greedy equivalence search by its definition: classes are neighbours if some of their members are, of those that obey.


def everything(arcs):
    """What a graph obeys if nothing is known beforehand."""
    return True


def class_neighbours(names, members, phase, most=math.inf, obeys=everything):
    """A member of each class that one arc, added, deleted or turned in some member of a class, leads to."""
    found = {}
    for member in members:
        present = frozenset(member)
        for a, b in itertools.permutations(names, 2):
            if phase == "forward" and (a, b) not in present and (b, a) not in present:
                after = present | {(a, b)}
            elif phase == "backward" and (a, b) in present:
                after = present - {(a, b)}
            elif phase == "turning" and (a, b) in present:
                after = (present - {(a, b)}) | {(b, a)}
            else:
                continue
            few = all(sum(t == node for _, t in after) <= most for node in names)
            if few and is_acyclic(after) and obeys(after):
                found.setdefault((frozenset(map(frozenset, after)), frozenset(colliders(after))), after)
    return list(found.values())


def equivalence_search(names, local, start=frozenset(), most=math.inf, obeys=everything):
    """Path of (phase, score) and a member of the last class; all classes around are scored at every step."""

    def total(arcs):
        return math.fsum(local(node, frozenset(a for a, b in arcs if b == node)) for node in names)

    arcs, path = frozenset(start), []
    while True:
        length = len(path)
        for phase in ("forward", "backward", "turning"):
            while True:
                members = [member for member in equivalence_class(arcs) if obeys(member)]
                around = class_neighbours(names, members, phase, most, obeys)
                best = max(around, key=total, default=arcs)
                if total(best) <= total(arcs) + TOL:
                    break
                arcs = best
                path.append((phase, total(arcs)))
        if len(path) == length:
            return path, arcs


def all_graphs(names, allowed=lambda a, b: True, fixed=frozenset(), most=math.inf):
    """Every acyclic graph of some nodes, node by node: those with the fixed arcs, allowed ones, and few parents."""

    def parents_of(node):
        own = [a for a, b in fixed if b == node]
        free = [a for a in names if a != node and a not in own and allowed(a, node)]
        return [
            frozenset((a, node) for a in (*own, *more))
            for size in range(len(free) + 1) if size + len(own) <= most
            for more in itertools.combinations(free, size)
        ]  # fmt: skip

    graphs = [frozenset()]
    for node in names:
        graphs = [graph | own for graph in graphs for own in parents_of(node) if is_acyclic(graph | own)]
    return graphs


def exact_search(names, local, **limits):
    """Score of the best of all graphs, and the graphs that have it."""
    totals = {
        graph: math.fsum(local(node, frozenset(a for a, b in graph if b == node)) for node in names)
        for graph in all_graphs(names, **limits)
    }
    best = max(totals.values())
    return best, [graph for graph, total in totals.items() if total >= best - 1e-9 * abs(best) - TOL]
