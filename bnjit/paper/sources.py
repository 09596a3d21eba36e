"""The rows that measurements are made on: published data where it is available, otherwise synthetic data."""

import functools
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

from bnjit import datasets
from bnjit.data import Table, read_table
from bnjit.datasets.fetch import find, find_original
from bnjit.datasets.flights import PAPER, original_files
from bnjit.datasets.pollution import PUBLISHED
from bnjit.errors import DataError
from bnjit.network import Network
from bnjit.network.files import read_network
from bnjit.paper.plan import PAPER_ROWS, REGRESSION_PARENTS, Measurement, seed_of

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)


def _airline(*, download: bool, n_rows: int | None) -> "pd.DataFrame":
    """Flights as the paper has them, with the incomplete ones; or else those of a prepared table, which has none."""
    prepared = find("airline") is not None and not any(map(find_original, original_files(PAPER)))
    return datasets.airline(incomplete="drop" if prepared else "keep", download=download, n_rows=n_rows)


READERS: "dict[str, Callable[..., pd.DataFrame]]" = {
    "AIRLINE": _airline, "GAS": datasets.gas,
    "HEPMASS": datasets.hepmass, "HIGGS": datasets.higgs, "SUSY": datasets.susy,
}  # fmt: skip


class Rows(NamedTuple):
    """A table in memory and, where it is known, the graph that it was drawn from."""

    table: Table
    dag: nx.DiGraph | None


def mehra_network() -> Network:
    """MEHRA as published, if its file is in the data directory; else its structure with synthetic parameters."""
    return _network(find_original(PUBLISHED))


@functools.lru_cache(1)
def _network(path: Path | None) -> Network:
    return datasets.mehra_like() if path is None else read_network(path)


@functools.lru_cache(8)
def gaussian_network(nodes: int) -> Network:
    """Random Gaussian network whose arcs a hundred thousand rows show; nodes have 1.5 parents on average."""
    return datasets.random_network("gaussian", nodes, parents=1.5, rows=1e4, seed=nodes)


def source_of(data: str) -> str:
    """Where the rows of a data set come from; only its first row is read."""
    if data == "MEHRA":
        published = find_original(PUBLISHED) is not None
        return (
            "rows drawn from the published MEHRA"
            if published
            else "synthetic, the published structure with made-up parameters (mehra_like)"
        )
    if data in READERS:
        frame = _frame(data, 1, 0)
        # The source of originals names the files read, and more rows may take more files.
        return re.sub(r"\(original.*\)", "(original)", str(frame.attrs["source"]))
    return "synthetic"


def load(measurement: Measurement, seed: int) -> Rows:
    """Rows of a measurement, in memory."""
    rows_seed = seed_of(seed, measurement)
    if measurement.data in READERS:
        return Rows(read_table(_varying(_frame(measurement.data, measurement.n, rows_seed))), None)
    if measurement.experiment == "parents":
        network = datasets.random_network("gaussian", len(REGRESSION_PARENTS), parents=2.0, seed=1)
    else:
        network = (
            mehra_network() if measurement.data == "MEHRA" else gaussian_network(int(measurement.data.split()[-1]))
        )
    return Rows(read_table(network.sample(measurement.n, seed=rows_seed)), network.dag)


def _frame(data: str, n: int, seed: int) -> "pd.DataFrame":
    """First rows of a published table, or a synthetic one of its shape."""
    try:
        return READERS[data](download=False, n_rows=None if n >= PAPER_ROWS[data] else n)
    except DataError as error:
        _log_synthetic(data, str(error))
        return datasets.table2_like(data.lower(), n, seed)


@functools.lru_cache
def _log_synthetic(data: str, reason: str) -> None:
    """Log why a data set is synthetic; once for each reason, since every measurement reads it again."""
    logger.info("%s is synthetic: %s", data, reason)


def _varying(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Leave out columns that are constant in these rows, such as the year of the first flights."""
    return frame[[name for name in frame if frame[name].nunique() > 1]]
