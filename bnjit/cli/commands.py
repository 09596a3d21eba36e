"""How a command is added to the command line."""

import argparse
from collections.abc import Callable
from typing import Any


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str,
    run: Callable[[argparse.Namespace], int | None], **texts: Any,
) -> argparse.ArgumentParser:  # fmt: skip
    """Add a command that `run` runs; it may return an exit status.

    Texts (help, usage, description, epilog) are shown as they are written.
    """
    parser = commands.add_parser(name, formatter_class=argparse.RawDescriptionHelpFormatter, **texts)
    parser.set_defaults(run=run)
    return parser
