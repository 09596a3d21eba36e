"""Graphs as users give them come in; parent sets of integers, equivalence classes and distances go out.

May import errors only (and networkx).
"""

from bnjit.graph.compare import Comparison, compare
from bnjit.graph.dag import Arc, make_dag, parent_sets
from bnjit.graph.files import read_dag, write_dag
from bnjit.graph.modelstring import parse_modelstring, to_modelstring
from bnjit.graph.pdag import consistent_extension, cpdag, hamming, shd, v_structures
from bnjit.graph.sid import sid

__all__ = [
    "Arc",
    "Comparison",
    "compare",
    "consistent_extension",
    "cpdag",
    "hamming",
    "make_dag",
    "parent_sets",
    "parse_modelstring",
    "read_dag",
    "shd",
    "sid",
    "to_modelstring",
    "v_structures",
    "write_dag",
]
