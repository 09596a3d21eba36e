"""The command line: bnjit check TABLE, bnjit learn TABLE, bnjit reproduce, bnjit compile."""

import argparse
import sys
from collections.abc import Sequence

from bnjit import __version__
from bnjit.cli.check import add_check
from bnjit.cli.compile import add_compile
from bnjit.cli.learn import add_learn
from bnjit.cli.reproduce import add_reproduce
from bnjit.cli.texts import for_the_command_line
from bnjit.errors import BnjitError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it worked, 2 with a word on standard error for bad input."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help()
        return 0
    try:
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bnjit", description="Learn Bayesian networks from large tables.")
    parser.add_argument("--version", action="version", version=f"bnjit {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    add_learn(commands)
    add_check(commands)
    add_reproduce(commands)
    add_compile(commands)
    return parser
