"""The command line: bnjit learn TABLE, bnjit reproduce."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnjit import __version__
from bnjit.errors import ArgumentError, BnjitError

if TYPE_CHECKING:
    from bnjit.result import Result

IMAGES = (".png", ".svg", ".pdf")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it worked, 2 with one line on standard error for bad input."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help()
        return 0
    try:
        given.run(given)
    except BnjitError as error:
        sys.stderr.write(f"bnjit: {error}\n")
        return 2
    except BrokenPipeError:
        return 0
    except OSError as error:
        sys.stderr.write(f"bnjit: {error.filename or 'file'}: {error.strerror or error}\n")
        return 2
    except KeyboardInterrupt as stop:
        sys.stderr.write(f"bnjit: {str(stop) or 'interrupted before there was anything to keep'}\n")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bnjit", description="Learn Bayesian networks from large tables.")
    parser.add_argument("--version", action="version", version=f"bnjit {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    _add_learn(commands)
    _add_reproduce(commands)
    return parser


def _add_learn(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    learn = commands.add_parser(
        "learn",
        help="learn the structure of a network from a CSV or Parquet file",
        description="Learn the structure of a Bayesian network from a table by greedy search, print a summary,\n"
        "and write the network where --out says.",
        epilog="""columns:
  Text, boolean and categorical columns are discrete; numbers are continuous unless --discrete names them.
  Missing values are not supported: drop or impute them first.

examples:
  bnjit learn flights.parquet --discrete Month --out network.graphml --out network.png
  bnjit learn survey.csv --score bde --algorithm tabu --max-parents 3
  bnjit learn years/ --out-of-core --max-memory 2GB --checkpoint years.npz
  bnjit learn s3://bucket/years/ --dask tcp://scheduler:8786
  bnjit learn sensors.csv --whitelist "wind->power" --blacklist forbidden.csv

Ctrl-C ends the search and keeps the best network so far.

exit status: 0 if it worked, 2 for input that cannot be used.""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    learn.set_defaults(run=_learn)
    learn.add_argument(
        "table", metavar="TABLE", help="a .csv, .tsv (also .gz), .parquet or .arrow file, or a folder of .parquet files"
    )
    what = learn.add_argument_group("what to maximise")
    what.add_argument(
        "--score", default="bic", metavar="S",
        help="bic (default), aic, ebic, loglik, pred or cv for any columns; bde, bds or k2 for discrete ones, "
        "bge for continuous ones",
    )  # fmt: skip
    what.add_argument(
        "--method", default="stats", metavar="M",
        help="estimator of continuous nodes: stats (default, fastest), or the paper's qr, 1p, 2p; same result",
    )  # fmt: skip
    what.add_argument(
        "--test-fraction", type=float, default=0.25, metavar="F", help="share of rows that pred tests on (default 0.25)"
    )
    what.add_argument("--folds", type=int, default=10, metavar="K", help="folds of cv (default 10)")
    what.add_argument(
        "--one-se", action="store_true",
        help="with cv: drop arcs that gain no more than one standard error of their gain over the folds",
    )  # fmt: skip
    what.add_argument(
        "--sparse", default="reject", metavar="R",
        help="what becomes of configurations with too few rows for a regression: reject (default) or pool",
    )  # fmt: skip
    how = learn.add_argument_group("how to search")
    how.add_argument(
        "--algorithm", default="hc", metavar="A",
        help="hc, hill climbing (default), tabu, boss, order search, or ges, greedy equivalence search",
    )  # fmt: skip
    how.add_argument("--restarts", type=int, default=0, metavar="N", help="random restarts (default 0)")
    how.add_argument("--perturb", type=int, metavar="N", help="random moves of a restart (default 1; boss: more)")
    how.add_argument("--exchange", action="store_true", help="exchange parents where no single arc helps; not for ges")
    how.add_argument("--tabu", type=int, default=10, metavar="N", help="graphs that tabu search remembers (default 10)")
    how.add_argument("--max-tabu", type=int, metavar="N", help="its moves without improvement (default: as --tabu)")
    how.add_argument("--max-iter", type=int, metavar="N", help="stop after so many moves")
    how.add_argument("--seed", type=int, metavar="N", help="seed of restarts, test rows and folds")
    how.add_argument("--threads", type=int, metavar="N", help="threads to use (default all); never changes the result")
    how.add_argument(
        "--checkpoint", type=Path, metavar="FILE",
        help="keep the local scores in a file; the same command goes on from there after a crash",
    )  # fmt: skip
    scale = learn.add_argument_group("tables larger than memory")
    scale.add_argument(
        "--out-of-core", action="store_true", default=None,
        help="read a .parquet or .arrow file, or a folder of .parquet files, in chunks, whatever its size",
    )  # fmt: skip
    scale.add_argument(
        "--max-memory", metavar="SIZE",
        help="what rows may take in memory, like 2GB (default half of what is free); more is read in chunks",
    )  # fmt: skip
    scale.add_argument(
        "--dask", metavar="ADDRESS",
        help="read Parquet by the workers of the Dask scheduler at this address; only statistics come here",
    )  # fmt: skip
    limits = learn.add_argument_group("constraints")
    limits.add_argument("--max-parents", type=int, metavar="N", help="most parents of a node")
    for name, text in (("whitelist", "must"), ("blacklist", "must not")):
        limits.add_argument(
            f"--{name}", action="append", default=[], metavar="ARCS",
            help=f"arcs that {text} be in the network: 'A->B', several separated by commas, or a CSV file with the "
            "columns from and to; may be repeated",
        )  # fmt: skip
    columns = learn.add_argument_group("columns and output")
    columns.add_argument(
        "--discrete", action="append", default=[], metavar="COLUMNS",
        help="numeric columns to treat as discrete, separated by commas; may be repeated",
    )  # fmt: skip
    columns.add_argument(
        "--out", action="append", default=[], type=Path, metavar="FILE",
        help="write the network: .graphml, .dot, .json, .txt (model string), or a drawing: .png, .svg, .pdf; "
        "may be repeated",
    )  # fmt: skip
    columns.add_argument("--trace", type=Path, metavar="FILE", help="write every accepted move to a .csv file")
    columns.add_argument("--quiet", action="store_true", help="print nothing and show no progress bar")


def _add_reproduce(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    reproduce = commands.add_parser(
        "reproduce",
        help="regenerate the figures and tables of the paper",
        description="Measure what the figures and tables of the paper rest on, and draw them: PNG, SVG and CSV files\n"
        "and reproduce.html, one page that shows them all beside what the paper says.",
        epilog="""what:
  fig1        the network MEHRA
  fig2        running times on MEHRA by sample size, relative to QR
  table1      distance of the learned networks from the true one
  fig3        running times on AIRLINE, GAS, HEPMASS, HIGGS and SUSY
  table2      these data sets
  complexity  cost predicted by the paper's expressions, and measured
  all         all of these (default)

data:
  Published files that are in the folder of the environment variable BNJIT_DATA are used; without them, synthetic
  data of the same shape. Figures say which.

examples:
  bnjit reproduce
  bnjit reproduce fig2 table1 --sizes 100000,1000000 --samples 5
  bnjit reproduce --scale paper --out figures-paper

Every finished measurement is kept in measurements.csv in the folder of --out. After Ctrl-C, or worse, the same
command continues where it stopped.

exit status: 0 if it worked, 2 for input that cannot be used, 130 if it was interrupted.""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reproduce.set_defaults(run=_reproduce)
    reproduce.add_argument("what", nargs="*", metavar="WHAT", help="figures and tables to make (default all)")
    reproduce.add_argument(
        "--scale", default="quick", metavar="S",
        help="quick, a few minutes (default), or paper, its own protocol: up to 50 million rows, 5 samples, 5 runs",
    )  # fmt: skip
    reproduce.add_argument("--sizes", metavar="N,N,...", help="sample sizes of MEHRA, instead of the scale's")
    reproduce.add_argument("--samples", type=int, metavar="K", help="samples of each size, instead of the scale's")
    reproduce.add_argument("--runs", type=int, metavar="K", help="runs on each sample, instead of the scale's")
    reproduce.add_argument("--seed", type=int, default=1, metavar="N", help="seed of samples and order (default 1)")
    reproduce.add_argument("--threads", type=int, metavar="N", help="threads of a search (default all)")
    reproduce.add_argument(
        "--no-knowledge", action="store_true", help="allow arcs into MEHRA's variables of place and time"
    )
    reproduce.add_argument(
        "--out", type=Path, default=Path("figures"), metavar="FOLDER", help="where to write (default figures)"
    )
    reproduce.add_argument("--quiet", action="store_true", help="print nothing and show no progress bar")


def _reproduce(given: argparse.Namespace) -> None:
    from bnjit.paper import reproduce

    try:
        sizes = None if given.sizes is None else [int(text.replace("_", "")) for text in given.sizes.split(",")]
    except ValueError:
        raise ArgumentError(f"--sizes {given.sizes}: write numbers of rows separated by commas, 10000,100000") from None
    made = reproduce(
        given.what or "all", scale=given.scale, sizes=sizes, samples=given.samples, runs=given.runs, seed=given.seed,
        n_threads=given.threads, knowledge=not given.no_knowledge, out=given.out, progress=not given.quiet,
    )  # fmt: skip
    if not given.quiet:
        sys.stdout.write(f"{made!r}\n")


def _learn(given: argparse.Namespace) -> None:
    from bnjit.graph.files import writable

    for path in given.out:
        if path.suffix.lower() not in (*writable(), *IMAGES):
            known = ", ".join((*writable(), *IMAGES))
            raise ArgumentError(f"--out {path}: the name must end in {known}")
    for option, path in [*(("--out", path) for path in given.out), ("--trace", given.trace)]:
        if option == "--trace" and path is not None and path.suffix.lower() != ".csv":
            raise ArgumentError(f"--trace {path}: the name must end in .csv")
        if path is not None and not path.parent.is_dir():
            raise ArgumentError(f"{option} {path}: there is no folder {str(path.parent)!r}")
    from bnjit.api import learn

    discrete = [name.strip() for text in given.discrete for name in text.split(",")]
    with _rows(given) as rows:
        _announce(given, rows, discrete)
        result = learn(
            rows, given.score, given.method, given.algorithm,
            whitelist=_arcs(given.whitelist, "--whitelist"), blacklist=_arcs(given.blacklist, "--blacklist"),
            max_parents=given.max_parents, max_iter=given.max_iter, tabu=given.tabu, max_tabu=given.max_tabu,
            restarts=given.restarts, perturb=given.perturb, exchange=given.exchange,
            test_fraction=given.test_fraction, folds=given.folds, one_se=given.one_se, sparse=given.sparse,
            discrete=discrete, seed=given.seed, n_threads=given.threads, progress=False if given.quiet else None,
            max_memory=given.max_memory, out_of_core=given.out_of_core, checkpoint=given.checkpoint,
        )  # fmt: skip
    if not given.quiet:
        sys.stdout.write(f"{result!r}\n")
        if not given.out:
            sys.stdout.write("".join(f"  {a} -> {b}\n" for a, b in result.dag.edges))
    # A file that cannot be written does not keep the others from being written.
    failed: list[BnjitError | OSError] = []
    for path in [*given.out, *([given.trace] if given.trace else [])]:
        try:
            _write(result, path)
        except (BnjitError, OSError) as error:
            failed.append(error)
        else:
            if not given.quiet:
                sys.stdout.write(f"  wrote {path}\n")
    if failed:
        raise failed[0]


def _rows(given: argparse.Namespace) -> AbstractContextManager[Any]:
    """What to learn from: the path as it is, or read on a cluster."""
    if given.dask is None:
        return nullcontext(given.table)
    from bnjit.data.dask.cluster import read_on_cluster

    return read_on_cluster(given.table, given.dask)


def _announce(given: argparse.Namespace, rows: Any, discrete: list[str]) -> None:
    """Say beforehand what a table that comes in chunks, or from a cluster, will take."""
    from bnjit.forecast import forecast

    line = None if given.quiet else forecast(rows, discrete, given.max_memory, given.out_of_core, given.table)
    if line is not None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def _write(result: "Result", path: Path) -> None:
    from bnjit.graph.files import write_dag

    if path.suffix.lower() == ".csv":
        result.trace.to_csv(path, index=False)
    elif path.suffix.lower() in IMAGES:
        from bnjit.plots import save_dag

        save_dag(result.dag, path)
    else:
        write_dag(result.dag, path)


def _arcs(texts: list[str], option: str) -> list[tuple[str, str]] | None:
    """Arcs of an option: A->B,C->D, or a CSV file with the columns from and to."""
    arcs: list[tuple[str, str]] = []
    for text in texts:
        if Path(text).suffix.lower() == ".csv":
            arcs += _arcs_of_file(Path(text), option)
            continue
        for part in text.split(","):
            source, arrow, target = part.partition("->")
            if not arrow:
                raise ArgumentError(f"{option} {text}: {part!r} is no arc; write 'A->B', or the name of a .csv file")
            arcs.append((source.strip(), target.strip()))
    return arcs or None


def _arcs_of_file(path: Path, option: str) -> list[tuple[str, str]]:
    import csv

    if not path.exists():
        raise ArgumentError(f"{option} {path}: there is no such file")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except UnicodeDecodeError:
        raise ArgumentError(f"{option} {path}: the file is not in UTF-8") from None
    for row in rows:
        if not row.get("from") or not row.get("to"):
            raise ArgumentError(f"{option} {path}: the file needs the columns from and to, filled in every row")
    return [(row["from"].strip(), row["to"].strip()) for row in rows]


if __name__ == "__main__":
    raise SystemExit(main())
