"""A graph and statistics come in; tests of independence go out, and what they say about the graph.

May import stats, scores (how tables are read), report (messages), graph, data, options, kernels and errors.
"""

from bnjit.markov.checking import check_markov
from bnjit.markov.outcome import IndependenceTest
from bnjit.markov.report import MarkovReport
from bnjit.markov.testing import independence

__all__ = ["IndependenceTest", "MarkovReport", "check_markov", "independence"]
