"""bnjit learn: a network from a file."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bnjit._files import write_whole
from bnjit.cli.commands import add_command
from bnjit.cli.hints import arcs_without_a_score, continuous_codes, in_words
from bnjit.cli.reading import add_reading, rows_of
from bnjit.cli.texts import arcs_of, for_the_command_line, graph_of, names_of, tiers_of
from bnjit.errors import ArgumentError, BnjitError
from bnjit.options import ALGORITHMS, SCORES, Algorithm, Option, Score, as_algorithm, as_score, owners_of

if TYPE_CHECKING:
    from bnjit.explore import Page
    from bnjit.result import Result

IMAGES = (".png", ".svg", ".pdf")

# Options that belong to some scores or algorithms, and the argument that each of them is.
SCORE_OPTIONS = {
    "--sparse": "sparse", "--penalty": "penalty", "--density": "density", "--gamma": "gamma",
    "--imaginary-rows": "imaginary_rows", "--degrees-of-freedom": "degrees_of_freedom",
    "--test-fraction": "test", "--test-data": "test", "--folds": "folds",
    "--one-se": "one_se",
}  # fmt: skip
ALGORITHM_OPTIONS = {
    "--restarts": "restarts", "--perturb": "perturb", "--exchange": "exchange", "--tabu-length": "length",
    "--patience": "patience", "--until-repeated": "until_repeated", "--seconds": "seconds",
}  # fmt: skip

DESCRIPTION = """Learn the structure of a Bayesian network from a table by greedy search, print a summary,
and write the network where --out says."""

EPILOG = """columns:
  Text, boolean and categorical columns are discrete; numbers are continuous unless --discrete names them.
  Missing values are an error, unless --missing says what to do with them. See bnjit check TABLE.

examples:
  bnjit learn flights.parquet --discrete Month --out network.graphml --out network.png
  bnjit learn flights.parquet --report report.html --replicates 100
  bnjit learn survey.csv --score bde --algorithm tabu --max-parents 3
  bnjit learn survey.csv --tiers "age,sex|school|income" --algorithm boss --restarts 20
  bnjit learn january.csv --score pred --test-data february.csv
  bnjit learn years/ --out-of-core --max-memory 2GB --checkpoint years.npz
  bnjit learn s3://bucket/years/ --dask tcp://scheduler:8786
  bnjit learn sensors.csv --whitelist "wind->power" --blacklist forbidden.csv

Ctrl-C ends the search and keeps the best network so far.

exit status: 0 if it worked, 2 for input that cannot be used."""

T = TypeVar("T", bound=Option)


def add_learn(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    learn = add_command(
        commands,
        "learn",
        run_learn,
        help="learn the structure of a network from a CSV or Parquet file",
        usage="bnjit learn TABLE [options]",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    learn.add_argument(
        "table",
        metavar="TABLE",
        help="a .csv or .tsv (also compressed), .parquet or .arrow file, or a folder of .parquet files",
    )
    some = "Names before a colon are the {} that an option is for; with others it is an error."
    _add_score(learn.add_argument_group("what to maximise", some.format("scores")))
    _add_algorithm(learn.add_argument_group("how to search", some.format("algorithms")))
    _add_knowledge(learn.add_argument_group("what is known beforehand"))
    add_reading(learn.add_argument_group("how the table is read"))
    _add_output(learn.add_argument_group("output"))


def _add_score(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--score", default="bic", metavar="S",
        help="bic (default), aic, ebic, loglik, marginal (likelihood), pred (test rows) or cv (folds) for any columns; "
        "bde, bds, k2, qnml or fnml for discrete ones, bge for continuous ones",
    )  # fmt: skip
    group.add_argument(
        "--sparse", metavar="R",
        help="reject (default) structures with configurations of discrete parents that have too few rows for a "
        "regression, or pool such configurations; not for bde, bds, k2, qnml, fnml, bge and marginal",
    )  # fmt: skip
    group.add_argument(
        "--penalty", metavar="P",
        help="bic: global (default), or local: by the rows of each configuration of discrete parents",
    )  # fmt: skip
    group.add_argument(
        "--density", metavar="D",
        help="pred, cv: of test rows under the estimates, plugin (default), or with parameters integrated out, bayes",
    )  # fmt: skip
    group.add_argument(
        "--test-fraction", type=float, metavar="F", help="pred: share of the rows to test on (default 0.25)"
    )
    group.add_argument(
        "--test-data", metavar="FILE", help="pred: table of test rows; all rows of TABLE are training rows"
    )
    group.add_argument("--folds", type=int, metavar="K", help="cv: number of folds (default 10)")
    group.add_argument(
        "--one-se", action="store_true", default=None,
        help="cv: in the end, drop arcs that gain no more than one standard error of their gain over the folds",
    )  # fmt: skip
    group.add_argument("--gamma", type=float, metavar="G", help="ebic: weight of its penalty per parent (default 0.5)")
    group.add_argument(
        "--imaginary-rows",
        type=float,
        metavar="N",
        help="bde, bds, bge, marginal: rows that the prior is worth (default 1)",
    )
    group.add_argument(
        "--degrees-of-freedom", type=float, metavar="N",
        help="bge, marginal: of the Wishart prior, more than the columns and 1 (default the columns and 2)",
    )  # fmt: skip
    group.add_argument(
        "--estimator", default="stats", metavar="E",
        help="how continuous nodes are estimated: stats (default, fastest), or the paper's qr, 1p, 2p; same result",
    )  # fmt: skip


def _add_algorithm(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--algorithm", default="hc", metavar="A",
        help="hc, hill climbing (default, fastest); tabu, tabu search; boss, order search (better networks); ges, "
        "greedy equivalence search; exact, the best network there is (up to 25 columns or so); thorough, all of these "
        "in turn",
    )  # fmt: skip
    group.add_argument(
        "--restarts", type=int, metavar="N",
        help="hc, tabu, boss, thorough: perturb the best network and search again, so many times (default 0, thorough "
        "10)",
    )  # fmt: skip
    group.add_argument(
        "--seconds", type=float, metavar="S",
        help="thorough: begin nothing more after so long; the result then depends on the machine",
    )  # fmt: skip
    group.add_argument(
        "--perturb", type=int, metavar="N", help="hc, tabu, boss: random moves of a restart (default 1; boss more)"
    )
    group.add_argument(
        "--until-repeated", action="store_true", default=None,
        help="hc, tabu: make no more restarts after one that led back to the best network",
    )  # fmt: skip
    group.add_argument(
        "--exchange", action="store_true", default=None,
        help="hc, tabu, boss: exchange parents where no single arc improves the score, and search on",
    )  # fmt: skip
    group.add_argument("--tabu-length", type=int, metavar="N", help="tabu: graphs that it remembers (default 10)")
    group.add_argument(
        "--patience", type=int, metavar="N", help="tabu: moves without improvement (default as --tabu-length)"
    )
    group.add_argument("--max-iter", type=int, metavar="N", help="stop after so many moves")
    group.add_argument("--seed", type=int, metavar="N", help="seed of restarts, test rows and folds")
    group.add_argument(
        "--threads", type=int, metavar="N", help="threads to use (default all); never changes the result"
    )
    group.add_argument(
        "--checkpoint", type=Path, metavar="FILE",
        help="keep the local scores in a file; the same command goes on from there after a crash",
    )  # fmt: skip


def _add_knowledge(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--max-parents", type=int, metavar="N", help="most parents of a node")
    for name, text in (("whitelist", "must"), ("blacklist", "must not")):
        group.add_argument(
            f"--{name}", action="append", default=[], metavar="ARCS",
            help=f"arcs that {text} be in the network: 'A->B', several separated by commas, or a .csv file with the "
            "columns from and to; may be repeated",
        )  # fmt: skip
    group.add_argument(
        "--tiers", metavar="TIERS",
        help="all columns in tiers, 'A,B|C,D', or a .txt file with a line for each tier; no arc goes from a later tier "
        "to an earlier one",
    )  # fmt: skip
    group.add_argument(
        "--start", metavar="GRAPH",
        help="where to start: a model string '[A][B|A]', arcs 'A->B,B->C', or a .csv, .graphml, .dot, .json or .txt "
        "file (default no arcs)",
    )  # fmt: skip


def _add_output(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--out", action="append", default=[], type=Path, metavar="FILE",
        help="write the network: .graphml, .dot, .json, .txt (model string), or a drawing: .png, .svg, .pdf; "
        "may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--report", type=Path, metavar="FILE",
        help="write an .html page for a colleague: the network to explore, the search, how well each node is "
        "predicted, the check of the columns",
    )  # fmt: skip
    group.add_argument(
        "--replicates", type=int, metavar="N",
        help="how sure each arc is, for --report: learn from so many bootstrap replicates, too",
    )  # fmt: skip
    group.add_argument("--trace", type=Path, metavar="FILE", help="write every accepted move to a .csv file")
    group.add_argument("--quiet", action="store_true", help="print nothing and show no progress bar")


def run_learn(given: argparse.Namespace) -> None:
    """Learn a network, and print and write what was asked for."""
    _check_files(given)
    score, algorithm = _score(given), _algorithm(given)
    from bnjit.api import learn

    discrete = names_of(given.discrete)
    with rows_of(given) as rows:
        _announce(given, rows, discrete)
        options: dict[str, Any] = {
            "whitelist": arcs_of(given.whitelist, "--whitelist"), "blacklist": arcs_of(given.blacklist, "--blacklist"),
            "tiers": tiers_of(given.tiers), "max_parents": given.max_parents, "start": graph_of(given.start, "--start"),
            "estimator": given.estimator, "max_iter": given.max_iter, "seed": given.seed, "n_threads": given.threads,
            "progress": False if given.quiet else None, "discrete": discrete, "max_memory": given.max_memory,
            "out_of_core": given.out_of_core, "missing": given.missing, "weights": given.weights,
        }  # fmt: skip
        result = learn(rows, score, algorithm, checkpoint=given.checkpoint, **options)
        strength = report = None
        if given.replicates is not None:
            from bnjit.strength import arc_strength

            strength = arc_strength(rows, given.replicates, score, algorithm, **options)
        if given.report is not None:
            from bnjit.review import make_review
            from bnjit.review.tuning import TEST

            title = Path(given.table).name
            report = make_review(
                result, None, rows, strength, title, TEST, None, given.weights, say=for_the_command_line
            )
    if not given.quiet:
        sys.stdout.write(f"{result!r}\n")
        if not given.out:
            sys.stdout.write("".join(f"  {a} -> {b}\n" for a, b in result.dag.edges))
        codes = continuous_codes(given, result)
        if codes:
            sys.stdout.write(f"  {in_words(codes)}\n")
        impossible = arcs_without_a_score(given, result)
        if impossible:
            sys.stdout.write(f"  {impossible}\n")
    _write_files(given, result, report)


def _score(given: argparse.Namespace) -> Score:
    as_score(given.score)  # which says what there is
    return _choose(given, "score", SCORES, SCORE_OPTIONS)


def _algorithm(given: argparse.Namespace) -> Algorithm:
    as_algorithm(given.algorithm)
    return _choose(given, "algorithm", ALGORITHMS, ALGORITHM_OPTIONS)


def _choose(given: argparse.Namespace, kind: str, known: Mapping[str, type[T]], options: Mapping[str, str]) -> T:
    """Make a score or an algorithm with the options that were given; one that belongs to others is an error."""
    name = getattr(given, kind)
    arguments: dict[str, Any] = {}
    for option, argument in options.items():
        value = getattr(given, option.strip("-").replace("-", "_"))
        if value is None:
            continue
        owners = [owner.name for owner in owners_of(argument, known)]
        if name not in owners:
            some = " or ".join([*([", ".join(owners[:-1])] if len(owners) > 1 else []), owners[-1]])
            raise ArgumentError(f"{option} belongs to --{kind} {some}; with --{kind} {name} leave it out")
        if argument in arguments:
            both = " and ".join(other for other, same in options.items() if same == argument)
            raise ArgumentError(f"{both} exclude each other; give one of them")
        arguments[argument] = value
    return known[name](**arguments)


def _check_files(given: argparse.Namespace) -> None:
    """Raise for files that cannot be written, before anything is learned."""
    from bnjit.graph.files import writable

    for path in given.out:
        if path.suffix.lower() not in (*writable(), *IMAGES):
            known = ", ".join((*writable(), *IMAGES))
            raise ArgumentError(f"--out {path}: the name must end in {known}")
    if given.replicates is not None and given.report is None:
        raise ArgumentError("--replicates is for --report, which is not given")
    others = [("--trace", given.trace, ".csv"), ("--report", given.report, ".html")]
    for option, path, ending in others:
        if path is not None and path.suffix.lower() != ending:
            raise ArgumentError(f"{option} {path}: the name must end in {ending}")
    for option, path in [*(("--out", path) for path in given.out), *(one[:2] for one in others)]:
        if path is not None and not path.parent.is_dir():
            raise ArgumentError(f"{option} {path}: there is no folder {str(path.parent)!r}")


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
        with write_whole(path) as part:
            result.trace.to_csv(part, index=False)
    elif path.suffix.lower() in IMAGES:
        from bnjit.plots import save_dag

        save_dag(result.dag, path)
    else:
        write_dag(result.dag, path)


def _write_files(given: argparse.Namespace, result: "Result", report: "Page | None") -> None:
    """Write all files; one that cannot be written does not keep the others from being written."""
    failed: list[BnjitError | OSError] = []
    for path in [*given.out, *(path for path in (given.trace, given.report) if path)]:
        try:
            if report is not None and path == given.report:
                report.save(path)
            else:
                _write(result, path)
        except (BnjitError, OSError) as error:
            failed.append(error)
        else:
            if not given.quiet:
                sys.stdout.write(f"  wrote {path}\n")
    if failed:
        raise failed[0]
