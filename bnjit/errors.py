"""The errors and warnings of bnjit; every message names the argument, what was seen and what to do."""


class BnjitError(ValueError):
    """Base of all errors that bnjit raises for input that it cannot use."""


class DataError(BnjitError):
    """A table, or one of its columns, cannot be used."""


class GraphError(BnjitError):
    """A graph is not a directed acyclic graph over the columns of the table."""


class ArgumentError(BnjitError):
    """An argument has a value that it does not take."""


class FileFormatError(BnjitError):
    """A file is damaged, or not of the form that its name says."""


class StatisticsError(BnjitError):
    """Statistics cannot answer a request, or not without losing digits."""


class BnjitWarning(UserWarning):
    """Something is allowed, but probably not what was meant."""


def check_count(name: str, value: int | None, least: int) -> None:
    """Raise unless an argument is a whole number of at least `least`, or None."""
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if value is not None and not (whole and value >= least):
        raise ArgumentError(f"{name}={value!r} must be a whole number, {least} or more")
