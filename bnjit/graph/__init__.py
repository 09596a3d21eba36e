"""Graphs as users give them come in; parent sets of integers, equivalence classes and distances go out.

May import errors only (and networkx).
"""

from bnjit.graph.compare import Comparison, compare
from bnjit.graph.dag import Arc, make_dag, parent_sets
from bnjit.graph.files import read_dag, write_dag
from bnjit.graph.modelstring import parse_modelstring, to_modelstring
from bnjit.graph.pdag import consistent_extension, cpdag, hamming, shd, v_structures
from bnjit.graph.separation import (
    Independence,
    Path,
    ancestors,
    d_separated,
    descendants,
    implied_independencies,
    markov_blanket,
    paths,
)
from bnjit.graph.sid import sid

__all__ = [
    "Arc",
    "Comparison",
    "Independence",
    "Path",
    "ancestors",
    "compare",
    "consistent_extension",
    "cpdag",
    "d_separated",
    "descendants",
    "hamming",
    "implied_independencies",
    "make_dag",
    "markov_blanket",
    "parent_sets",
    "parse_modelstring",
    "paths",
    "read_dag",
    "shd",
    "sid",
    "to_modelstring",
    "v_structures",
    "write_dag",
]
