"""Record golden values from bnlearn-port (R bnlearn's C code without R): python -m tests.golden.record.

Needs `pip install bnlearn-port`, which the project itself never uses. Run once; the values are committed.
"""

import json
from pathlib import Path

import pybnlearn

from bnjit.options import Tabu, as_algorithm
from tests.golden.tables import GRAPHS, SCORES, SEARCHES, STRENGTHS, SUFFIX, TABLES, strengths

OUT = Path(__file__).with_name("bnlearn.json")


def model_string(nodes: list[str], arcs: list[tuple[str, str]]) -> str:
    parents = {node: [a for a, b in arcs if b == node] for node in nodes}
    return "".join(f"[{node}|{':'.join(p)}]" if p else f"[{node}]" for node, p in parents.items())


def record(kind: str) -> dict:
    table = TABLES[kind]()
    nodes = list(table.columns)
    bic = "bic" + SUFFIX[kind]
    graphs = {name: [tuple(arc) for arc in arcs] for name, arcs in GRAPHS[kind].items()}
    learned = {"hc": pybnlearn.hc(table, score=bic), "tabu": pybnlearn.tabu(table, score=bic)}
    graphs |= {name: pybnlearn.arcs(network) for name, network in learned.items()}
    networks = {name: pybnlearn.model2network(model_string(nodes, arcs)) for name, arcs in graphs.items()}
    result = {}
    for name, network in networks.items():
        scores = {}
        for score in SCORES[kind]:
            kind_of_score = score if score == "bge" else score + SUFFIX[kind]
            scores[score] = pybnlearn.score(network, table, type=kind_of_score, by_node=True)
        essential = pybnlearn.cpdag(network)
        result[name] = {
            "arcs": graphs[name],
            "scores": scores,
            "cpdag": {
                "directed": pybnlearn.directed_arcs(essential),
                "undirected": pybnlearn.undirected_arcs(essential),
            },
            "shd_to": {other: int(pybnlearn.shd(network, networks[other])) for other in networks},
            "hamming_to": {other: int(pybnlearn.hamming(network, networks[other])) for other in networks},
        }
        if name in learned:
            result[name]["n_local_scores"] = int(learned[name].learning["ntests"])
    return result


def search(kind: str, arguments: dict) -> list[tuple[str, str]]:
    """Arcs that bnlearn learns with these arguments."""
    table = TABLES[kind]()
    score = arguments.get("score", "bic")
    options = {"score": score if score in ("bge", "bde", "k2", "bds") else score + SUFFIX[kind]}
    options |= {key: arguments[key] for key in ("whitelist", "blacklist") if key in arguments}
    algorithm = as_algorithm(arguments.get("algorithm", "hc"))
    if isinstance(algorithm, Tabu):
        options["tabu"] = algorithm.length
    if "max_parents" in arguments:
        options["maxp"] = arguments["max_parents"]
    if "start" in arguments:
        options["start"] = pybnlearn.BayesianNetwork(list(table.columns), arguments["start"])
    return pybnlearn.arcs(getattr(pybnlearn, algorithm.name)(table, **options))


def average(seed: int) -> dict:
    """Threshold that bnlearn finds for arc strengths, and its averaged network at a threshold of one half."""
    table = strengths(seed)
    arcs = pybnlearn.averaged_network(table, 0.5).arcs
    return {"threshold": pybnlearn.inclusion_threshold(table), "arcs": sorted(map(tuple, arcs))}


if __name__ == "__main__":
    graphs = {kind: record(kind) for kind in TABLES}
    searches = {kind: [search(kind, arguments) for arguments in SEARCHES[kind]] for kind in TABLES}
    averages = [average(seed) for seed in STRENGTHS]
    OUT.write_text(json.dumps({**graphs, "searches": searches, "averages": averages}, indent=1) + "\n")
