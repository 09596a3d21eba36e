"""bnjit fit: the parameters of a network whose structure is given."""

import argparse
import sys
from pathlib import Path

from bnjit.cli.commands import add_command, check_file
from bnjit.cli.reading import add_reading, reading_of, rows_of
from bnjit.cli.texts import graph_or_network

EPILOG = """DAG is a file with a graph (.json, .graphml, .dot, .txt, or .csv with the columns from and to) or with a
network (.json, .bif, .rds, .rda), a model string '[A][B|A]', or arcs 'A->B,B->C'.

examples:
  bnjit learn penguins.csv --out dag.json && bnjit fit dag.json penguins.csv --out net.json
  bnjit fit "[sex][species][body_mass_g|sex:species]" penguins.csv --prior-rows 1 --out net.json
  bnjit fit dag.json years/ --out-of-core --missing available --out net.json

exit status: 0 if it worked, 2 for input that cannot be used."""


def add_fit(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands, "fit", run_fit, help="fit the parameters of a network to a table",
        usage="bnjit fit DAG TABLE --out FILE [options]", epilog=EPILOG,
        description="Fit the parameters of a network with a given structure to a table, and write the network.",
    )  # fmt: skip
    parser.add_argument("dag", metavar="DAG", help="the structure, see below")
    parser.add_argument("table", metavar="TABLE", help="a file or a folder, as for bnjit learn")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="write the network: .json or .bif")
    parser.add_argument(
        "--prior-rows", type=float, default=0.0, metavar="N",
        help="imaginary rows for Bayesian smoothing (default 0: maximum likelihood)",
    )  # fmt: skip
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default all)")
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    add_reading(parser.add_argument_group("how the table is read"))


def run_fit(given: argparse.Namespace) -> None:
    """Fit a network and write it."""
    from bnjit.network.files import WRITABLE, write_network

    check_file("--out", given.out, WRITABLE)
    from bnjit.api import fit

    dag = graph_or_network(given.dag, "DAG")
    with rows_of(given) as rows:
        network = fit(dag, rows, prior_rows=given.prior_rows, **reading_of(given))
    write_network(network, given.out)
    if not given.quiet:
        sys.stdout.write(f"{network!r}\n  wrote {given.out}\n")
