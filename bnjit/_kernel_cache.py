"""Machine code of kernels on disk: found again if nothing changed, and made again if it is damaged.

Numba's own cache stops every later start if one of its files is damaged, fails where nothing can be written, and does
not see changes of kernels in other modules that a kernel calls. Here a file holds one compiled kernel and a checksum,
and its name says what it was made from: the sources of all kernels, the types of the arguments, the processor, and the
versions of Python and Numba.
"""

import hashlib
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache

from bnjit._files import write_whole
from bnjit.errors import warn

SETTING = "BNJIT_CACHE"  # 0 for no cache, or a folder
DIGEST = 32  # bytes of a checksum
DAY = 86_400.0  # seconds
OLD_DAYS = 90  # after which code that was not read is removed

_watchers: list[Callable[[], None]] = []  # told of every kernel that is to be compiled


class KernelCache(NullCache):  # type: ignore[misc]
    """What Numba asks before it compiles a function, and tells afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._sources = function, sources()

    @property
    def cache_path(self) -> str | None:
        """Folder that the code is written to."""
        folder = folder_to_write()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for some types of arguments, or None if it is to be compiled."""
        target_context.refresh()
        name = self._name(sig, target_context.codegen())
        for folder in folders_to_read():
            payload = _read(folder / name)
            if payload is None:
                continue
            try:
                from numba.core.compiler import CompileResult

                return CompileResult._rebuild(target_context, *pickle.loads(payload))
            except Exception:  # from another release, or by chance: it is compiled again
                continue
        for watcher in tuple(_watchers):
            watcher()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if a folder can be written."""
        folder = folder_to_write()
        if folder is None:
            return
        payload = pickle.dumps(data._reduce(), protocol=pickle.HIGHEST_PROTOCOL)
        try:
            with write_whole(folder / self._name(sig, data.codegen)) as part:
                part.write_bytes(hashlib.sha256(payload).digest() + payload)
        except (OSError, pickle.PicklingError):  # a full disk: the next process compiles again
            return
        remove_old(folder)

    def _name(self, sig: Any, codegen: Any) -> str:
        module = self._function.__module__.rpartition(".")[2]
        made_from = str((str(sig), codegen.magic_tuple(), self._sources, _VERSIONS))
        key = hashlib.sha256(made_from.encode()).hexdigest()[:32]
        return f"{module}.{self._function.__name__}.{key}.kernel"


_VERSIONS = (sys.version, numba.__version__)


@cache
def sources() -> str:
    """Checksum of all that kernels are made from, as it is when the first of them is defined."""
    package = Path(__file__).parent
    files = [
        *sorted((package / "kernels").glob("*.py")),
        package / "_jit.py",
        package / "_simd.py",
        package / "_eight.py",
    ]
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def _read(path: Path) -> bytes | None:
    """Return what a file holds, without its checksum; None if it is not there or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):  # a folder that can only be read is left alone
        if time.time() - path.stat().st_mtime > OLD_DAYS * DAY / 3:
            os.utime(path)
    payload = content[DIGEST:]
    return payload if hashlib.sha256(payload).digest() == content[:DIGEST] else None


@cache
def remove_old(folder: Path, days: float = OLD_DAYS) -> int:
    """Remove code that nobody read for long: that of earlier releases, and of types that are asked for no more."""
    removed, before = 0, time.time() - days * DAY
    for path in folder.glob("*.kernel"):
        with suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()
                removed += 1
    return removed


def folders_to_read() -> Iterator[Path]:
    """Folders that may hold code, the first that has it counts: what an image was built with is read-only, for one.

    Those that nobody comes to ask are not even looked for.
    """
    setting = os.environ.get(SETTING, "1")
    if setting == "0":
        return
    if setting not in ("", "1"):
        yield Path(os.path.expanduser(setting))
    elif numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / "bnjit"
    else:
        yield Path(__file__).parent / "kernels" / "__pycache__"
        yield from (folder for find in (_of_user, _temporary) if (folder := find()) is not None)


@cache
def folder_to_write() -> Path | None:
    """First folder that can be written, or None after a warning that every process compiles again."""
    tried: list[Path] = []
    for folder in folders_to_read():
        if _is_writable(folder):
            if len(tried) > 1:
                _warn(f"compiled code is kept in {folder}, which may be emptied at any time", tried)
            return folder
        tried.append(folder)
    if tried:
        _warn("compiled code cannot be kept, so that every process takes long to start", tried)
    return None


def _warn(what: str, folders: list[Path]) -> None:
    tried = ", ".join(map(str, folders))
    warn(f"{what}: no file can be written in {tried}. Set {SETTING} to a folder, or to 0 for none.")


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def _of_user() -> Path | None:
    """The user's folder for such files; None for a user without a home."""
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("bnjit", appauthor=False) / "kernels"
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None


@cache
def _temporary() -> Path | None:
    """A folder for temporary files that is this user's alone: who can write there decides what code runs."""
    if not hasattr(os, "getuid"):
        return None
    folder = Path(tempfile.gettempdir()) / f"bnjit-kernels-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    is_own = folder.is_dir() and not folder.is_symlink() and found.st_uid == os.getuid()
    return folder if is_own and not found.st_mode & 0o077 else None


def watch_compiling(watcher: Callable[[], None]) -> Callable[[], None]:
    """Tell `watcher` whenever the compilation of a kernel begins; call the result to stop that."""
    _watchers.append(watcher)
    return lambda: _watchers.remove(watcher)
