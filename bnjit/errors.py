"""The errors and warnings of bnjit; every message names the argument, what was seen and what to do."""

import math
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from typing import Any


class BnjitError(ValueError):
    """Base of all errors that bnjit raises for input that it cannot use."""


class DataError(BnjitError):
    """A table, or one of its columns, cannot be used."""


class ColumnError(DataError):
    """A column cannot be used: its name, its type or some of its values; others may be no better."""


class GraphError(BnjitError):
    """A graph is not a directed acyclic graph over the columns of the table."""


class ArgumentError(BnjitError):
    """An argument has a value that it does not take."""


class FileFormatError(BnjitError):
    """A file is damaged, or not of the form that its name says."""


class StatisticsError(BnjitError):
    """Statistics cannot answer a request, or only with a loss of digits."""


class BnjitWarning(UserWarning):
    """Something is allowed, but probably not what was meant."""


def warn(message: str) -> None:
    """Warn the user, at the line of theirs that led here, unless bnjit is to be quiet."""
    if _QUIET.get():
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, BnjitWarning, stacklevel=level)


_QUIET = ContextVar("bnjit_is_quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings of bnjit, in this thread alone: `warnings.catch_warnings` changes what others see, too."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def check_count(name: str, value: int | None, least: int) -> None:
    """Raise unless an argument is a whole number of at least `least`, or None."""
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if value is not None and not (whole and value >= least):
        raise ArgumentError(f"{name}={value!r} must be a whole number, {least} or more")


def as_count(name: str, value: Any, least: int) -> int:
    """Return an argument that must be a whole number as Python's int, which cannot overflow as NumPy's can."""
    if value is None:
        raise ArgumentError(f"{name}=None must be a whole number, {least} or more")
    check_count(name, value, least)
    return int(value)


def as_seed(seed: Any) -> int:
    """Return a seed of random numbers; None stands for 0."""
    return 0 if seed is None else as_count("seed", seed, least=0)


def as_number(name: str, value: Any, least: float = 0.0, most: float = math.inf) -> float:
    """Return an argument that must be a finite number from `least` to `most` as a float."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and least <= number <= most):
        limits = f"{least:g} or more" if most == math.inf else f"from {least:g} to {most:g}"
        raise ArgumentError(f"{name}={value!r} must be a number, {limits}")
    return number
