"""Cells (or rows) come in; local scores go out: of a node, for a batch of candidate parent sets.

Higher is better; -inf is a model that the data cannot support. May import stats, data, options, kernels and errors.
"""

from bnjit.scores.scorer import Scorer, make_scorer

__all__ = ["Scorer", "make_scorer"]
