"""The rules: what stands in the way of learning from a column, or misleads it, and what to do."""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from bnjit.data.check import LEAST_DEVIATION
from bnjit.data.levels import FEW_ROWS
from bnjit.data.numbering import are_years, is_identifier_name, is_unnamed
from bnjit.data.tuning import NUMBERING_ROWS
from bnjit.report.column import NUMERIC, ColumnSummary
from bnjit.report.measure_texts import measure_text
from bnjit.report.tuning import FEW_VALUES, MANY_LEVELS, NEARLY_ALL, ROWS_PER_LEVEL
from bnjit.report.values import (
    BOOLEANS,
    CATEGORIES,
    DATES,
    DECIMALS,
    DURATIONS,
    INTEGERS,
    LARGE,
    MIXED,
    NO_COLUMN,
    NOTHING,
    TEXT,
    TIMES,
)

ERROR, WARNING, HINT = SEVERITIES = ("error", "warning", "hint")
_TEMPORAL = {DATES: "dates", TIMES: "times of day", DURATIONS: "durations"}


class Finding(NamedTuple):
    """Something that was found.

    Attributes
    ----------
    column : hashable
        Name of the column; None for what concerns the whole table.
    problem : str
        A short word for it, always the same.
    severity : str
        "error" stops learning, "warning" misleads it, "hint" is worth a thought.
    detail, remedy : str
        What was seen, and what to do.
    position : int, optional
        Which column it is: names may come twice.
    """

    column: Hashable
    problem: str
    severity: str
    detail: str
    remedy: str
    position: int | None = None


def quoted(name: Hashable) -> str:
    """A column's name in a sentence."""
    return f"`{name}`"


def share(count: int, n: int, what: str) -> str:
    """A number of rows, and which part of all it is.

    >>> share(91, 300, "values")
    '91 of 300 values (30%)'
    """
    return f"{count:,} of {n:,} {what} ({percent(count / max(1, n))})"


def percent(part: float) -> str:
    """A part of all in percent; only all is 100%.

    >>> percent(0.304), percent(0.0075), percent(1457 / 1458), percent(1.0)
    ('30%', '0.75%', '>99%', '100%')
    """
    if 0.99 < part < 1.0:
        return ">99%"
    return f"{100 * part:.0f}%" if part >= 0.1 else f"{100 * part:.2g}%"


def is_no_name(name: Hashable) -> bool:
    """Whether learning refuses a name."""
    return name is None or str(name) == "nan"


def is_discrete(column: ColumnSummary, is_declared: bool) -> bool:
    """Whether a column has levels."""
    return column.kind in (TEXT, CATEGORIES, BOOLEANS) or (is_declared and column.kind in NUMERIC)


def kind_in_words(column: ColumnSummary, is_declared: bool) -> str:
    """What learning takes a column for."""
    if is_discrete(column, is_declared):
        return "discrete"
    return "continuous" if column.kind in NUMERIC else "unusable"


def find_in_columns(
    names: Sequence[Hashable], columns: Sequence[ColumnSummary], declared: Sequence[bool]
) -> list[Finding]:
    """Everything that is found in single columns, in column order."""
    found: list[Finding] = []
    times = Counter(names)
    seen: Counter[Hashable] = Counter()
    for j, (name, column, is_declared) in enumerate(zip(names, columns, declared, strict=True)):
        seen[name] += 1
        some = [*_in_name(name, j, seen[name] if times[name] > 1 else 0), *_in_values(name, column, is_declared)]
        found += [one._replace(position=j) for one in some]
    return found


def _in_name(name: Hashable, j: int, occurrence: int) -> Iterator[Finding]:
    if is_no_name(name) or is_unnamed(name):
        severity = ERROR if is_no_name(name) else WARNING
        detail = f"column {j + 1} is called {name!r}, like the index of a table that was saved with it"
        yield Finding(name, "unnamed", severity, detail, "drop it, or give it a name")
    if occurrence > 1:
        detail = f"{quoted(name)} is also the name of a column before it"
        yield Finding(name, "duplicate name", ERROR, detail, "rename it")


def _in_values(name: Hashable, column: ColumnSummary, is_declared: bool) -> Iterator[Finding]:
    kind, own = column.kind, quoted(name)
    numbers = column.numbers
    if not column.n:
        return
    if kind == NOTHING or (kind in NUMERIC and not numbers.n):
        what = f"{own} has no values at all" if kind == NOTHING else f"{own} has no finite value"
        yield Finding(name, "empty", ERROR, what, "drop it")
        return
    if column.missing:
        what = f"{own} lacks {share(column.missing, column.n, 'values')}"
        yield Finding(name, "missing", ERROR, what, 'missing="em" fills them, missing="drop" leaves out these rows')
    if kind == MIXED:
        what = f"{own} mixes the types {column.type}"
        yield Finding(name, "mixed types", ERROR, what, "convert it to one type, or drop it")
    elif kind in _TEMPORAL:
        yield _temporal(name, column)
    elif kind == DECIMALS:
        holds = LARGE if LARGE in column.kinds.values() else f"decimal numbers, of type {column.type}"
        what = f"{own} holds {holds}"
        yield Finding(name, "type", ERROR, what, "convert it to floating-point numbers")
    elif is_discrete(column, is_declared):
        yield from _in_levels(name, column, is_declared)
    elif kind in NUMERIC:
        yield from _in_numbers(name, column)
    elif kind == NO_COLUMN:
        what = f"{own} is {column.type}, not a column"
        yield Finding(name, "type", ERROR, what, "give a value for each row, or drop it")
    else:
        what = f"{own} has type {column.type}, which holds neither numbers nor levels"
        yield Finding(name, "type", ERROR, what, "convert it to numbers or text, or drop it")


def _temporal(name: Hashable, column: ColumnSummary) -> Finding:
    detail = f"{quoted(name)} holds {_TEMPORAL[column.kind]}"
    if column.kind == DURATIONS:
        return Finding(name, "date", ERROR, detail, "convert it to a number, such as seconds")
    parts = ("hour",) if column.kind == TIMES else column.dates.parts if column.dates is not None else ()
    remedy = f"split it into columns ({', '.join(parts)})" if parts else "drop it: it never varies"
    return Finding(name, "date", ERROR, detail, remedy)


def is_date_text(column: ColumnSummary) -> bool:
    """Whether all texts look like ISO dates."""
    return column.kind == TEXT and column.there > 0 and column.texts.dates == column.there


def is_number_text(column: ColumnSummary) -> bool:
    """Whether all texts are numbers, with a decimal point or what can only be a decimal comma."""
    texts = column.texts
    if column.kind != TEXT or not column.there:
        return False
    return column.there == texts.numbers or (texts.commas > 0 and texts.numerals - texts.thousands == column.there)


def is_decimal_text(column: ColumnSummary) -> bool:
    """Whether all texts are numbers, and some have decimals: they measure something."""
    return is_number_text(column) and (column.texts.fractions or column.texts.commas > 0)


def is_flag(column: ColumnSummary) -> bool:
    """Whether a column has one value, and gaps that may stand for another one."""
    if not (column.missing and column.there):
        return False
    if column.kind in NUMERIC:
        return column.numbers.least == column.numbers.most
    return column.distinct is not None and len(column.distinct) == 1 and not column.distinct.is_full


def _constant(name: Hashable, column: ColumnSummary, what: str) -> Finding:
    if is_flag(column):
        remedy = "missing may mean no: fill it with fillna, or drop it"
        return Finding(name, "constant", WARNING, f"{quoted(name)} {what} wherever it has a value", remedy)
    return Finding(name, "constant", WARNING, f"{quoted(name)} {what} in every row", "drop it")


def _in_levels(name: Hashable, column: ColumnSummary, is_declared: bool) -> Iterator[Finding]:
    own, levels, there = quoted(name), column.distinct, column.there
    assert levels is not None
    if is_declared and column.numbers.infinite:
        yield _infinite(name, column)
    if len(levels) == 1 and column.n > 1:
        label = next(iter(column.labels), "")
        yield _constant(name, column, f"has one level, {label!r},")
    is_identifier = column.all_different and there >= FEW_ROWS
    measure = measure_text(name, column)
    if is_identifier and measure is not None:
        what = f"{own} has {there:,} texts, all different, that hold {measure.seen}"
        yield Finding(name, "identifier", ERROR, what, f"convert it: {measure.way_out}")
        return
    if is_identifier:
        what = f"{own} has {there:,} values, all different, like an identifier"
        yield Finding(name, "identifier", ERROR, what, "drop it, or make it a number")
    if measure is not None:
        what = f"{own} is text that holds {measure.seen}"
        yield Finding(name, measure.problem, HINT, what, f"convert it: {measure.way_out}")
    elif is_date_text(column):
        what = f"{own} is text that holds dates, like {next(iter(column.labels), '')!r}"
        yield Finding(name, "date", HINT, what, "convert it to dates, and split them into year, month, weekday, hour")
    elif is_number_text(column):
        comma = " with a decimal comma" if column.texts.commas else ""
        what = f"{own} is text that holds numbers{comma}, like {next(iter(column.labels), '')!r}"
        yield Finding(name, "number as text", HINT, what, "convert it to numbers if it measures something")
    elif column.kind == TEXT and column.texts.odd is not None and column.texts.numerals >= NEARLY_ALL * there:
        what = f"{own} is text that holds numbers, but for texts like {column.texts.odd!r}"
        yield Finding(
            name, "number as text", HINT, what, "if it measures something, make these missing, the rest numbers"
        )
    elif column.kind in (TEXT, CATEGORIES) and not is_identifier and (
        levels.is_full or (len(levels) >= MANY_LEVELS and there < ROWS_PER_LEVEL * len(levels))
    ):  # fmt: skip
        what = f"{own} has {level_count(column)} levels in {there:,} rows"
        yield Finding(name, "many levels", HINT, what, "put rare levels together, or drop it")


def level_count(column: ColumnSummary) -> str:
    """How many levels there are, in words."""
    levels = column.distinct
    assert levels is not None
    return f"more than {levels.most:,}" if levels.is_full else f"{len(levels):,}"


def _infinite(name: Hashable, column: ColumnSummary) -> Finding:
    what = f"{quoted(name)} is infinite in {share(column.numbers.infinite, column.n, 'rows')}"
    return Finding(name, "infinite", ERROR, what, "make them missing, or drop the column")


def _in_numbers(name: Hashable, column: ColumnSummary) -> Iterator[Finding]:
    own, numbers = quoted(name), column.numbers
    if numbers.infinite:
        yield _infinite(name, column)
    if not (math.isfinite(numbers.mean) and math.isfinite(numbers.square)):
        size = max(abs(numbers.least), abs(numbers.most))
        yield Finding(name, "too large", ERROR, f"{own} has values up to {size:g}, too large to square", "rescale it")
        return
    deviation = math.sqrt(numbers.square / max(1, numbers.n - 1))
    if column.n > 1 and numbers.least == numbers.most:
        yield _constant(name, column, f"is {numbers.least:g}")
    elif column.n > 1 and deviation <= LEAST_DEVIATION * abs(numbers.mean):
        what = f"{own} varies by {deviation:g} around {numbers.mean:g} only: no digits are left in which values differ"
        yield Finding(name, "constant", WARNING, what, "subtract the mean before it is written, or drop it")
    elif column.kind == INTEGERS and column.all_different and column.there >= NUMBERING_ROWS:
        yield _numbering(name, column)
    elif (
        numbers.whole and column.distinct is not None and not column.distinct.is_full
        and len(column.distinct) <= FEW_VALUES and numbers.n >= NUMBERING_ROWS
    ):  # fmt: skip
        what = f"{own} has {len(column.distinct)} different whole numbers, taken as continuous"
        yield Finding(name, "few values", HINT, what, f"discrete=[{name!r}] if they are levels")


def _numbering(name: Hashable, column: ColumnSummary) -> Finding:
    own, numbers = quoted(name), column.numbers
    called, years = is_identifier_name(name), are_years(numbers.least, numbers.most)
    if numbers.by_one and not column.missing and (called or not years):
        what = f"{own} goes up by one from row to row, from {numbers.first:.0f} on"
        return Finding(name, "row number", WARNING, what, "drop it")
    what = f"{own} has {column.there:,} integers, all different"
    if called:
        what += ", like an identifier, and it is called so"
        return Finding(name, "identifier", WARNING, what, "drop it")
    if numbers.ascending:
        what += " and ascending"
    return Finding(name, "identifier", HINT, what, "drop it if it is an identifier and measures nothing")
