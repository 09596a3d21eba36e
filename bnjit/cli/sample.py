"""bnjit sample: rows drawn from a network."""

import argparse
import sys
from pathlib import Path

from bnjit.cli.commands import add_command, check_file
from bnjit.errors import check_count

EPILOG = """examples:
  bnjit sample net.json 1000000 --out rows.parquet --seed 1
  bnjit sample asia.bif 5

exit status: 0 if it worked, 2 for input that cannot be used."""


def add_sample(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands, "sample", run_sample, help="draw rows from a network",
        usage="bnjit sample NETWORK N [--out FILE] [options]", epilog=EPILOG,
        description="Draw rows from a network, into a file or, without --out, as CSV on standard output.",
    )  # fmt: skip
    parser.add_argument("network", metavar="NETWORK", help="a .json file of bnjit, .bif, or .rda or .rds of bnlearn")
    parser.add_argument("n", metavar="N", type=int, help="how many rows")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write a .parquet file, in bounded memory, or a .csv file"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="the same seed gives the same rows")
    parser.add_argument("--quiet", action="store_true", help="print nothing and show no progress bar")


def run_sample(given: argparse.Namespace) -> None:
    """Draw rows, and write or print them."""
    check_file("--out", given.out, (".parquet", ".csv"))
    check_count("N", given.n, least=0)
    check_count("seed", given.seed, least=0)
    from bnjit.network.files import read_network

    network = read_network(given.network)
    if given.out is None:
        network.sample(given.n, given.seed).to_csv(sys.stdout, index=False)
        return
    if given.out.suffix.lower() == ".parquet":
        network.sample_to(given.out, given.n, given.seed, False if given.quiet else None)
    else:
        from bnjit.report.preparing import write_frame

        write_frame(network.sample(given.n, given.seed), given.out)
    if not given.quiet:
        sys.stdout.write(f"  wrote {given.out}\n")
