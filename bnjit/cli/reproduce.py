"""bnjit reproduce: the figures and tables of the paper."""

import argparse
import sys
from pathlib import Path

from bnjit.cli.commands import add_command
from bnjit.errors import ArgumentError

EPILOG = """what:
  fig1        the network MEHRA
  fig2        processor times on MEHRA by sample size, relative to QR, one thread
  threads     what threads gain, by wall time
  table1      distance of the learned networks from the true one, by protocol
  fig3        processor times on AIRLINE, GAS, HEPMASS, HIGGS and SUSY
  table2      these data sets
  complexity  cost predicted by the paper's expressions, and measured
  all         all of these (default)

data:
  Published files that are in the folder of the environment variable BNJIT_DATA are used; without them, synthetic
  data of the same shape. Figures say which.

examples:
  bnjit reproduce
  bnjit reproduce fig2 threads --sizes 100000,1000000 --samples 5
  bnjit reproduce table1 --scale paper --sizes 300000,1000000 --protocols local,bayes --out one
  bnjit reproduce --scale paper --out figures --also one/measurements.csv

Every finished measurement is kept in measurements.csv in the folder of --out. After Ctrl-C, or worse, the same
command continues where it stopped. Times count only on the machine that they were measured on; what Table 1 shows may
be measured anywhere, by several processes with folders of their own, and put together with --also.

exit status: 0 if it worked, 2 for input that cannot be used, 130 if it was interrupted."""


def add_reproduce(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    reproduce = add_command(
        commands,
        "reproduce",
        run_reproduce,
        help="regenerate the figures and tables of the paper",
        description="Measure what the figures and tables of the paper rest on, and draw them: PNG, SVG and CSV files\n"
        "and reproduce.html, one page that shows them all beside what the paper says.",
        epilog=EPILOG,
    )
    reproduce.add_argument("what", nargs="*", metavar="WHAT", help="figures and tables to make (default all)")
    reproduce.add_argument(
        "--scale", default="quick", metavar="S",
        help="quick, a few minutes (default), or paper, its own protocol: up to 50 million rows, 5 samples, 5 runs",
    )  # fmt: skip
    reproduce.add_argument("--sizes", metavar="N,N,...", help="sample sizes of MEHRA, instead of the scale's")
    reproduce.add_argument("--samples", type=int, metavar="K", help="samples of each size, instead of the scale's")
    reproduce.add_argument("--runs", type=int, metavar="K", help="runs on each sample, instead of the scale's")
    reproduce.add_argument(
        "--budget", type=float, metavar="S",
        help="seconds of searches for each of fig2 and fig3: runs and samples are added until intervals are narrow, "
        "or until then",
    )  # fmt: skip
    reproduce.add_argument(
        "--protocols", metavar="P,P,...",
        help="what table1 measures: reject, pool, exchange, local, pred, pred-pool, bayes, marginal, reject-truth, "
        "local-truth",
    )  # fmt: skip
    reproduce.add_argument("--splits", type=int, metavar="K", help="splits of a sample where table1 has test rows")
    reproduce.add_argument("--rows", type=int, metavar="N", help="rows of the tables of fig3 and table2 at most")
    reproduce.add_argument("--seed", type=int, default=1, metavar="N", help="seed of samples and order (default 1)")
    reproduce.add_argument("--threads", type=int, metavar="N", help="threads where time is not compared (default all)")
    reproduce.add_argument(
        "--no-knowledge", action="store_true", help="allow arcs into MEHRA's variables of place and time"
    )
    reproduce.add_argument(
        "--out", type=Path, default=Path("reproduced"), metavar="FOLDER", help="where to write (default reproduced)"
    )
    reproduce.add_argument(
        "--also", type=Path, action="append", default=[], metavar="FILE",
        help="a file of measurements from another folder, which count as well, those of accuracy whatever "
        "version of the code made them; may be repeated",
    )  # fmt: skip
    reproduce.add_argument(
        "--keep-times", action="store_true",
        help="draw the times that the files have, whatever version of the code was timed, and measure none",
    )  # fmt: skip
    reproduce.add_argument("--quiet", action="store_true", help="print nothing and show no progress bar")


def run_reproduce(given: argparse.Namespace) -> None:
    """Make the figures and tables that were asked for."""
    from bnjit.paper import reproduce

    try:
        sizes = None if given.sizes is None else [int(text.replace("_", "")) for text in given.sizes.split(",")]
    except ValueError:
        raise ArgumentError(f"--sizes {given.sizes}: write numbers of rows separated by commas, 10000,100000") from None
    made = reproduce(
        given.what or "all", scale=given.scale, sizes=sizes, samples=given.samples, runs=given.runs,
        budget=given.budget, protocols=None if given.protocols is None else given.protocols.split(","),
        splits=given.splits, rows=given.rows, seed=given.seed, n_threads=given.threads,
        knowledge=not given.no_knowledge, out=given.out,
        also=given.also, keep_times=given.keep_times, progress=not given.quiet,
    )  # fmt: skip
    if not given.quiet:
        sys.stdout.write(f"{made!r}\n")
