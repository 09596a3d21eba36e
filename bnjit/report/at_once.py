"""One error that names every column which cannot be used, in place of one error after the other."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from bnjit.data.complete import NoCompleteRowError
from bnjit.data.gaps import GapRule
from bnjit.data.schema import Schema
from bnjit.errors import BnjitError, ColumnError, DataError, quiet
from bnjit.report.findings import Finding, percent
from bnjit.report.report import Report
from bnjit.report.tuning import SHOWN_PROBLEMS

DROP_ROWS = 'missing="drop" leaves out rows with gaps, "available" uses what is there, "em" fills them'
WAYS_OUT = "bnjit.check(data) shows every column, and its prepared() the table with remedies"


@contextmanager
def all_problems_at_once(
    data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any,
    out_of_core: bool | None, weights: Any = None, gaps: GapRule = "refuse",
) -> Iterator[None]:  # fmt: skip
    """Check the whole table when a column cannot be used, and raise one error that lists all such columns.

    Where there is one only, the error stays as it is, with the ways out. Nothing is read unless there is an error.
    Where gaps are not refused they stand in nobody's way, unless their rows are dropped and no row is complete,
    which is then said first.
    """
    try:
        yield
    except ColumnError as error:
        if isinstance(data, Schema) or isinstance(getattr(data, "schema", None), Schema):
            raise
        message = _message(error, data, discrete, names, max_memory, out_of_core, gaps)
        if message is None:
            raise
        raise DataError(message) from None


def _message(
    error: ColumnError, data: Any, discrete: Iterable[Hashable], names: Sequence[Hashable] | None, max_memory: Any,
    out_of_core: bool | None, gaps: GapRule,
) -> str | None:  # fmt: skip
    from bnjit.report.checking import check

    try:
        with quiet():  # reading has warned already
            report = check(
                data, discrete=discrete, names=names, max_memory=max_memory, out_of_core=out_of_core, progress=False
            )
    except BnjitError:  # the first error says more
        return None
    stopping = [one for one in report.findings if one.severity == "error" and one.position is not None
                and not (gaps != "refuse" and one.problem == "missing")]  # fmt: skip
    if isinstance(error, NoCompleteRowError):
        return _no_row_is_complete(error, report, stopping)
    if not stopping:  # the error is of other rows, such as test rows
        return None
    if len({one.position for one in stopping}) == 1:
        return _one_column(error, report, stopping)
    return listing(report, stopping)


def _no_row_is_complete(error: ColumnError, report: Report, stopping: Sequence[Finding]) -> str | None:
    """What is wrong besides gaps, after the word that nothing is left without them; None if other rows are meant."""
    if report.complete_rows:
        return None
    if not stopping:
        return f"{error}; {WAYS_OUT}"
    return f"{error}.\n{listing(report, stopping)}"


def _one_column(error: ColumnError, report: Report, stopping: Sequence[Finding]) -> str:
    """The error of the only column that stops learning, with what helps against it."""
    problems = {one.problem for one in stopping}
    if "empty" in problems:
        empty = next(one for one in stopping if one.problem == "empty")
        return f"{empty.detail}: {empty.remedy}; {WAYS_OUT}"
    if problems != {"missing"}:
        return f"{error}; {WAYS_OUT}"
    complete, n = report.complete_rows, report.n_rows  # other columns have no gaps, or they would stop learning too
    gaps = f"{percent(1 - complete / n)} of its values are missing, {complete:,} of {n:,} rows are complete"
    return f"{error}; {gaps}; {DROP_ROWS}; {WAYS_OUT}"


def listing(report: Report, stopping: Sequence[Finding]) -> str:
    """All columns that stop learning, a line for each; the rows that would remain; the ways out."""
    by_column: dict[int, list[Finding]] = {}
    for one in stopping:
        assert one.position is not None
        by_column.setdefault(one.position, []).append(one)
    lines = [f"  {'; '.join(one.detail for one in by_column[j])}" for j in sorted(by_column)]
    if len(lines) > SHOWN_PROBLEMS:
        lines[SHOWN_PROBLEMS:] = [f"  ... and {len(lines) - SHOWN_PROBLEMS:,} more columns"]
    text = [f"{len(by_column):,} of {report.n_columns:,} columns cannot be used as they are:", *lines]
    if any({one.problem for one in some} == {"missing"} for some in by_column.values()):  # gaps and nothing else
        text.append(f"{report.complete_in_words}.")
        text.append(f"{DROP_ROWS}. {WAYS_OUT}." if report.complete_rows else f"{WAYS_OUT}.")
    else:
        text.append(f"{WAYS_OUT}.")
    return "\n".join(text)
