"""Arcs that no search can take, because the rows do not support the score of a single one."""

from typing import TYPE_CHECKING

import numpy as np

from bnjit.data import Table
from bnjit.options import BIC
from bnjit.review.tuning import MOST_PAIRS

if TYPE_CHECKING:
    from bnjit.result import Result

SCORES = ("loglik", "aic", "bic", "ebic")  # by their names alone, which reject sparse configurations


def impossible_arcs(result: "Result", table: Table) -> str | None:
    """Say which arcs from a discrete to a continuous column have a score of -inf, and why; None if there are none.

    A network is without such arcs, however strong the dependence is.
    """
    if str(result.arguments["score"]) not in SCORES:
        return None
    from bnjit.scores import make_scorer
    from bnjit.scores.impossible import why_impossible
    from bnjit.stats.parent_sets import make_batch

    flags = list(enumerate(table.discrete))
    pairs = [(v, (u,)) for u, is_discrete in flags if is_discrete for v, other in flags if not other]
    if not 0 < len(pairs) <= MOST_PAIRS:
        return None
    scorer = make_scorer(table, BIC())
    by_itself = scorer.local_scores(make_batch([(v, ()) for v, _ in pairs]))
    scores = scorer.local_scores(make_batch(pairs))
    found = [pairs[i] for i in np.flatnonzero(np.isneginf(scores) & np.isfinite(by_itself))]
    if not found:
        return None
    node, (parent,) = found[0]
    arc = f"{table.names[parent]} -> {table.names[node]}"
    what = (
        f"{len(found):,} arcs cannot be scored, such as {arc}" if len(found) > 1 else f"One arc cannot be scored, {arc}"
    )
    reason = why_impossible(scorer, node, (parent,)).split(". ")[0]
    return f'{what}: {reason}. score=bnjit.BIC(penalty="local") scores such arcs, too.'
