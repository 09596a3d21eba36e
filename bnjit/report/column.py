"""What is known of a column after some of its rows; summaries of batches merge in row order."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnjit.report.dates import Dates, sum_up_dates
from bnjit.report.distinct import Distinct
from bnjit.report.text_forms import TextForms, sum_up_texts
from bnjit.report.tuning import FEW_VALUES, LABELS_KEPT
from bnjit.report.values import (
    BOOLEANS,
    CATEGORIES,
    DATES,
    DECIMALS,
    DURATIONS,
    INTEGERS,
    MIXED,
    NOTHING,
    NUMBERS,
    TEXT,
    TIMES,
    Values,
)

NUMERIC = (NUMBERS, INTEGERS)
LONG_PERIODS = ("period[Y", "period[A", "period[Q", "period[M")  # that have no weekday
MEASURED = (NUMBERS, INTEGERS, DECIMALS, DURATIONS, TIMES)


@dataclass
class Numbers:
    """Finite numbers, summed up; `whole` says whether all are whole, `ascending` whether each exceeds the last."""

    n: int = 0
    infinite: int = 0
    mean: float = 0.0
    square: float = 0.0  # sum of squares around the mean
    least: float = np.inf
    most: float = -np.inf
    whole: bool = True
    ascending: bool = True
    by_one: bool = True
    first: float = 0.0
    last: float = 0.0

    def merged(self, other: "Numbers") -> "Numbers":
        """Numbers of these rows and of those that follow."""
        n = self.n + other.n
        if not (self.n and other.n):
            some = self if self.n else other
            return Numbers(**{**some.__dict__, "infinite": self.infinite + other.infinite})
        with np.errstate(over="ignore", invalid="ignore"):
            gap = np.float64(other.mean) - self.mean
            mean = float(self.mean + gap * (other.n / n))
            square = float(self.square + other.square + gap * gap * (self.n * other.n / n))
        return Numbers(
            n, self.infinite + other.infinite, mean, square, min(self.least, other.least), max(self.most, other.most),
            self.whole and other.whole, self.ascending and other.ascending and other.first > self.last,
            self.by_one and other.by_one and other.first == self.last + 1, self.first, other.last,
        )  # fmt: skip


def sum_up_numbers(rows: NDArray[Any]) -> Numbers:
    """Numbers of a batch; NaN is left out."""
    finite = rows[np.isfinite(rows)] if rows.dtype.kind == "f" else rows
    infinite = int(np.isinf(rows).sum()) if rows.dtype.kind == "f" and len(finite) < len(rows) else 0
    if not len(finite):
        return Numbers(infinite=infinite)
    numbers = finite.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(numbers.mean())
        square = float(((numbers - mean) ** 2).sum()) if np.isfinite(mean) else np.inf
        steps = np.diff(finite) if finite.dtype.kind == "i" else np.diff(numbers)
        return Numbers(
            len(numbers), infinite, mean, square, float(numbers.min()), float(numbers.max()),
            rows.dtype.kind != "f" or bool((numbers == np.rint(numbers)).all()),
            bool((finite[1:] > finite[:-1]).all()), bool((steps == 1).all()), float(numbers[0]), float(numbers[-1]),
        )  # fmt: skip


def parse_dates(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Microseconds since 1970 of texts that look like ISO dates, and which of them are dates."""
    import pandas as pd

    found = pd.to_datetime(pd.Series(texts, dtype=object), format="ISO8601", errors="coerce", utc=True)
    at = found.dt.tz_localize(None).to_numpy("datetime64[us]")
    return np.where(np.isnat(at), 0, at.astype(np.int64)), ~np.isnat(at)


@dataclass
class ColumnSummary:
    """What is known of a column.

    Attributes
    ----------
    n, missing : int
        Rows, and those without a value.
    kinds : dict
        Kinds that were seen, and the type of each as a user knows it.
    distinct : Distinct, optional
        Different values, if they are levels or integers; of numbers, as long as they are few.
    labels : dict
        Some of the levels, in the order in which they came.
    """

    n: int = 0
    missing: int = 0
    kinds: dict[str, str] = field(default_factory=dict)
    distinct: Distinct | None = None
    labels: dict[Hashable, None] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=Numbers)
    texts: TextForms = field(default_factory=TextForms)
    dates: Dates | None = None

    @property
    def there(self) -> int:
        """Rows with a value."""
        return self.n - self.missing

    @property
    def kind(self) -> str:
        """The one kind that the values have, or MIXED; NOTHING without values."""
        seen = [kind for kind in self.kinds if kind != NOTHING]
        if len(seen) <= 1:
            return seen[0] if seen else NOTHING
        if set(seen) == {INTEGERS, DECIMALS}:  # integers, some of them large
            return DECIMALS
        return NUMBERS if set(seen) == set(NUMERIC) else MIXED

    @property
    def type(self) -> str:
        """Types as a user knows them."""
        return ", ".join(dict.fromkeys(name for kind, name in self.kinds.items() if kind != NOTHING))

    @property
    def all_different(self) -> bool:
        """Whether no value comes twice, as far as that is known."""
        return self.distinct is not None and not self.distinct.repeats

    def merged(self, other: "ColumnSummary") -> "ColumnSummary":
        """Return what is known of these rows and of those that follow."""
        if not self.n or not other.n:
            return self if self.n else other
        labels = dict(self.labels)
        for label in other.labels:
            if len(labels) >= LABELS_KEPT:
                break
            labels[label] = None
        dates = [some.dates for some in (self, other) if some.dates is not None]
        return ColumnSummary(
            self.n + other.n, self.missing + other.missing, {**self.kinds, **other.kinds},
            _merge_distinct(self, other), labels, self.numbers.merged(other.numbers), self.texts.merged(other.texts),
            dates[0].merged(dates[1]) if len(dates) == 2 else next(iter(dates), None),
        )  # fmt: skip


def _merge_distinct(one: ColumnSummary, other: ColumnSummary) -> Distinct | None:
    """Levels of both; of a column that has no values in one, those of the other."""
    if one.distinct is None or other.distinct is None:
        none = one if one.distinct is None else other
        return (other if none is one else one).distinct if not none.there else None
    return one.distinct.merged(other.distinct)


def sum_up(values: Values, hashes: NDArray[np.uint64], is_declared: bool) -> ColumnSummary:
    """What a batch says of a column, given hashes of its values; numbers that are declared are levels."""
    kind, there = values.kind, ~values.missing
    out = ColumnSummary(len(there), int(values.missing.sum()), {kind: values.type} if there.any() else {NOTHING: ""})
    if kind in MEASURED:
        out.numbers = sum_up_numbers(values.rows[there] if out.missing else values.rows)
    if kind == DATES:
        out.dates = sum_up_dates(values.rows[there])
        if out.dates is not None and values.type.startswith(LONG_PERIODS):
            out.dates = out.dates._replace(weekdays=frozenset())
    if kind == TEXT:
        out.texts = sum_up_texts(values)
        if out.there and out.texts.dates == out.there:
            dates, are_dates = parse_dates(values.labels)
            out.dates = sum_up_dates(dates[values.rows[there]])
            if not are_dates.all():
                out.texts = out.texts._replace(dates=0)
    if kind in (TEXT, CATEGORIES):
        out.labels = dict.fromkeys(values.labels[:LABELS_KEPT])
    elif kind == BOOLEANS or (is_declared and kind in NUMERIC):
        some = values.rows[there][: LABELS_KEPT**2]
        out.labels = dict.fromkeys(np.unique(some)[:LABELS_KEPT].tolist())
    if kind in (TEXT, CATEGORIES, BOOLEANS, INTEGERS) or (is_declared and kind == NUMBERS):
        out.distinct = Distinct.of(hashes, values.missing)
    elif kind == NUMBERS and out.numbers.whole:
        out.distinct = Distinct.of(hashes, values.missing, FEW_VALUES)
    return out
