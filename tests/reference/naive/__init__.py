"""Scores, graphs and searches by their definitions, in plain loops, for comparison; imports nothing from bnjit."""

from tests.reference.naive.evidence import integrated, local_penalty, log_normal_wishart, normal_wishart
from tests.reference.naive.graphs import all_classes, colliders, cpdag, equivalence_class, is_acyclic, sid
from tests.reference.naive.regret import regret, summed_over_sequences
from tests.reference.naive.scores import (
    TOL,
    bge,
    cells,
    configuration,
    is_discrete,
    local_score,
    loglik,
    marginal,
    normalised,
    parameters,
    predictive,
    regression,
    rows_of,
    split_parents,
)
from tests.reference.naive.searches import (
    all_graphs,
    class_neighbours,
    equivalence_search,
    exact_search,
    greedy,
    grow_shrink,
)

__all__ = [
    "TOL",
    "all_classes",
    "all_graphs",
    "bge",
    "cells",
    "class_neighbours",
    "colliders",
    "configuration",
    "cpdag",
    "equivalence_class",
    "equivalence_search",
    "exact_search",
    "greedy",
    "grow_shrink",
    "integrated",
    "is_acyclic",
    "is_discrete",
    "local_penalty",
    "local_score",
    "log_normal_wishart",
    "loglik",
    "marginal",
    "normal_wishart",
    "normalised",
    "parameters",
    "predictive",
    "regression",
    "regret",
    "rows_of",
    "sid",
    "split_parents",
    "summed_over_sequences",
]
