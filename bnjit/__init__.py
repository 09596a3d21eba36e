"""bnjit: learn Bayesian networks from tables with millions of rows, at the price of a few passes over them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bnjit.errors import ArgumentError, BnjitError, BnjitWarning, DataError, GraphError, StatisticsError

if TYPE_CHECKING:
    from bnjit.api import score as score

__version__ = "0.1.0.dev0"

# Where public names live; they are imported when first used, so that importing bnjit loads nothing heavy.
_LAZY = {"score": "bnjit.api"}

__all__ = [
    "ArgumentError",
    "BnjitError",
    "BnjitWarning",
    "DataError",
    "GraphError",
    "StatisticsError",
    "score",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'bnjit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
