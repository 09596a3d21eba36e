"""How a command is added to the command line."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bnjit.errors import ArgumentError


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


def check_file(option: str, path: Path | None, endings: Sequence[str]) -> None:
    """Raise for a file that cannot be written, before anything is computed."""
    if path is not None and path.suffix.lower() not in endings:
        raise ArgumentError(f"{option} {path}: the name must end in {' or '.join(endings)}")
    if path is not None and not path.parent.is_dir():
        raise ArgumentError(f"{option} {path}: there is no folder {str(path.parent)!r}")
