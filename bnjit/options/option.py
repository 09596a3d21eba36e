"""The base of all options, and the rules that check their arguments: what each argument may be is said beside it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar

from bnjit.errors import ArgumentError, as_count, as_number

Rule = Callable[[str, Any], Any]  # from the name of an argument and its value to the value that is kept


def checked(default: Any, rule: Rule) -> Any:
    """Make a field of a dataclass whose value a rule checks."""
    return field(default=default, metadata={"rule": rule})


def count(default: int | None, least: int) -> Any:
    """Make a field for a whole number; None is one of its values if it is the default."""

    def rule(name: str, value: Any) -> int | None:
        return None if value is None and default is None else as_count(name, value, least)

    return checked(default, rule)


def number(default: float, least: float, most: float) -> Any:
    """Make a field for a number in a range."""
    return checked(default, lambda name, value: as_number(name, value, least, most))


def positive(default: float | None) -> Any:
    """Make a field for a number above 0; None is one of its values if it is the default."""

    def rule(name: str, value: Any) -> float | None:
        if value is None and default is None:
            return None
        given = as_number(name, value)
        if given == 0.0:
            raise ArgumentError(f"{name}={value!r} must be more than 0")
        return given

    return checked(default, rule)


def flag() -> Any:
    """Make a field that is False unless it is switched on."""

    def rule(name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ArgumentError(f"{name}={value!r} must be True or False")
        return value

    return checked(False, rule)


def choice(*values: str) -> Any:
    """Make a field for one of some texts, by default the first."""

    def rule(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in values:
            raise ArgumentError(f"{name}={value!r} is not known; the rules are {', '.join(values)}")
        return value

    return checked(values[0], rule)


def share_or_table(default: float) -> Any:
    """Make a field for a share of the rows, or a table; whoever reads the table says what is wrong with it."""

    def rule(name: str, value: Any) -> Any:
        if value is not None and not isinstance(value, Real):
            return value
        if value is None or isinstance(value, bool) or not 0.0 < float(value) < 1.0:
            raise ArgumentError(
                f"{name}={value!r} must lie between 0 and 1, a share of the rows, or be a table of rows"
            )
        return float(value)

    return checked(default, rule)


@dataclass(frozen=True, repr=False, eq=False)
class Option:
    """What scores, algorithms and rules for missing values share: every argument is checked when they are made."""

    name: ClassVar[str]  # in quotes it stands for the object with its defaults

    def __post_init__(self) -> None:
        for each in fields(self):
            value = each.metadata["rule"](each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, value)

    def arguments(self) -> dict[str, Any]:
        """All arguments, by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def changed(self) -> dict[str, Any]:
        """Arguments that are not at their defaults."""
        defaults = {each.name: each.default for each in fields(self)}
        return {name: value for name, value in self.arguments().items() if not same(value, defaults[name])}

    # Written once here: what dataclass generates for every class takes longer than a small search.
    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(same(getattr(self, each.name), getattr(other, each.name)) for each in fields(self))

    def __hash__(self) -> int:
        values = self.arguments().values()
        return hash((type(self), *(value if isinstance(value, _PLAIN) else id(value) for value in values)))

    def __repr__(self) -> str:
        return f"bnjit.{type(self).__name__}({typed_arguments(self.changed())})"

    def __str__(self) -> str:
        """What a user would type: the name in quotes if that says it all."""
        return repr(self) if self.changed() else self.name


_PLAIN = (int, float, str, os.PathLike, type(None))


def same(a: Any, b: Any) -> bool:
    """Whether two arguments are equal; tables are if they are the same object."""
    return a is b or (isinstance(a, _PLAIN) and isinstance(b, _PLAIN) and a == b)


def shown(value: Any) -> str:
    """Argument as it would be typed; of a table, only what it is."""
    return repr(value) if isinstance(value, _PLAIN) else f"<{type(value).__name__}>"


def typed_arguments(arguments: dict[str, Any]) -> str:
    """Arguments of a call, as they would be typed."""
    return ", ".join(f"{name}={shown(value)}" for name, value in arguments.items())
