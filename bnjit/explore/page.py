"""The page: one HTML file with all that it needs, which asks the network for nothing."""

import json
import os
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import networkx as nx

from bnjit._files import write_whole
from bnjit.averaging import strength_threshold
from bnjit.errors import ArgumentError, as_count
from bnjit.explore.details import NodeDetails, as_document
from bnjit.explore.drawing import draw_boxes
from bnjit.explore.tuning import BARS, FRAME_HEIGHT, MOST_HEIGHT, NAMES_SCALE, USUAL_WIDTH
from bnjit.plots.pictures import COLOURS

if TYPE_CHECKING:
    import pandas as pd

SCRIPTS = ("drawing.js", "view.js", "details.js", "search.js", "explorer.js")
PAGES = (".html", ".htm")


class Page:
    """A page of HTML with all that it needs, from `explore` or `report`: a notebook shows it, `save` writes it.

    Attributes
    ----------
    html : str
        The whole page.
    """

    def __init__(self, html: str, height: int = FRAME_HEIGHT) -> None:
        self.html, self._height = html, height

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the page to an .html file, which needs no other file and no connection."""
        with write_whole(check_page(path)) as part:
            part.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        """A frame of its own, whose scripts and styles cannot reach the notebook."""
        return (
            f'<iframe title="Bayesian network" sandbox="allow-scripts" srcdoc="{escape(self.html)}" '
            f'style="width:100%;height:{self._height}px;border:1px solid #8886;border-radius:6px"></iframe>'
        )

    def __repr__(self) -> str:
        return f"bnjit.Page: {len(self.html) / 1e3:,.0f} kB of HTML; save(path) writes it"


def check_page(path: "str | os.PathLike[str]") -> Path:
    """Return a path whose name is that of a page."""
    target = Path(path)
    if target.suffix.lower() not in PAGES:
        raise ArgumentError(f"path={str(path)!r}: the name of a page must end in .html")
    return target


def make_explorer(
    dag: nx.DiGraph, details: Sequence[NodeDetails] | None = None, strength: "pd.DataFrame | None" = None,
    path: "str | os.PathLike[str] | None" = None, height: int | None = FRAME_HEIGHT, facts: str = "", note: str = "",
) -> Page:  # fmt: skip
    """Page of a graph.

    Parameters
    ----------
    dag : networkx.DiGraph
        What is drawn.
    details : sequence of NodeDetails, optional
        One for each node, in their order.
    strength : pandas.DataFrame, optional
        From `bnjit.arc_strength`.
    path : path, optional
        Where to write the page.
    height : int, optional
        Of the frame in a notebook, in pixels; None for what the names need.
    facts, note : str
        A line on the network, and why it has no details, if that is so.
    """
    if height is not None:
        height = as_count("height", height, least=100)
    if path is not None:
        check_page(path)
    document = {**draw_boxes(dag), "note": note}
    for node, one in zip(document["nodes"], details or [], strict=details is not None):
        node["details"] = as_document(one)
    if strength is not None:
        _add_strengths(document["arcs"], dag, strength)
        document["significant"] = least_significant(strength)
    page = Page(_page(document, facts), _height(document["frame"]) if height is None else height)
    if path is not None:
        page.save(path)
    return page


def _height(frame: Sequence[float]) -> int:
    """Pixels in which names can be read in their boxes, if the drawing is not too wide or too high for that.

    Examples
    --------
    >>> _height([0.0, 0.0, 500.0, 300.0]), _height([0.0, 0.0, 500.0, 900.0]), _height([0.0, 0.0, 9000.0, 900.0])
    (640, 866, 640)
    """
    scale = min(NAMES_SCALE, USUAL_WIDTH / max(frame[2], 1.0))
    return int(min(MOST_HEIGHT, max(FRAME_HEIGHT, scale * frame[3] + BARS)))


def _page(document: dict[str, Any], facts: str) -> str:
    """The files that lie here, and the document as JSON that cannot end its script element."""
    here = files("bnjit.explore")
    read = {name: here.joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "style.css", *SCRIPTS)}
    colours = "".join(f"--{name.replace(' ', '-')}: {colour}; " for name, colour in COLOURS.items())
    return Template(read["page.html"]).substitute(
        style=f":root {{ {colours}}}\n{read['style.css']}",
        facts=escape(facts),
        document=as_script(document),
        script="\n".join(read[name] for name in SCRIPTS),
    )


def as_script(document: Any) -> str:
    r"""JSON for a script element: ASCII, without the letters that could end the element or start a comment.

    Examples
    --------
    >>> as_script("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _add_strengths(arcs: list[dict[str, Any]], dag: nx.DiGraph, strength: "pd.DataFrame") -> None:
    """Give each arc its strength and direction."""
    missing = {"from", "to", "strength", "direction"} - set(getattr(strength, "columns", ()))
    if missing:
        raise ArgumentError(f"strength lacks the column {min(missing)!r}; it is what bnjit.arc_strength returns")
    rows = zip(*(strength[name].tolist() for name in ("from", "to", "strength", "direction")), strict=True)
    known = {(a, b): (float(share), float(direction)) for a, b, share, direction in rows}
    names = list(dag)
    for arc in arcs:
        ends = names[arc["from"]], names[arc["to"]]
        if ends not in known:
            raise ArgumentError(f"strength has no row from {ends[0]!r} to {ends[1]!r}, an arc of this network")
        if not 0.0 <= known[ends][0] <= 1.0 or not 0.0 <= known[ends][1] <= 1.0:
            raise ArgumentError(f"strength from {ends[0]!r} to {ends[1]!r} is {known[ends]}; shares are from 0 to 1")
        arc["strength"], arc["direction"] = known[ends]


def least_significant(strength: "pd.DataFrame") -> float | None:
    """Least strength of the arcs that `bnjit.averaged_network` keeps; None if it keeps none."""
    values, least = strength["strength"], strength_threshold(strength)
    kept = values[(values > least) | (values == 1.0)]
    return float(kept.min()) if len(kept) else None
