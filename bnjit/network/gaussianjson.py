"""Gaussian networks in the JSON of the bnlearn repository, which pgmpy has in its package.

{"nodes": [names], "arcs": [[from, to], ...], "cpds": {name: {"parents": [names],
"coefficients": {"(Intercept)": [number], parent: [number], ...}, "variance": [number]}, ...}}: a regression for each
node. The variance is that of the residuals; pgmpy 1.0 takes it for their standard deviation.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit.errors import FileFormatError
from bnjit.network.nodes import GaussianNode

if TYPE_CHECKING:
    from bnjit.network.network import Network

INTERCEPT = "(Intercept)"


def is_gaussian(document: Any) -> bool:
    """Whether a JSON document has this form, and not bnjit's own."""
    return isinstance(document, dict) and "cpds" in document and "format" not in document


def from_gaussian(document: dict[str, Any], file: str) -> "Network":
    """Network of a document; an error says where it differs from the form above."""
    from bnjit.network.network import Network

    reader = _Reader(file)
    names = reader.names(document.get("nodes"), "nodes")
    positions = {name: j for j, name in enumerate(names)}
    cpds = reader.object(document.get("cpds"), "cpds")
    for name in cpds:
        reader.require(name in positions, "cpds", f"{name!r} is no node")
    nodes = [reader.node(cpds.get(name), f"cpds[{name!r}]", positions) for name in names]
    reader.arcs(document.get("arcs"), {(names[p], names[j]) for j, node in enumerate(nodes) for p in node.parents})
    return Network(names, [None] * len(names), nodes)


class _Reader:
    """Checks the parts of a document; errors name the file and the part."""

    def __init__(self, file: str) -> None:
        self.file = file

    def require(self, holds: bool, where: str, problem: str) -> None:
        if not holds:
            raise FileFormatError(f"{self.file}: {where}: {problem}")

    def object(self, value: Any, where: str) -> dict[str, Any]:
        self.require(isinstance(value, dict), where, "it is missing or no object")
        return dict(value)

    def names(self, value: Any, where: str) -> list[str]:
        listed = isinstance(value, list) and all(isinstance(name, str) for name in value)
        self.require(listed, where, "it is missing or no list of names")
        self.require(len(set(value)) == len(value), where, "a name is there twice")
        return list(value)

    def number(self, value: Any, where: str) -> float:
        """The number in a list of one."""
        one = value[0] if isinstance(value, list) and len(value) == 1 else None
        plain = isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < math.inf
        # Integers have no bound in JSON; beyond 2^1000 they may not fit.
        self.require(plain and (isinstance(one, float) or abs(one or 0) < 1 << 1000), where, "it is no [number]")
        return float(one or 0)

    def node(self, cpd: Any, where: str, positions: dict[str, int]) -> GaussianNode:
        cpd = self.object(cpd, where)
        parents = self.names(cpd.get("parents"), f"{where}.parents")
        for name in parents:
            self.require(name in positions, f"{where}.parents", f"{name!r} is no node")
        coefficients = self.object(cpd.get("coefficients"), f"{where}.coefficients")
        fits = set(coefficients) == {INTERCEPT, *parents} and INTERCEPT not in parents
        self.require(fits, f"{where}.coefficients", f"they are not those of {INTERCEPT} and the parents")
        parents.sort(key=positions.__getitem__)
        found = [self.number(coefficients[name], f"{where}.coefficients[{name!r}]") for name in (INTERCEPT, *parents)]
        variance = self.number(cpd.get("variance"), f"{where}.variance")
        self.require(variance >= 0, f"{where}.variance", f"it is {variance!r}, and must not be negative")
        sd, continuous = math.sqrt(variance), tuple(positions[name] for name in parents)
        one = np.zeros(1, np.int64)
        return GaussianNode((), continuous, one, np.array([found]), np.array([sd]), np.array([*found, sd]))

    def arcs(self, value: Any, expected: set[tuple[str, str]]) -> None:
        """Check that the arcs are those from parents to their children."""
        self.require(isinstance(value, list), "arcs", "it is missing or no list")
        for i, arc in enumerate(value):
            pair = isinstance(arc, list) and len(arc) == 2 and all(isinstance(end, str) for end in arc)
            self.require(
                pair and tuple(arc) in expected, f"arcs[{i}]", f"{arc!r:.100} is not from a parent to its child"
            )
        self.require(
            len(value) == len(expected), "arcs", f"it has {len(value)} arcs, and the parents are {len(expected)}"
        )
        self.require(len(set(map(tuple, value))) == len(value), "arcs", "an arc is there twice")
