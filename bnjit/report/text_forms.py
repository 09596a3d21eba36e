"""Texts that stand for numbers or dates, told by their form."""

import re
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bnjit.report.values import Values

DATE_TEXT = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?Z?)?$"
NUMBER_TEXT = r"^\s*[-+]?(\d{1,30}\.?\d*|\.\d+)([eE][-+]?\d{1,2})?\s*$"
COMMA_TEXT = r"^\s*[-+]?\d{1,30},\d+\s*$"
GROUPED_TEXT = r"^\s*[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?\s*$"  # after a zero, a comma is a decimal one

_SIGNS = "[$\u20ac\u00a3\u00a5]"
_AMOUNT = r"(\d+|\d{1,3}(,\d{3})+)(\.\d+)?"
_DAY = r"(0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?i:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)"
_YEAR = r"[12]\d{3}"
MEASURE_TEXTS = {
    "currency": rf"^\s*[-+]?({_SIGNS}\s*[-+]?{_AMOUNT}|{_AMOUNT}\s*{_SIGNS})\s*$",
    "percent": r"^\s*[-+]?(\d+(\.\d*)?|\.\d+|\d+,\d{1,2})\s*%\s*$",
    "day": rf"^({_DAY}/{_DAY}/(\d{{4}}|\d\d)|{_DAY}\.{_DAY}\.\d{{4}}|{_DAY}-{_DAY}-\d{{4}})( \d\d?:\d\d(:\d\d)?)?$",
    "month": rf"^({_YEAR}[-/ ](0[1-9]|1[0-2]|{_MONTH})|{_MONTH}[-/ ]{_YEAR})$",
    "quarter": rf"^{_YEAR}[- ]?Q[1-4]$",
}


class TextForms(NamedTuple):
    """How many rows have texts of some form, and what they look like.

    Attributes
    ----------
    numbers : int
        Numbers without a comma.
    commas, either, thousands : int
        Numbers whose comma is a decimal one, may be either, or separates thousands.
    dates : int
        Dates of the form of ISO 8601.
    currency, percent, day, month, quarter : int
        Amounts of money, percentages, dates with day, month and year, months of years, and quarters of years.
    fractions : bool
        Whether a number has a decimal point.
    odd, comma, measure : str, optional
        A text that is no number, one with a comma, and one of the last forms.
    """

    numbers: int = 0
    commas: int = 0
    either: int = 0
    thousands: int = 0
    dates: int = 0
    currency: int = 0
    percent: int = 0
    day: int = 0
    month: int = 0
    quarter: int = 0
    fractions: bool = False
    odd: str | None = None
    comma: str | None = None
    measure: str | None = None

    @property
    def numerals(self) -> int:
        """Rows with a number, whatever a comma in it means."""
        return self.numbers + self.commas + self.either + self.thousands

    def merged(self, other: "TextForms") -> "TextForms":
        """Texts of these rows and of those that follow."""
        both: dict[str, Any] = {}
        for name in self._fields:
            mine, theirs = getattr(self, name), getattr(other, name)
            both[name] = mine + theirs if name in COUNTS else mine or theirs
        return TextForms(**both)


COUNTS = ("numbers", "commas", "either", "thousands", "dates", *MEASURE_TEXTS)


def sum_up_texts(values: Values) -> TextForms:
    """Forms of the texts of a batch."""
    labels = pa.array(values.labels, pa.large_string())
    counts = np.bincount(values.rows[~values.missing], minlength=len(labels))
    number, comma, grouped, date = (
        np.asarray(pc.match_substring_regex(labels, pattern), bool)
        for pattern in (NUMBER_TEXT, COMMA_TEXT, GROUPED_TEXT, DATE_TEXT)
    )
    forms = (number, comma & ~grouped, comma & grouped, grouped & ~comma, date)
    odd, with_comma = (_first(values.labels, where) for where in (~(number | comma | grouped), comma | grouped))
    found: dict[str, Any] = {
        form: int(counts.sum()) for form, pattern in MEASURE_TEXTS.items() if _all_match(values.labels, labels, pattern)
    }
    measure = values.labels[0] if found else None
    found |= {name: int(counts[form].sum()) for name, form in zip(COUNTS[:5], forms, strict=True)}
    fractions = bool(np.asarray(pc.match_substring(labels, "."), bool)[number].any())
    return TextForms(**found, fractions=fractions, odd=odd, comma=with_comma, measure=measure)


def _first(texts: list[str], where: NDArray[np.bool_]) -> str | None:
    return texts[int(np.argmax(where))] if where.any() else None


def _all_match(texts: list[str], labels: pa.Array, pattern: str) -> bool:
    """Whether all texts have a form; most columns are done after their first text."""
    if not texts or re.search(pattern, texts[0]) is None:
        return False
    return bool(np.asarray(pc.match_substring_regex(labels, pattern), bool).all())
