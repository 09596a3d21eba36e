"""Rules for missing values. There is one so far, which refuses them."""

from dataclasses import dataclass

from bnjit.options.option import Option


@dataclass(frozen=True, repr=False, eq=False)
class MissingRule(Option):
    """A rule for missing values."""


@dataclass(frozen=True, repr=False, eq=False)
class RejectMissing(MissingRule):
    """A missing value is an error ("error")."""

    name = "error"


MISSING: dict[str, type[MissingRule]] = {each.name: each for each in (RejectMissing,)}
