"""Normal distributions whose mean is a sum of terms, as files write them: normal(1.5 - 0.5 * Y, 2)."""

import math
import re
from collections.abc import Sequence

NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NAME = r"[^\s+*\-(),;]+"
_TERM = re.compile(
    rf"\s*(?P<signs>[+-]?\s*[+-]?)\s*(?:(?P<number>{NUMBER})\s*(?:\*\s*(?P<factor>{_NAME}))?|(?P<name>{_NAME}))\s*"
)


def read_normal(mean: str, variance: str, names: Sequence[str]) -> list[float]:
    """Intercept, coefficients of the named variables, each at most once, and standard deviation.

    A ValueError says what cannot be read.

    Examples
    --------
    >>> read_normal("1.5 - 0.5 * Y + X", "4", ["X", "Y"])
    [1.5, 1.0, -0.5, 2.0]
    """
    found: dict[str, float] = {}
    at = 0
    while at < len(mean) or not found:
        match = _TERM.match(mean, at)
        # Between two terms there is a sign, and at most one of the term's own.
        signs = "" if match is None else "".join(match["signs"].split())
        if match is None or (at > 0 and not signs) or len(signs) > 1 + (at > 0):
            raise ValueError(f"{mean.strip()!r:.100} is no sum of a number and of numbers times continuous parents")
        number, name = float(match["number"] or 1.0), match["factor"] or match["name"] or ""
        if name in found or (name and name not in names):
            raise ValueError(f"{name!r:.100} is no continuous parent, or there twice in {mean.strip()!r:.100}")
        found[name] = -number if signs.count("-") % 2 else number
        at = match.end()
    if not re.fullmatch(NUMBER, variance.strip()):
        raise ValueError(f"{variance.strip()!r:.100} is no variance")
    read = [*(found.get(name, 0.0) for name in ("", *names)), math.sqrt(float(variance))]
    if not all(map(math.isfinite, read)):
        raise ValueError(f"normal({mean.strip():.100}, {variance.strip():.100}) has numbers that are too large")
    return read


def normal_text(coefficients: Sequence[float], sd: float, names: Sequence[str]) -> str:
    """Normal distribution with an intercept, coefficients of the named variables and a standard deviation.

    Examples
    --------
    >>> normal_text([1.5, -0.5], 2.0, ["Y"])
    'normal(1.5 - 0.5 * Y, 4.0)'
    """
    terms = [repr(float(coefficients[0]))]
    for value, name in zip(coefficients[1:], names, strict=True):
        terms.append(f"{'-' if math.copysign(1.0, value) < 0 else '+'} {abs(float(value))!r} * {name}")
    return f"normal({' '.join(terms)}, {float(sd) ** 2!r})"
