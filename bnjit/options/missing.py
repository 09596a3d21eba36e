"""Rules for missing values: refuse them, or leave out the rows that have one."""

from dataclasses import dataclass

from bnjit.options.option import Option


@dataclass(frozen=True, repr=False, eq=False)
class MissingRule(Option):
    """A rule for missing values."""


@dataclass(frozen=True, repr=False, eq=False)
class RejectMissing(MissingRule):
    """A missing value is an error ("error")."""

    name = "error"


@dataclass(frozen=True, repr=False, eq=False)
class DropRows(MissingRule):
    """A row with a missing value in any column is left out ("drop"), as if it had never been there.

    What remains may differ from the table as a whole wherever values are not missing by pure chance.
    """

    name = "drop"


MISSING: dict[str, type[MissingRule]] = {each.name: each for each in (RejectMissing, DropRows)}
