"""Write discrete networks in the Bayesian Interchange Format (.bif); bnjit.network.bif reads them."""

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnjit._files import write_whole
from bnjit.errors import FileFormatError
from bnjit.network.bif import quoted
from bnjit.network.nodes import DiscreteNode, find_cells
from bnjit.network.tuning import MOST_BIF_ENTRIES

if TYPE_CHECKING:
    from bnjit.network.network import Network


def write_bif(network: "Network", path: Path) -> None:
    """Write a discrete network; configurations without parameters get their fallback."""
    if not all(network.discrete):
        name = network.names[network.discrete.index(False)]
        raise FileFormatError(
            f"{path.name}: BIF holds discrete networks, and {name!r} is continuous; write .json instead"
        )
    lines = ["network unknown {", "}"]
    for name, labels in zip(network.names, network.labels, strict=True):
        listed = ", ".join(_word(label) for label in labels or ())
        lines += [f"variable {_word(name)} {{", f"  type discrete [ {len(labels or ())} ] {{ {listed} }};", "}"]
    for j, node in enumerate(network.nodes):
        assert isinstance(node, DiscreteNode)
        lines += _probability_lines(network, j, node)
    try:
        content = ("\n".join(lines) + "\n").encode()
    except UnicodeEncodeError as error:
        raise FileFormatError(
            f"{path.name}: {error.object[error.start]!r} in a name or level is no character"
        ) from None
    with write_whole(path) as part:
        part.write_bytes(content)


def _probability_lines(network: "Network", j: int, node: DiscreteNode) -> list[str]:
    name = _word(network.names[j])
    q = math.prod(network.levels[p] for p in node.parents)
    if q * network.levels[j] > MOST_BIF_ENTRIES:
        raise FileFormatError(
            f"BIF lists every configuration, and those of {name!r} have {q * network.levels[j]} probabilities; write "
            ".json instead"
        )

    def row(values: Any) -> str:
        return ", ".join(repr(float(v)) for v in values)

    if not node.parents:
        return [f"probability ( {name} ) {{", f"  table {row(node.with_fallback()[0])};", "}"]
    parents = ", ".join(_word(network.names[p]) for p in node.parents)
    keys = np.arange(q)
    given = zip(*network.configurations(node.parents, keys), strict=True)
    rows = node.with_fallback()[find_cells(node.keys, keys)]
    lines = [f"  ({', '.join(map(_word, labels))}) {row(values)};" for labels, values in zip(given, rows, strict=True)]
    return [f"probability ( {name} | {parents} ) {{", *lines, "}"]


def _word(value: Any) -> str:
    """A name or level as a BIF word, or in quotes if it is not one: not every program reads those."""
    text = str(value)
    return quoted(text) if not text or re.search(r'[\s{}()\[\],;|"]|//|/\*', text) else text
