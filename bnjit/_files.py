"""Files that are there whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def write_whole(path: "str | os.PathLike[str]") -> Iterator[Path]:
    """Give the name of a new file beside `path`, which takes its place when all is written, and is removed otherwise.

    What was there before stays as it was on a full disk, after an error and after Ctrl-C, and a reader never sees a
    part. A link is followed, and the permissions of a file that is replaced are kept.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a device or a pipe
        yield target
        return
    part = target.with_name(f".{target.name[:64]}.{secrets.token_hex(6)}.part")
    try:
        yield part
        if target.exists():
            os.chmod(part, target.stat().st_mode & 0o7777)
        os.replace(part, target)
    except OSError as error:
        if error.filename == str(part):
            error.filename = str(path)  # which the user knows
        raise
    finally:
        part.unlink(missing_ok=True)
