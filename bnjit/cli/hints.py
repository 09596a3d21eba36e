"""What bnjit learn says of columns that may be meant otherwise."""

import argparse
import shlex
from typing import TYPE_CHECKING

from bnjit.cli.texts import for_the_command_line, names_of
from bnjit.errors import BnjitError, quiet

if TYPE_CHECKING:
    from bnjit.result import Result

MOST_VALUES = 2_000_000  # of a table that is looked at once more, which takes less than a second


def continuous_codes(given: argparse.Namespace, result: "Result") -> list[str]:
    """Continuous columns with few different whole numbers, which may be levels; none for a table that is not small."""
    values = (result.n_rows or MOST_VALUES) * len(result.dag)
    numbers = {name for name, kind in result.dag.nodes(data="kind") if kind == "continuous"}
    if given.dask is not None or given.out_of_core or values > MOST_VALUES or not numbers:
        return []
    from bnjit.report import check

    try:
        with quiet():  # learning has warned already
            report = check(given.table, discrete=names_of(given.discrete), progress=False)
    except BnjitError:  # the table has changed since
        return []
    return [str(one.column) for one in report.findings if one.problem == "few values" and one.column in numbers]


def arcs_without_a_score(given: argparse.Namespace, result: "Result") -> str | None:
    """What the rows say of arcs that no search can take; None for a table that is not small, or has gaps or weights."""
    many = result.n_rows is None or result.n_rows * len(result.dag) > MOST_VALUES
    if many or given.dask is not None or given.out_of_core or given.weights is not None or given.missing != "error":
        return None
    from bnjit.review.held_out import complete_rows
    from bnjit.review.impossible import impossible_arcs

    try:
        with quiet():
            said = impossible_arcs(result, complete_rows(result.dag, given.table))
    except BnjitError:  # the table has changed since
        return None
    return None if said is None else for_the_command_line(said)


def in_words(codes: list[str]) -> str:
    """What to type for columns that are levels.

    Examples
    --------
    >>> in_words(["season", "working day"])
    "few different whole numbers, taken as continuous: --discrete 'season,working day' for those that are levels"
    """
    return (
        f"few different whole numbers, taken as continuous: --discrete {shlex.quote(','.join(codes))} "
        f"{'for those that are levels' if len(codes) > 1 else 'if they are levels'}"
    )
