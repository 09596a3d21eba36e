"""What to try next: sentences that follow from what was found, and from nothing else."""

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from bnjit.report.findings import ERROR, WARNING
from bnjit.review.tuning import CERTAIN, NAMED, NOTHING

if TYPE_CHECKING:
    from bnjit.network import Network
    from bnjit.report.report import Report
    from bnjit.result import Result
    from bnjit.review.held_out import HeldOutRows


GAPS = ("missing", "incomplete rows")  # which learning got past


def what_next(
    result: "Result", report: "Report | None", network: "Network | None", held_out: "HeldOutRows | None",
    weak: int | None, impossible: str | None = None,
) -> list[str]:  # fmt: skip
    """Sentences, those first that concern the network as a whole.

    weak : arcs below the threshold of their strengths, None if there are no strengths
    impossible : a sentence on arcs that cannot be scored
    """
    return [
        *_of_the_search(result), *([impossible] if impossible else []), *_of_strengths(weak),
        *_of_columns(report, "missing" in result.arguments), *_of_sparse_cells(network), *_of_predictions(held_out),
    ]  # fmt: skip


def _of_the_search(result: "Result") -> Iterator[str]:
    if result.stopped_by is not None:
        yield f"The search was stopped by {result.stopped_by} before it ended by itself; let it run to its end."
    if str(result.arguments["algorithm"]) == "hc":
        yield (
            "Hill climbing stops at the first local maximum. algorithm=bnjit.Boss(restarts=20) searches more widely; a "
            "higher score says whether it was worth it."
        )


def _of_strengths(weak: int | None) -> Iterator[str]:
    if weak is None:
        yield (
            "This report does not say how sure the arcs are. strength = bnjit.arc_strength(data) counts how often each "
            "is found again in bootstrap replicates, and result.report(path, data, strength=strength) shows it."
        )
    elif weak:
        yield (
            f"{_arcs(weak)} below the threshold that follows from the strengths. bnjit.averaged_network(strength) is "
            "the network without such arcs."
        )


def _arcs(n: int) -> str:
    return f"{n:,} arcs are" if n > 1 else "One arc is"


def _of_columns(report: "Report | None", gaps_were_used: bool) -> Iterator[str]:
    if report is None:
        yield (
            "This report was made without the table, so it says nothing of the columns and of predictions: give "
            "result.report(path, data)."
        )
        return
    found = [one for one in report.findings if one.severity in (ERROR, WARNING) and one.problem not in GAPS]
    if found:
        named = list(dict.fromkeys(str(one.column) for one in found if one.column is not None))
        where = f" ({_listed(named)})" if named else ""
        yield (
            f"The check of the columns found {len(found):,} thing{'s' * (len(found) > 1)} that may mislead "
            f"learning{where}; each is listed with its remedy"
            f"{', and bnjit.check(data).prepared() applies what is to be done' if report.remedies else ''}."
        )
    if report.complete_rows < report.n_rows and not gaps_were_used:
        yield (f'{report.complete_in_words}. With missing="em" or missing="available" rows with gaps are used as well.')


def _of_sparse_cells(network: "Network | None") -> Iterator[str]:
    if network is None:
        return
    sparse = []
    for j, node in enumerate(network.nodes):
        declared = math.prod(network.levels[p] for p in node.parents if network.discrete[p])
        if declared > len(node.keys):
            sparse.append(network.names[j])
    if sparse:
        yield (
            "Some configurations of discrete parents were never observed, or in too few rows for a regression, in "
            f"{_listed(sparse)}. There sampling and prediction use the distribution without the discrete parents. "
            "Fewer levels, max_parents, or result.fit(prior_rows=1) for smoothed parameters are ways to have them all."
        )


def _of_predictions(held_out: "HeldOutRows | None") -> Iterator[str]:
    if held_out is None:
        return
    unknown = [one.name for one in held_out.predictions if one.others - one.baseline < NOTHING]
    if unknown:
        yield (
            f"The other columns hardly help to predict {_listed(unknown)}. The causes may not be in the table, or not "
            "act as this class of networks assumes."
        )
    sure = [one.name for one in held_out.predictions if one.others > CERTAIN and one.baseline <= CERTAIN]
    if sure:
        yield (
            f"{_listed(sure)} follow{'s' * (len(sure) == 1)} almost exactly from other columns. A column that is "
            "computed from others, or known only afterwards, is best left out, or its arcs are forbidden with "
            "blacklist= or tiers=."
        )


def _listed(names: Sequence[Hashable]) -> str:
    """Names in a sentence, the first few of many."""
    shown = [str(name) for name in names[:NAMED]]
    if len(names) > NAMED:
        return f"{', '.join(shown)} and {len(names) - NAMED:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
