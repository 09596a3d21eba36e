"""Checks of the arguments that the expressions share."""

from bnjit.errors import ArgumentError, check_count


def check_counts(least: int, **counts: int) -> None:
    """Raise unless all arguments are whole numbers of at least `least`."""
    for name, value in counts.items():
        if value is None:
            raise ArgumentError(f"{name}=None must be a whole number, {least} or more")
        check_count(name, value, least)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise unless an argument has one of its values."""
    if value not in choices:
        raise ArgumentError(f"{name}={value!r} is not known here; it is one of {', '.join(choices)}")
