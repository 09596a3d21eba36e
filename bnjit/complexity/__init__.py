"""What a greedy search costs by the paper's own expressions (Sections 2 to 4), before any data are there.

Costs are numbers of elementary operations as the paper counts them, without the unknown constant of each O(.): they
compare networks, estimators and sample sizes; they are not seconds. `n` is the number of rows, `levels` the paper's l,
the most values that a discrete variable takes. Costs too large for a float are infinite.

Graphs or in-degrees come in; numbers go out. May import graph and errors.
"""

from bnjit.complexity.counts import local_distributions, model_comparisons
from bnjit.complexity.one_distribution import FORMS, closed_form_table, local
from bnjit.complexity.whole_search import limit, prediction, search

__all__ = [
    "FORMS",
    "closed_form_table",
    "limit",
    "local",
    "local_distributions",
    "model_comparisons",
    "prediction",
    "search",
]
