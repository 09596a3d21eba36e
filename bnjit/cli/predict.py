"""bnjit predict: one node of a network, for every row of a table."""

import argparse
import sys
from pathlib import Path
from typing import Any

from bnjit.cli.commands import add_command, check_file
from bnjit.cli.texts import node_of

EPILOG = """The table needs columns for some of the nodes, by name; values may be missing, row by row.

examples:
  bnjit predict net.json new.csv --node species --out species.csv
  bnjit predict net.json new.parquet --node species --probabilities
  bnjit predict net.json new.csv --node price --from parents

exit status: 0 if it worked, 2 for input that cannot be used."""


def add_predict(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands, "predict", run_predict, help="predict a node of a network for every row of a table",
        usage="bnjit predict NETWORK TABLE --node X [options]", epilog=EPILOG,
        description="Predict the most probable level, or the expected value, of a node from what each row has.",
    )  # fmt: skip
    parser.add_argument("network", metavar="NETWORK", help="a .json file of bnjit, .bif, or .rda or .rds of bnlearn")
    parser.add_argument("table", metavar="TABLE", help="a file, as for bnjit learn")
    parser.add_argument("--node", required=True, metavar="X", help="what to predict; a column of that name is ignored")
    parser.add_argument(
        "--from", dest="from_", default="all", choices=("all", "parents"),
        help="predict from all other columns (default), or from the parents of the node alone",
    )  # fmt: skip
    parser.add_argument(
        "--probabilities", action="store_true", help="write the probability of each level of a discrete node"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="of sampling, where an exact answer would take too much")
    parser.add_argument(
        "--out", type=Path, metavar="FILE",
        help="write a .csv or .parquet file with a row for each row of TABLE; without it CSV goes to standard output",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="do not say what was written")


def run_predict(given: argparse.Namespace) -> None:
    """Predict, and write or print a row for each row of the table."""
    check_file("--out", given.out, (".csv", ".parquet"))
    from bnjit.network.files import read_network

    network = read_network(given.network)
    node = node_of(network, given.node, "--node")
    found: Any = network.predict(
        given.table, node, from_=given.from_, seed=given.seed, probabilities=given.probabilities
    )  # fmt: skip
    frame = found if given.probabilities else found.to_frame(node)
    if given.out is None:
        frame.to_csv(sys.stdout, index=False)
        return
    from bnjit.report.preparing import write_frame

    write_frame(frame, given.out)
    if not given.quiet:
        sys.stdout.write(f"  wrote {given.out}, {len(frame):,} rows\n")
