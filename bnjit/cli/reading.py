"""Options of all commands that read a table, and the table."""

import argparse
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from bnjit.cli.texts import names_of
from bnjit.options import MISSING

RULES = {
    "error": "they are an error (default)",
    "drop": "drop leaves out their rows",
    "available": "available uses, for each node, the rows that have all that is needed",
    "em": "em fills them from the network",
}


def add_reading(group: "argparse._ArgumentGroup", missing: Iterable[str] = MISSING) -> None:
    """Add the options that say how a table is read; `missing` are the rules for gaps that there are."""
    group.add_argument(
        "--discrete", action="append", default=[], metavar="COLUMNS",
        help="numeric columns to treat as discrete, separated by commas; may be repeated",
    )  # fmt: skip
    group.add_argument("--weights", metavar="COLUMN", help="column that says how often each row counts; it is no node")
    group.add_argument(
        "--missing", choices=list(missing), default="error",
        help="what becomes of missing values: " + "; ".join(RULES[name] for name in missing),
    )  # fmt: skip
    group.add_argument(
        "--max-memory", metavar="SIZE",
        help="what rows may take in memory, like 2GB (default half of what is free); more is read in chunks",
    )  # fmt: skip
    group.add_argument(
        "--out-of-core", action="store_true", default=None,
        help="read a .parquet or .arrow file, or a folder of .parquet files, in chunks, whatever its size",
    )  # fmt: skip
    group.add_argument(
        "--dask", metavar="ADDRESS",
        help="read Parquet by the workers of the Dask scheduler at this address; only statistics come here",
    )  # fmt: skip


def rows_of(given: argparse.Namespace) -> AbstractContextManager[Any]:
    """What to read: the path as it is, or read on a cluster."""
    if given.dask is None:
        return nullcontext(given.table)
    from bnjit.data.dask.cluster import read_on_cluster

    return read_on_cluster(given.table, given.dask)


def reading_of(given: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `bnjit.fit` and its like that say how the table is read."""
    return {
        "discrete": names_of(given.discrete), "missing": given.missing, "max_memory": given.max_memory,
        "out_of_core": given.out_of_core, "n_threads": given.threads, "weights": given.weights,
    }  # fmt: skip
