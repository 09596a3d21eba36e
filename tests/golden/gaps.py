"""Seeded tables with gaps, for golden values; and how these are recorded: python -m tests.golden.gaps.

Recording needs `pip install bnlearn-port`, which the project itself never uses.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from tests.golden.tables import GRAPHS, TABLES

OUT = Path(__file__).with_name("gaps.json")
TYPES = {"discrete": "pnal", "gaussian": "pnal-g", "cgaussian": "pnal-cg"}
PENALTIES = (0.0, 0.001, 0.02)


def make_gaps(table: pd.DataFrame, share: float = 0.15, seed: int = 21, whole: int = 0) -> pd.DataFrame:
    """Leave out a share of the values of every column but the first `whole`, at random."""
    rng = np.random.RandomState(seed)
    gaps = table.copy()
    for name in table.columns[whole:]:
        gaps[name] = gaps[name].mask(rng.rand(len(table)) < share)
    return gaps


def record(kind: str) -> dict[str, dict[str, list[float]]]:
    """Local scores of bnlearn's node-average likelihood, times the rows, by graph and penalty."""
    from pybnlearn import _core

    table = make_gaps(TABLES[kind]())
    nodes, n = list(table.columns), len(table)
    none = np.zeros((len(nodes), len(nodes)), np.int32)
    found: dict[str, dict[str, list[float]]] = {}
    for name, arcs in GRAPHS[kind].items():
        for penalty in PENALTIES:
            search = _core.Search(table, nodes, TYPES[kind], {"k": penalty * n}, none, none)
            scores = search.node_scores([tuple(arc) for arc in arcs], nodes)
            found.setdefault(name, {})[str(penalty)] = [n * float(score) for score in scores]
    return found


if __name__ == "__main__":
    OUT.write_text(json.dumps({kind: record(kind) for kind in TABLES}, indent=1) + "\n", encoding="utf-8")
