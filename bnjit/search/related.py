"""What learning does about columns that others determine, that are constant, or that have few rows."""

from collections.abc import Sequence

import numpy as np

from bnjit.data.schema import Schema
from bnjit.errors import warn
from bnjit.options import BIC, LocalScore, Score
from bnjit.search.constraints import Constraints
from bnjit.stats.few_rows import few_rows
from bnjit.stats.relations import Relation, find_relations, in_words
from bnjit.stats.store import Store

MOST_NAMED = 6  # relations in a warning


def without_copies(
    constraints: Constraints, store: Store, constants: Sequence[int]
) -> tuple[Constraints, list[Relation]]:
    """Limits under which what others determine exactly has no arcs, nor what is constant; and all relations.

    The last column of a relation takes no part in the search, so that the graph over the others is what it is without
    it. A discrete column that repeats another has a likelihood given that one, and may get this arc in the end
    (`search/copies.py`). Arcs that a user asks for stay, and with them all that such a column may have.
    """
    found = find_relations(store)
    exact = {one.column: one for one in found if one.exact}
    if not exact and not constants:
        return constraints, found
    asked = constraints.start | constraints.limits.fixed
    apart = np.zeros_like(asked)
    for v in (*exact, *constants):
        if not (asked[v].any() or asked[:, v].any()):
            apart[v] = apart[:, v] = True
    if not apart.any():
        return constraints, found
    addable = constraints.limits.addable
    arcs = [(exact[v].others[0], v) for v in exact if apart[v, v] and store.schema.discrete[v]]
    copies = tuple(arc for arc in arcs if addable[arc])
    limits = constraints.limits._replace(addable=addable & ~apart)
    return constraints._replace(limits=limits, apart=apart, copies=copies), found


def warn_of_columns(schema: Schema, relations: Sequence[Relation], score: Score | LocalScore) -> None:
    """Warn of relations, and of rows that are too few, once each."""
    if relations:
        said = [in_words(relation, schema.names) for relation in relations]
        more = f"; and {len(said) - MOST_NAMED} more" if len(said) > MOST_NAMED else ""
        warn(
            f"{'; '.join(said[:MOST_NAMED])}{more}. A network cannot tell which of such columns is a parent of which, "
            "so that one of them may lose its arcs: drop one"
        )
    few = few_rows(schema.n, schema.levels) if isinstance(score, BIC) else None
    if few:
        warn(few)
