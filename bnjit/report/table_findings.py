"""The rules that concern several columns: gaps, relations, copies, and rows that are few or come twice."""

from collections.abc import Hashable, Iterator, Sequence

from bnjit.data.check import MIN_ROWS
from bnjit.report.column import NUMERIC
from bnjit.report.findings import ERROR, HINT, WARNING, Finding, is_discrete, quoted, share
from bnjit.report.summary import TableSummary, costliest
from bnjit.report.tuning import ENOUGH_COMPLETE, MOST_HASHED_ROWS, MOST_LEFT_OUT
from bnjit.report.values import DATES
from bnjit.stats.few_rows import few_rows
from bnjit.stats.relations import in_words, linear_relations
from bnjit.stats.tuning import ROWS_TO_RELATE

DROPPED = ("empty", "constant", "row number")  # whatever becomes of the other columns


def find_in_table(
    names: Sequence[Hashable], summary: TableSummary, declared: Sequence[bool], found: Sequence[Finding]
) -> Iterator[Finding]:
    """Everything that is found in several columns; `found` is what was found in single ones."""
    if not names:
        yield Finding(None, "empty", ERROR, "the table has no columns", "give one that has")
    if summary.n < MIN_ROWS:
        rows = f"the table has {summary.n} row{'s' if summary.n != 1 else ''}"
        yield Finding(None, "few rows", ERROR, rows, f"give at least {MIN_ROWS}")
        return
    gone = {one.position for one in found if one.problem in DROPPED}
    kept = [(column, d) for j, (column, d) in enumerate(zip(summary.columns, declared, strict=True)) if j not in gone]
    levels = [0 if not is_discrete(column, d) else 2 if column.distinct is None else max(2, len(column.distinct))
              for column, d in kept if is_discrete(column, d) or column.kind in (*NUMERIC, DATES)]  # fmt: skip
    words = few_rows(summary.n, levels)
    if words is not None:
        detail, _, remedy = words.partition(". ")
        yield Finding(None, "few rows", WARNING, detail, remedy)
    yield from _gaps(names, summary)
    yield from _copies(names, summary, declared, gone)
    yield from _relations(names, summary, gone)
    yield from _duplicates(summary)


def complete_in_words(names: Sequence[Hashable], summary: TableSummary) -> str:
    """Complete rows, and the few columns that cost most of them."""
    text = f"{share(summary.complete_rows, summary.n, 'rows')} are complete"
    left_out, complete = costliest(summary, names, ENOUGH_COMPLETE, MOST_LEFT_OUT)
    if left_out and complete > summary.complete_rows:
        quotes = [quoted(name) for name in left_out]
        listed = " and ".join([*([", ".join(quotes[:-1])] if len(quotes) > 1 else []), quotes[-1]])
        text += f"; without {listed} {complete:,} are"
    return text


def _gaps(names: Sequence[Hashable], summary: TableSummary) -> Iterator[Finding]:
    if summary.complete_rows < ENOUGH_COMPLETE * summary.n:
        remedy = 'drop the columns that cost most rows before missing="drop"'
        yield Finding(None, "incomplete rows", WARNING, complete_in_words(names, summary), remedy)


def _copies(
    names: Sequence[Hashable], summary: TableSummary, declared: Sequence[bool], gone: set[int | None]
) -> Iterator[Finding]:
    """Discrete columns that sort the rows into the same groups as one before them."""
    first: dict[bytes, Hashable] = {}
    for j, (name, column, is_declared) in enumerate(zip(names, summary.columns, declared, strict=True)):
        levels = column.distinct
        if levels is None or not is_discrete(column, is_declared) or j in gone or column.there < ROWS_TO_RELATE:
            continue
        digest = levels.digest
        if digest is None or column.all_different:
            continue
        if digest in first:
            detail = f"{quoted(name)} repeats {quoted(first[digest])}, under other names or the same"
            yield Finding(name, "copy", WARNING, detail, "drop one of them", j)
        else:
            first[digest] = name


def _relations(names: Sequence[Hashable], summary: TableSummary, gone: set[int | None]) -> Iterator[Finding]:
    """Continuous columns that are linear in others."""
    moments = summary.moments
    at = [i for i, j in enumerate(moments.columns) if j not in gone]
    columns = [moments.columns[i] for i in at]
    if len(columns) < 2:
        return
    for relation in linear_relations(moments.n, moments.means[at], moments.cross[at][:, at]):
        j = columns[relation.column]
        detail = in_words(relation, [names[i] for i in columns])
        yield Finding(names[j], "linear relation", WARNING, detail, "drop one, or either may lose its arcs", j)


def _duplicates(summary: TableSummary) -> Iterator[Finding]:
    """Rows that come twice, which is no wonder unless something is measured."""
    repeated = summary.duplicated_rows
    if not repeated or not any(column.kind == "numbers" and not column.numbers.whole for column in summary.columns):
        return
    among = f" of the first {MOST_HASHED_ROWS:,}" if summary.hashed_rows < summary.n else ""
    detail = f"{repeated:,}{among} row{'s repeat' if repeated > 1 else ' repeats'} another one in every column"
    remedy = f"drop {'them if they were' if repeated > 1 else 'it if it was'} entered twice"
    yield Finding(None, "duplicate rows", HINT, detail, remedy)
