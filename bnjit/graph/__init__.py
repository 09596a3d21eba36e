"""Graphs as users give them come in; parent sets of integers go out, and back.

May import errors only (and networkx).
"""

from bnjit.graph.dag import Arc, parent_sets
from bnjit.graph.modelstring import parse_modelstring

__all__ = ["Arc", "parent_sets", "parse_modelstring"]
