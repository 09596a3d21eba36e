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

    The last column of a linear relation loses its arcs, so that the graph over the others is what it is without it.
    Discrete columns that repeat another keep theirs: they have a likelihood, and bnlearn's networks have such arcs.
    Arcs that a user asks for stay.
    """
    found = find_relations(store)
    alone = [one.column for one in found if one.exact and not store.schema.discrete[one.column]]
    alone += constants
    if not alone:
        return constraints, found
    asked = constraints.start | constraints.limits.fixed
    apart = np.zeros_like(asked)
    for v in alone:
        if not (asked[v].any() or asked[:, v].any()):
            apart[v] = apart[:, v] = True
    if not apart.any():
        return constraints, found
    limits = constraints.limits._replace(addable=constraints.limits.addable & ~apart)
    return constraints._replace(limits=limits, apart=apart), found


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
