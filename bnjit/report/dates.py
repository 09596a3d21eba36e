"""Dates and times of day, summed up: from when to when, and which years, months, weekdays and hours there are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DAY = 24 * 60 * 60 * 1_000_000  # in microseconds
THURSDAY = 3  # 1 January 1970


class Dates(NamedTuple):
    """What dates there are; parts are sets of small numbers.

    Attributes
    ----------
    first, last : int
        Microseconds since 1970.
    years : tuple of int
        The first and the last.
    months, weekdays, hours : frozenset of int
        Those that occur, counting from 0.
    """

    first: int
    last: int
    years: tuple[int, int]
    months: frozenset[int]
    weekdays: frozenset[int]
    hours: frozenset[int]

    def merged(self, other: "Dates") -> "Dates":
        """Dates of the rows of both."""
        return Dates(
            min(self.first, other.first),
            max(self.last, other.last),
            (min(self.years[0], other.years[0]), max(self.years[1], other.years[1])),
            self.months | other.months,
            self.weekdays | other.weekdays,
            self.hours | other.hours,
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts of the dates that vary."""
        found = {
            "year": self.years[0] != self.years[1],
            "month": len(self.months) > 1,
            "weekday": len(self.weekdays) > 1,
            "hour": len(self.hours) > 1,
        }
        return tuple(part for part, varies in found.items() if varies)

    def __str__(self) -> str:
        first, last = (np.datetime_as_string(np.datetime64(at, "us"), "D") for at in (self.first, self.last))
        return f"{first} to {last}"


def months_of(microseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Months from 0 to 11."""
    return microseconds.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64) % 12


def years_of(microseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Years of the calendar."""
    return microseconds.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + 1970


def weekdays_of(microseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Weekdays from 0 for Monday to 6."""
    return (microseconds // DAY + THURSDAY) % 7


def hours_of(microseconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Hours of the day from 0 to 23."""
    return microseconds // (DAY // 24) % 24


def sum_up_dates(microseconds: NDArray[np.int64]) -> Dates | None:
    """Dates of a batch; None if there is none."""
    if not len(microseconds):
        return None
    years = years_of(microseconds)
    return Dates(
        int(microseconds.min()),
        int(microseconds.max()),
        (int(years.min()), int(years.max())),
        _members(months_of(microseconds)),
        _members(weekdays_of(microseconds)),
        _members(hours_of(microseconds)),
    )


def _members(numbers: NDArray[np.int64]) -> frozenset[int]:
    return frozenset(np.unique(numbers).tolist())
