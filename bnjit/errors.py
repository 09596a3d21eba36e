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
