"""What becomes of each column of a prepared table, decided from what was found, before any row is read again."""

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from bnjit.data.numbering import is_unnamed
from bnjit.report.column import NUMERIC, ColumnSummary
from bnjit.report.dates import Dates
from bnjit.report.findings import (
    ERROR,
    HINT,
    Finding,
    is_date_text,
    is_decimal_text,
    is_discrete,
    is_flag,
    is_no_name,
    quoted,
)
from bnjit.report.values import DATES, DECIMALS, DURATIONS, LARGE, MIXED, NO_COLUMN, OTHER, TIMES

KEEP, DROP, SPLIT, NUMBER, LEVELS = "keep", "drop", "split", "number", "levels"


class Remedy(NamedTuple):
    """What becomes of a column.

    Attributes
    ----------
    what : str
        KEEP it, DROP it, SPLIT dates into parts, make it a NUMBER, or make numbers LEVELS.
    names : tuple
        Columns that are made of it.
    parts : tuple of str
        Parts of dates, one for each name.
    dates : Dates, optional
        Which parts there are.
    divisor : float
        What numbers are divided by.
    """

    what: str
    names: tuple[Hashable, ...]
    parts: tuple[str, ...] = ()
    dates: Dates | None = None
    divisor: float = 1.0


def plan_remedies(
    names: Sequence[Hashable], columns: Sequence[ColumnSummary], declared: Sequence[bool], found: Sequence[Finding]
) -> tuple[list[Remedy], list[str]]:
    """A remedy for each column, and a sentence for everything that is done."""
    remedies: list[Remedy] = []
    said: list[str] = []
    taken = {name for name in names if not (is_no_name(name) or is_unnamed(name))}
    used: set[Hashable] = set()

    def unused(name: Hashable, is_own: bool) -> Hashable:
        """The name itself, or with a number that makes it one of its own; one that is new must be no column's."""
        new, number = name, 1
        while new in used or (new in taken and not (is_own and new == name)):
            number += 1
            new = f"{name}_{number}"
        used.add(new)
        return new

    for j, (name, column, is_declared) in enumerate(zip(names, columns, declared, strict=True)):
        problems = {one.problem: one for one in found if one.position == j}
        chosen, sentence = _choose(name, column, is_declared, problems)
        if chosen.what == DROP:
            said.append(f"dropped {_called(name, j)}, which {sentence.removeprefix(quoted(name)).lstrip()}")
            remedies.append(chosen)
            continue
        is_new = is_no_name(name) or is_unnamed(name)
        own = f"column_{j + 1}" if is_new else name
        if chosen.what == SPLIT:
            made = tuple(unused(f"{own}_{part}", False) for part in chosen.parts)
            said.append(f"split {_called(name, j)} into {', '.join(map(quoted, made))}")
        else:
            made = (unused(own, not is_new),)
            if sentence:
                said.append(f"{_called(name, j)}: {sentence}")
            if made[0] != name or is_new:
                said.append(f"called {_called(name, j)} {quoted(made[0])}")
        remedies.append(chosen._replace(names=made))
    return remedies, said


def _called(name: Hashable, j: int) -> str:
    return f"column {j + 1}" if is_no_name(name) or is_unnamed(name) else quoted(name)


def _choose(
    name: Hashable, column: ColumnSummary, is_declared: bool, problems: dict[str, Finding]
) -> tuple[Remedy, str]:
    """What becomes of a column, and what is said of it; its names come later."""
    kind = column.kind
    fatal = _fatal(name, column, problems)
    if fatal is not None:
        return Remedy(DROP, ()), fatal
    if kind == DATES or is_date_text(column):
        assert column.dates is not None
        return Remedy(SPLIT, (), column.dates.parts, column.dates), ""
    if kind in (TIMES, DURATIONS, DECIMALS):
        return _measured(column)
    if is_decimal_text(column):
        return Remedy(NUMBER, ()), "text became numbers"
    return _kept(column, is_declared, problems)


def _fatal(name: Hashable, column: ColumnSummary, problems: dict[str, Finding]) -> str | None:
    """Why a column is dropped; None if it is not."""
    is_measured = is_date_text(column) or is_decimal_text(column)
    numbering = () if is_measured else ("row number", "identifier")
    types = ("mixed types", "type") if column.kind in (MIXED, OTHER, NO_COLUMN) else ()
    constant = () if is_flag(column) else ("constant",)
    for problem in ("empty", *constant, *types, *numbering):
        one = problems.get(problem)
        if one is not None and (one.severity != HINT or "unnamed" in problems):
            return one.detail
    if (column.kind == DATES or is_date_text(column)) and not (column.dates and column.dates.parts):
        return "has dates whose year, month, weekday and hour never vary"
    if column.kind in (TIMES, DURATIONS, DECIMALS) and column.numbers.least >= column.numbers.most:
        is_large = LARGE in column.kinds.values()
        return "has integers that are all the same in floating-point" if is_large else "never varies"
    return None


def _measured(column: ColumnSummary) -> tuple[Remedy, str]:
    """Times of day, durations and decimal numbers."""
    if column.kind == TIMES:
        return Remedy(SPLIT, (), ("hour",)), ""
    what = "large integers" if LARGE in column.kinds.values() else "decimal numbers"
    words = "durations became seconds" if column.kind == DURATIONS else f"{what} became floating-point ones"
    return Remedy(NUMBER, (), divisor=_divisor(column)), words


def _kept(column: ColumnSummary, is_declared: bool, problems: dict[str, Finding]) -> tuple[Remedy, str]:
    words = []
    if "infinite" in problems:
        words.append(f"{column.numbers.infinite:,} infinite values became missing")
    if is_discrete(column, is_declared) and column.kind in NUMERIC:
        return Remedy(LEVELS, ()), "; ".join([*words, "numbers became levels"])
    if "too large" in problems:
        words.append(f"divided by {_divisor(column):g}")
        return Remedy(NUMBER, (), divisor=_divisor(column)), "; ".join(words)
    return Remedy(NUMBER if words else KEEP, ()), "; ".join(words)


def _divisor(column: ColumnSummary) -> float:
    """A power of ten that makes numbers small enough to square, 1 for those that are."""
    size = max(abs(column.numbers.least), abs(column.numbers.most))
    return 1.0 if math.isfinite(column.numbers.square) else 10.0 ** math.floor(math.log10(size))


def stops(found: Sequence[Finding]) -> list[Finding]:
    """What learning stops for."""
    return [one for one in found if one.severity == ERROR]
