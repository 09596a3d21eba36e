"""How far a learned network is from the true one, and why: the rule, the score, or the search."""

import json
import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from bnjit import api
from bnjit.data import Table
from bnjit.graph import cpdag, parent_sets, shd
from bnjit.paper.plan import Measurement, seed_of
from bnjit.paper.protocols import PROTOCOLS
from bnjit.paper.sources import Rows
from bnjit.paper.timing import Clock, arcs_into_place_and_time, quietly

RULE, SCORE, SEARCH = "rule", "score", "search"


class Difference(NamedTuple):
    """An edge that differs between the equivalence classes of the learned and the true network.

    Attributes
    ----------
    kind : str
        "missing", "extra", or "turned": there in both, but not with the same direction.
    source, target : str
        The arc, as the true network has it or, if it is extra, the learned one.
    why : str
        "rule" if the target cannot have its true parents under the rule for sparse configurations; "search" if it
        scores lower with the parents that were found, and the network found scores lower than the true one: the search
        stopped short; "score" otherwise.
    gain : float
        Score of the target, of both ends if the edge is turned, with the parents found, less that with the true ones.
    """

    kind: str
    source: str
    target: str
    why: str
    gain: float


@quietly()
def measure_accuracy(measurement: Measurement, rows: Rows, seed: int) -> dict[str, Any]:
    """Learn by a protocol, and compare with the true network."""
    if rows.dag is None:
        raise ValueError("accuracy needs the true network")
    protocol = PROTOCOLS[measurement.estimator]
    score, table, true = protocol.make_score(), rows.table, rows.dag
    split = seed_of(seed, measurement, run=True)
    clock = Clock()
    start = true if protocol.from_truth else None
    result = api.learn(
        table, score, protocol.make_algorithm(), start=start, seed=split, progress=False,
        blacklist=arcs_into_place_and_time(table.names) if measurement.knowledge else None,
    )  # fmt: skip
    times = clock.read()
    if result.interrupted:
        raise KeyboardInterrupt
    of_true = api.score(true, table, score, by_node=True, seed=split)
    distance = shd(result.dag, true)
    found: list[Difference] = []
    if distance:
        of_found = api.score(result.dag, table, score, by_node=True, seed=split)
        found = differences(result.dag, true, of_found.to_dict(), of_true.to_dict())
    return {
        **times, "arcs": result.dag.number_of_edges(), "shd": distance, "n_local_scores": result.n_local_scores,
        "score": result.score, "true_score": float(of_true.sum()),
        "impossible": sum(impossible_configurations(table, true).values()), "differences": json.dumps(found),
    }  # fmt: skip


def differences(
    learned: nx.DiGraph, true: nx.DiGraph, of_learned: dict[Any, float], of_true: dict[Any, float]
) -> list[Difference]:
    """Edges that structural Hamming distance counts, each once, with the local scores that say why."""
    classes = cpdag(learned), cpdag(true)
    total = math.fsum(of_learned.values()) - math.fsum(of_true.values())
    found = []
    for a, b in dict.fromkeys([*true.edges, *learned.edges]):
        states = [(graph.has_edge(a, b), graph.has_edge(b, a)) for graph in classes]
        both_ways = true.has_edge(b, a) and not true.has_edge(a, b)  # the learned arc of an edge seen already
        if states[0] == states[1] or both_ways:
            continue
        kind = "missing" if not any(states[0]) else "turned" if any(states[1]) else "extra"
        ends = (a, b) if kind == "turned" else (b,)
        gain = sum(of_learned[v] for v in ends) - sum(of_true[v] for v in ends)
        found.append(Difference(kind, str(a), str(b), reason(kind, gain, total), gain))
    return found


def reason(kind: str, gain: float, total: float) -> str:
    """Why an edge differs, given what its ends gain by it and what the whole network found gains over the true one."""
    if kind != "extra" and math.isinf(gain):
        return RULE
    return SEARCH if gain <= 0 and total < 0 else SCORE


def impossible_configurations(table: Table, dag: nx.DiGraph) -> dict[Hashable, int]:
    """Configurations with too few rows for the regression of a continuous node on its parents, by node.

    They have 1 to g + 1 rows, where g is the number of continuous parents. A single one makes the structure impossible
    under bnlearn's rule.
    """
    counted: dict[tuple[int, ...], Any] = {}
    found = {}
    for node, parents in enumerate(parent_sets(dag, table.names, table.discrete)):
        discrete = tuple(j for j in parents if table.discrete[j])
        if table.discrete[node] or not discrete:
            continue
        if discrete not in counted:
            counted[discrete] = _rows_of_configurations(table, discrete)
        few = int((counted[discrete] <= len(parents) - len(discrete) + 1).sum())
        if few:
            found[table.names[node]] = few
    return found


def _rows_of_configurations(table: Table, variables: tuple[int, ...]) -> Any:
    """Rows of each observed configuration."""
    keys = np.zeros(table.n, np.int64)
    for j in variables:
        keys *= table.levels[j]
        keys += table.columns[j].values
    return np.unique(keys, return_counts=True)[1]
