"""What a page shows of a node besides its arcs: its distribution and its parameters."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from bnjit.explore.tuning import LONGEST_TEXT


class Bars(NamedTuple):
    """Distribution of a discrete node: its most probable levels, and how many more there are."""

    levels: Sequence[Any]
    shares: Sequence[float]
    more: int = 0


class Histogram(NamedTuple):
    """Distribution of a continuous node: shares between edges, which are one more; mean and standard deviation."""

    edges: Sequence[float]
    shares: Sequence[float]
    mean: float
    sd: float


class ParameterTable(NamedTuple):
    """First rows of a node's parameters.

    given : how many of the columns, from the left, are configurations of discrete parents
    rows : of all there are, `total`
    unseen : configurations without parameters
    more : levels of the node that have no column here
    """

    columns: Sequence[Any]
    given: int
    rows: Sequence[Sequence[Any]]
    total: int
    unseen: int = 0
    more: int = 0


class NodeDetails(NamedTuple):
    """What is known of a node; `source` says where its distribution is from."""

    distribution: Bars | Histogram | None = None
    parameters: ParameterTable | None = None
    source: str = ""


def as_document(details: NodeDetails) -> dict[str, Any]:
    """Details as what JSON holds: texts, and numbers that are finite."""
    document: dict[str, Any] = {"source": details.source}
    found = details.distribution
    if isinstance(found, Bars):
        document["bars"] = {
            "levels": list(map(as_text, found.levels)), "shares": rounded(found.shares), "more": found.more,
        }  # fmt: skip
    elif found is not None:
        document["histogram"] = {
            "edges": rounded(found.edges), "shares": rounded(found.shares), "mean": as_text(found.mean),
            "sd": as_text(found.sd),
        }  # fmt: skip
    table = details.parameters
    if table is not None:
        document["table"] = {
            "columns": list(map(as_text, table.columns)), "given": table.given,
            "rows": [list(map(as_text, row)) for row in table.rows],
            "total": table.total, "unseen": table.unseen, "more": table.more,
        }  # fmt: skip
    return document


def as_text(value: Any) -> str:
    """A name, a level or a number as it is shown; very long ones are shortened.

    Examples
    --------
    >>> as_text(0.123456789), as_text("north"), len(as_text("x" * 10_000))
    ('0.1235', 'north', 301)
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def rounded(values: Iterable[float]) -> list[float]:
    """Numbers of a drawing, with six digits; what is not finite is drawn as 0."""
    return [float(f"{value:.6g}") if math.isfinite(value) else 0.0 for value in values]
