"""Local scores come in; a directed acyclic graph goes out: by moves of arcs, in orders, or in equivalence classes.

Speaks integers. May import scores, graph, options, kernels and errors.
"""

from bnjit.search.constraints import Constraints
from bnjit.search.greedy import Outcome, Search, hill_climbing, random_restarts, run_until_stopped, tabu_search
from bnjit.search.score_memo import ScoreMemo
from bnjit.search.state import Move, State

__all__ = [
    "Constraints", "Move", "Outcome", "ScoreMemo", "Search", "State", "hill_climbing", "random_restarts",
    "run_until_stopped", "tabu_search",
]  # fmt: skip
