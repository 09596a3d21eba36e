"""Why a local score is -inf: which configuration or relation of columns the rows do not support."""

from collections.abc import Iterable, Sequence

import numpy as np

from bnjit._jit import Floats
from bnjit.errors import warn
from bnjit.kernels.rules import TOLERANCE
from bnjit.scores.scorer import Scorer
from bnjit.stats.cells import MAX_CONFIGURATIONS, Cells
from bnjit.stats.graph_statistics import family_request
from bnjit.stats.regressions import Regression, fit_regressions
from bnjit.stats.store import Store

MOST_NODES = 4  # that a message explains
POOLED = 'sparse="pool" puts such configurations together'
POOLED_WITH_GAPS = 'bnjit.BIC(penalty="local") puts such configurations together'


def warn_of_impossible(scorer: Scorer, local: Floats, parents: Sequence[tuple[int, ...]]) -> None:
    """Warn of local scores that are -inf, and say why they are; nothing is known of a user's own."""
    impossible = np.flatnonzero(np.isneginf(local)).tolist()
    if impossible and not scorer.is_users_own:
        warn(explain_impossible(scorer, [(node, parents[node]) for node in impossible]))


def explain_impossible(scorer: Scorer, families: Iterable[tuple[int, tuple[int, ...]]]) -> str:
    """Say why the scores of nodes, each with its parents, are -inf."""
    families = list(families)
    names = scorer.schema.names
    said = [f"`{names[node]}`: {why_impossible(scorer, node, parents)}" for node, parents in families[:MOST_NODES]]
    more = f"; and {len(families) - MOST_NODES} more nodes" if len(families) > MOST_NODES else ""
    return f"the score is -inf, because of {'; '.join(said)}{more}"


def why_impossible(scorer: Scorer, node: int, parents: tuple[int, ...]) -> str:
    """Say why the score of one node is -inf."""
    schema, stores = scorer.schema, scorer.stores_for(node, parents)
    variables = (*parents, node) if schema.discrete[node] else tuple(v for v in parents if schema.discrete[v])
    if schema.configurations(variables) > MAX_CONFIGURATIONS:
        return "its discrete parents have more than 2^62 configurations, which cannot be numbered"
    if not stores[0].n or not stores[-1].n:
        which = "" if len(stores) == 1 else "training " if not stores[0].n else "test "
        alone = "has a value of it" if not parents else "has values of it and of all its parents"
        return f"no {which}row {alone}"
    if schema.discrete[node]:
        return "test rows have a level, or a configuration of its parents, that no training row has"
    store, test = stores[0], stores[-1] if len(stores) > 1 else None
    continuous = tuple(v for v in parents if not schema.discrete[v])
    (cells,) = store.get([family_request(schema, node, parents)])
    cells = cells.narrow(tuple(sorted((*continuous, node))))
    unseen = None if test is None else _first_unseen(cells, test, node, parents)
    if unseen is not None:
        return f"test rows have {_configuration(scorer, variables, unseen)}, which no training row has"
    few = np.flatnonzero(cells.counts < len(continuous) + 2)
    if len(few):
        first = int(few[0])
        rows = int(cells.counts[first])
        return (
            f"{_configuration(scorer, variables, int(cells.keys[first]))} is there in {rows} row{'s' * (rows != 1)}, "
            f"and a regression on {len(continuous)} parents needs {len(continuous) + 2}"
            + (f"; so have {len(few) - 1} others too few" if len(few) > 1 else "")
            + f". {POOLED if scorer.rows is None else POOLED_WITH_GAPS}"
        )
    (fits,) = fit_regressions(store, [Regression(node, continuous, cells)])
    degrees = np.maximum(cells.counts - len(continuous) - 1, 1)
    exact = np.flatnonzero(~(fits.rss / degrees >= TOLERANCE * TOLERANCE))
    if len(exact) and variables:
        where = f"where {_configuration(scorer, variables, int(cells.keys[exact[0]]))}"
    else:
        where = "in all rows"
    return f"{where} it {_determined(scorer, continuous)}, so that nothing is left to have a density"


def _determined(scorer: Scorer, continuous: tuple[int, ...]) -> str:
    if not continuous:
        return "is constant"
    names = ", ".join(f"`{scorer.schema.names[v]}`" for v in continuous)
    return f"is exactly linear in {names}, or constant"


def _configuration(scorer: Scorer, variables: tuple[int, ...], key: int) -> str:
    """Return a configuration of some discrete columns in words."""
    schema = scorer.schema
    if not variables:
        return "the whole table"
    codes = np.unravel_index(key, [schema.levels[v] for v in sorted(variables)])
    parts = []
    for v, code in zip(sorted(variables), codes, strict=True):
        labels = schema.labels[v]
        assert labels is not None
        parts.append(f"`{schema.names[v]}` = {labels[int(code)]!r}")
    return " and ".join(parts)


def _first_unseen(cells: Cells, test: Store, node: int, parents: tuple[int, ...]) -> int | None:
    """Key of a configuration that test rows have and training rows have not, if there is one."""
    if not cells.variables:
        return None
    (tested,) = test.get([family_request(test.schema, node, parents)])
    unseen = np.setdiff1d(tested.keys, cells.keys)
    return int(unseen[0]) if len(unseen) else None
