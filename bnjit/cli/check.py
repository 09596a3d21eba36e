"""bnjit check: what stands in the way of learning from a file."""

import argparse
import shlex
import sys
from pathlib import Path

from bnjit._files import write_whole
from bnjit.cli.commands import add_command, check_file
from bnjit.cli.texts import for_the_command_line, names_of

DESCRIPTION = """Read a table once and say what stands in the way of learning a network from it, or misleads it:
missing values, constants, identifiers, dates, columns that repeat each other, and more."""

EPILOG = """examples:
  bnjit check penguins.csv
  bnjit check flights.parquet --discrete month --html report.html
  bnjit check survey.csv --out prepared.parquet
  bnjit learn prepared.parquet --missing em

exit status: 0 if nothing stands in the way, 1 if `bnjit learn` would stop, 2 for input that cannot be used."""


def add_check(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands,
        "check",
        run_check,
        help="say what stands in the way of learning from a table, and prepare it",
        usage="bnjit check TABLE [options]",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("table", metavar="TABLE", help="a file or a folder, as for bnjit learn")
    parser.add_argument(
        "--discrete", action="append", default=[], metavar="COLUMNS",
        help="numeric columns to treat as discrete, separated by commas; may be repeated",
    )  # fmt: skip
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the report to an .html file")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the table with the remedies applied, missing values as they are: .parquet or .csv",
    )
    parser.add_argument("--max-memory", metavar="SIZE", help="what rows may take in memory, like 2GB")
    parser.add_argument(
        "--out-of-core", action="store_true", default=None, help="read the file in batches, whatever its size"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing and show no progress bar")


def run_check(given: argparse.Namespace) -> int:
    """Check a table, print the report and write what was asked for; 1 if learning would stop."""
    check_file("--html", given.html, (".html",))
    check_file("--out", given.out, (".parquet", ".csv"))
    from bnjit.report import check

    report = check(
        given.table, discrete=names_of(given.discrete), max_memory=given.max_memory, out_of_core=given.out_of_core,
        progress=False if given.quiet else None,
    )  # fmt: skip
    if not given.quiet:
        from bnjit.report.text import as_text

        most = len(report.findings)
        sys.stdout.write(f"{as_text(report, for_the_command_line, most, lines_each=9)}\n")
    if given.html is not None:
        from bnjit.report.text import as_html
        from bnjit.review.page import make_page

        section = (
            "columns",
            "The columns of the table",
            f"<div class='check'>{as_html(report, for_the_command_line)}</div>",
        )
        page = make_page(Path(given.table).name, "What stands in the way of learning from it, by bnjit", [section])
        with write_whole(given.html) as part:
            part.write_text(page, encoding="utf-8")
    if given.out is not None:
        report.prepared(given.out)
        if not given.quiet:
            sys.stdout.write("".join(f"  {sentence}\n" for sentence in report.remedies or ["nothing was to change"]))
    if not given.quiet:
        sys.stdout.write("".join(f"  wrote {path}\n" for path in (given.html, given.out) if path is not None))
        if given.out is not None and any(one.problem == "missing" for one in report.findings):
            sys.stdout.write(
                f"  missing values stay: bnjit learn {shlex.quote(str(given.out))} --missing em fills them\n"
            )
    return int(report.stops_learning)
