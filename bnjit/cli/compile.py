"""bnjit compile: machine code of kernels ahead of their first use."""

import argparse
import sys
import time

from bnjit.cli.commands import add_command

EPILOG = """examples:
  bnjit compile
  bnjit compile --all
  BNJIT_CACHE=/opt/kernels bnjit compile      # for an image; the same variable where it runs

exit status: 0 if it worked, 2 for input that cannot be used, 130 if it was interrupted."""


def add_compile(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options to a parser."""
    parser = add_command(
        commands,
        "compile",
        run_compile,
        help="compile everything ahead, so that the first search starts at once",
        description="Compile the kernels that learning needs, and keep them beside the package, in the user's folder\n"
        "for such files, or where BNJIT_CACHE says.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="for all scores, algorithms and estimators, not for defaults alone",
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing and show no progress bar")


def run_compile(given: argparse.Namespace) -> None:
    """Compile, and say what was done."""
    from bnjit._kernel_cache import folder_to_write
    from bnjit.compiling import compile

    began = time.perf_counter()
    number = compile(given.all, progress=False if given.quiet else None)
    if not given.quiet:
        where = folder_to_write()
        kept = "kept nowhere (see BNJIT_CACHE)" if where is None else f"kept in {where}"
        sys.stdout.write(f"{number} kernels compiled in {time.perf_counter() - began:.0f} s, {kept}\n")
