"""A finished figure or table of the paper: its files, and what the page says about it."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bnjit._files import write_whole
from bnjit.paper.plan import Scale

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Context(NamedTuple):
    """What figures and tables are made from.

    Attributes
    ----------
    measured : DataFrame
        The measurements that were planned.
    scale : Scale
        How much was measured.
    knowledge : bool
        Whether arcs into MEHRA's variables of place and time were forbidden.
    sources : dict
        Where the rows of each data set come from.
    seed : int
        Of the samples.
    out : Path
        Folder for the files.
    """

    measured: "pd.DataFrame"
    scale: Scale
    knowledge: bool
    sources: dict[str, str]
    seed: int
    out: Path


class PaperFigure(NamedTuple):
    """A figure or table of the paper.

    Attributes
    ----------
    name, title, caption : str
        Its identifier, heading and explanation on the page.
    findings : tuple of str
        What it shows, compared with the paper.
    files : tuple of Path
        The files that were written.
    svg : str
        The drawing; empty for a table.
    table : DataFrame, optional
        What to show as a table.
    more : tuple of (str, DataFrame)
        Further tables, each with a heading.
    """

    name: str
    title: str
    caption: str
    findings: tuple[str, ...]
    files: tuple[Path, ...]
    svg: str = ""
    table: "pd.DataFrame | None" = None
    more: "tuple[tuple[str, pd.DataFrame], ...]" = ()


def save_figure(figure: "Figure", out: Path, stem: str) -> tuple[tuple[Path, ...], str]:
    """Write a figure as PNG and SVG; return their paths, and the SVG."""
    import matplotlib as mpl

    paths = (out / f"{stem}.png", out / f"{stem}.svg")
    with write_whole(paths[0]) as part:
        figure.savefig(part, dpi=150, format="png")
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": stem}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    with write_whole(paths[1]) as part:
        part.write_text(buffer.getvalue(), encoding="utf-8")
    return paths, buffer.getvalue()


def save_table(table: "pd.DataFrame", out: Path, stem: str) -> Path:
    """Write a table as CSV."""
    path = out / f"{stem}.csv"
    with write_whole(path) as part:
        table.to_csv(part, index=False, lineterminator="\n")
    return path


def format_rows(n: float) -> str:
    """Number of rows for labels.

    Examples
    --------
    >>> [format_rows(n) for n in (500, 10_000, 1_500_000, 53_600_000)]
    ['500', '10,000', '1.5 million', '53.6 million']
    """
    return f"{n / 1e6:g} million" if n >= 1e6 else f"{n:,.0f}"
