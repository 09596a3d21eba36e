"""The command line: from a table to a network and what it says, and the paper's figures; bnjit --help lists it."""

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bnjit import __version__
from bnjit.cli.check import add_check
from bnjit.cli.compile import add_compile
from bnjit.cli.fit import add_fit
from bnjit.cli.learn import add_learn
from bnjit.cli.markov import add_markov
from bnjit.cli.predict import add_predict
from bnjit.cli.query import add_query
from bnjit.cli.reproduce import add_reproduce
from bnjit.cli.sample import add_sample
from bnjit.cli.texts import for_the_command_line
from bnjit.errors import BnjitError, BnjitWarning


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it worked, 2 with a word on standard error for bad input."""
    parser = make_parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help()
        return 0
    try:
        with _warnings_in_one_line():
            return given.run(given) or 0
    except BnjitError as error:
        sys.stderr.write(f"bnjit: {for_the_command_line(str(error))}\n")
        return 2
    except BrokenPipeError:
        return 0
    except OSError as error:
        sys.stderr.write(f"bnjit: {error.filename or 'file'}: {error.strerror or error}\n")
        return 2
    except KeyboardInterrupt as stop:
        sys.stderr.write(f"bnjit: {str(stop) or 'interrupted before there was anything to keep'}\n")
        return 130


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    """Show warnings of bnjit as messages, without the line of Python that they come from."""
    before = warnings.formatwarning

    def shown(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
    ) -> str:
        if issubclass(category, BnjitWarning):
            clear = "\r\x1b[K" if sys.stderr.isatty() else ""  # a progress bar, which is drawn again below
            return f"{clear}bnjit: {for_the_command_line(str(message))}\n"
        return before(message, category, filename, lineno, line)

    warnings.formatwarning = shown
    try:
        yield
    finally:
        warnings.formatwarning = before


def make_parser() -> argparse.ArgumentParser:
    """Parser of all commands."""
    parser = argparse.ArgumentParser(prog="bnjit", description="Learn Bayesian networks from large tables.")
    parser.add_argument("--version", action="version", version=f"bnjit {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for add in (
        add_check, add_learn, add_fit, add_query, add_predict, add_sample, add_markov, add_reproduce, add_compile,
    ):  # fmt: skip
        add(commands)
    return parser
