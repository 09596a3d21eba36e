"""The rows that measurements are made on, and where they come from: published data where it is, else synthetic."""

import functools
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

from bnjit import datasets
from bnjit.data import Table, read_table
from bnjit.datasets.fetch import present
from bnjit.datasets.pollution import PUBLISHED
from bnjit.errors import DataError
from bnjit.network import Network
from bnjit.network.files import read_network
from bnjit.paper.plan import PAPER_ROWS, REGRESSION_PARENTS, Job, seed_of

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

READERS: "dict[str, Callable[..., pd.DataFrame]]" = {
    "AIRLINE": functools.partial(datasets.airline, incomplete="keep"), "GAS": datasets.gas,
    "HEPMASS": datasets.hepmass, "HIGGS": datasets.higgs, "SUSY": datasets.susy,
}  # fmt: skip


class Rows(NamedTuple):
    """A table in memory and, where it is known, the graph that it was drawn from."""

    table: Table
    dag: nx.DiGraph | None


def mehra_network() -> Network:
    """MEHRA as published, if its file is in the data directory; else its structure with synthetic parameters."""
    return _network(present(PUBLISHED))


@functools.lru_cache(1)
def _network(path: Path | None) -> Network:
    return datasets.mehra_like() if path is None else read_network(path)


@functools.lru_cache(8)
def gaussian_network(nodes: int) -> Network:
    """Random Gaussian network whose arcs a hundred thousand rows show; nodes have 1.5 parents on average."""
    return datasets.random_network("gaussian", nodes, parents=1.5, rows=1e4, seed=nodes)


def source_of(data: str) -> str:
    """Where the rows of a data set come from, found out without reading all of them."""
    if data == "MEHRA":
        published = present(PUBLISHED) is not None
        return (
            "rows drawn from the published MEHRA"
            if published
            else "synthetic, the published structure with made-up parameters (mehra_like)"
        )
    if data in READERS:
        frame = _frame(data, 1, 0)
        # Originals name the files read, of which more rows may need more.
        return re.sub(r"\(original.*\)", "(original)", str(frame.attrs["source"]))
    return "synthetic"


def load(job: Job, seed: int) -> Rows:
    """Rows of a measurement, in memory."""
    rows_seed = seed_of(seed, job)
    if job.data in READERS:
        return Rows(read_table(_varying(_frame(job.data, job.n, rows_seed))), None)
    if job.experiment == "parents":
        network = datasets.random_network("gaussian", len(REGRESSION_PARENTS), parents=2.0, seed=1)
    else:
        network = mehra_network() if job.data == "MEHRA" else gaussian_network(int(job.data.split()[-1]))
    return Rows(read_table(network.sample(job.n, seed=rows_seed)), network.dag)


def _frame(data: str, n: int, seed: int) -> "pd.DataFrame":
    """First rows of a published table, or a synthetic one of its shape."""
    try:
        return READERS[data](download=False, n_rows=None if n >= PAPER_ROWS[data] else n)
    except DataError as error:
        logger.info("%s is synthetic: %s", data, error)
        return datasets.table2_like(data.lower(), n, seed)


def _varying(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Leave out columns that are constant in these rows, like the year of the first flights: no network has them."""
    return frame[[name for name in frame if frame[name].nunique() > 1]]
