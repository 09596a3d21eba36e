"""Texts that stand for measures but are not converted without a word of the user: what is said of them."""

from collections.abc import Hashable
from typing import NamedTuple

from bnjit.report.column import ColumnSummary
from bnjit.report.values import TEXT


class MeasureText(NamedTuple):
    """What texts stand for: a short word for the problem, what was seen, and the way out with pandas."""

    problem: str
    seen: str
    way_out: str


def measure_text(name: Hashable, column: ColumnSummary) -> MeasureText | None:
    """Say what the texts of a column stand for; None if there are other texts, or they can be converted safely."""
    texts, there = column.texts, column.there
    if column.kind != TEXT or not there:
        return None
    own = f"data[{name!r}]"
    if texts.thousands + texts.either and texts.numerals - texts.commas == there:
        return _with_commas(own, column)
    like = f"like {texts.measure!r}"
    money = f'{own}.str.replace(r"[^\\d.-]", "", regex=True).astype(float), if commas separate thousands'
    shares = f'{own}.str.rstrip("% ").str.replace(",", ".").astype(float)'
    days = f"pd.to_datetime({own}, dayfirst=True), or dayfirst=False if the month comes first"
    months = f'pd.PeriodIndex({own}, freq="M").to_timestamp()'
    quarters = f'pd.PeriodIndex({own}.str.replace(" ", ""), freq="Q").to_timestamp()'
    for rows, found in (
        (texts.currency, MeasureText("number as text", f"amounts of money, {like}", money)),
        (texts.percent, MeasureText("number as text", f"percentages, {like}", shares)),
        (texts.day, MeasureText("date", f"dates with day, month and year, {like}", days)),
        (texts.month, MeasureText("date", f"months of years, {like}", months)),
        (texts.quarter, MeasureText("date", f"quarters of years, {like}", quarters)),
    ):
        if rows == there:
            return found
    return None


def _with_commas(own: str, column: ColumnSummary) -> MeasureText:
    like = f"like {column.texts.comma!r}"
    thousands, decimals = (f'{own}.str.replace(",", "{mark}").astype(float)' for mark in ("", "."))
    if column.texts.thousands:  # several commas, or a decimal point as well
        return MeasureText("number as text", f"numbers with thousands separators, {like}", thousands)
    seen = f"numbers whose comma separates thousands or decimals, {like}"
    return MeasureText("number as text", seen, f"for thousands {thousands}, for decimals {decimals}")
