"""bnjit markov: whether a table contradicts a graph."""

import argparse
import sys
from pathlib import Path

from bnjit._files import write_whole
from bnjit.cli.commands import add_command, check_file
from bnjit.cli.reading import add_reading, reading_of, rows_of
from bnjit.cli.texts import for_the_command_line, graph_or_network, names_of

EPILOG = """DAG is as for bnjit fit. There is one test for each pair of columns without an arc.

examples:
  bnjit markov net.json february.csv
  bnjit markov "[a][b|a][c|b]" table.parquet --correction bh --out tests.csv --plot p-values.png

exit status: 0 if nothing contradicts the graph, 1 if something does, 2 for input that cannot be used."""
IMAGES = (".png", ".svg", ".pdf")


def add_markov(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands, "markov", run_markov, help="test whether a table contradicts a graph",
        usage="bnjit markov DAG TABLE [options]", epilog=EPILOG,
        description="Test the independencies that a graph implies, and print the worst contradictions.",
    )  # fmt: skip
    parser.add_argument("dag", metavar="DAG", help="the structure, see below")
    parser.add_argument("table", metavar="TABLE", help="a file or a folder, as for bnjit learn")
    parser.add_argument(
        "--test", action="append", metavar="TESTS",
        help="tests to use where they apply, separated by commas: x2-adj (default), x2, x2-adf, mi or mi-adf for "
        "discrete columns; cor (default), zf or mi-g for continuous ones; mi-cg-adj (default) or mi-cg for both",
    )  # fmt: skip
    parser.add_argument("--level", type=float, default=0.05, metavar="P", help="of significance (default 0.05)")
    parser.add_argument("--correction", default="holm", metavar="C", help="for many tests: holm (default), bh or none")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write all tests to a .csv file")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw p-values against uniform ones: .png, .svg or .pdf"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use (default all)")
    parser.add_argument("--quiet", action="store_true", help="print nothing")
    add_reading(parser.add_argument_group("how the table is read"), ("error", "drop", "available"))


def run_markov(given: argparse.Namespace) -> int:
    """Test a graph, print what contradicts it and write what was asked for; 1 if anything does."""
    check_file("--out", given.out, (".csv",))
    check_file("--plot", given.plot, IMAGES)
    from bnjit.markov import check_markov

    dag = graph_or_network(given.dag, "DAG")
    with rows_of(given) as rows:
        report = check_markov(
            dag, rows, None if given.test is None else names_of(given.test), level=given.level,
            correction=given.correction, **reading_of(given),
        )  # fmt: skip
    if not given.quiet:
        sys.stdout.write(f"{for_the_command_line(repr(report))}\n")
    if given.out is not None:
        tests = report.tests.assign(given=[":".join(map(str, names)) for names in report.tests["given"]])
        with write_whole(given.out) as part:
            tests.to_csv(part, index=False)
    if given.plot is not None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(4.2, 4.0), layout="constrained")
        report.plot(figure.add_subplot())
        with write_whole(given.plot) as part:
            figure.savefig(part, dpi=150.0, format=given.plot.suffix[1:].lower())
    if not given.quiet:
        sys.stdout.write("".join(f"  wrote {path}\n" for path in (given.out, given.plot) if path is not None))
    return int(report.contradicted)
