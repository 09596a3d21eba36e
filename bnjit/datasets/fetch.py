"""Find the files of published data in the data directory, or download them from where they were published."""

import functools
import hashlib
import logging
import os
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_cache_dir

from bnjit.datasets.streams import member_of
from bnjit.errors import DataError

logger = logging.getLogger(__name__)

FOLDER_VARIABLE = "BNJIT_DATA"
# First bytes of a download: an error page that a server sends with status 200 begins differently.
MAGIC = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".zip": b"PK"}


class Remote(NamedTuple):
    """A file where it was published.

    Attributes
    ----------
    file : str
        Its name there.
    urls : tuple of str
        Where it is, as a file or in a .zip archive; tried in this order. "doi:.../file" is a file of a data repository,
        whose record also has its checksum.
    sha256 : str, optional
        Of the file itself, where it is known for certain. Other files are checked by their format only: the
        compression, and the number and kind of the columns in every row.
    """

    file: str
    urls: tuple[str, ...]
    sha256: str | None = None

    def names(self) -> list[str]:
        """Names that it may have in the data directory: as published, decompressed, or in an archive."""
        archives = [name for name in map(_name, self.urls) if name.endswith(".zip")]
        plain = self.file.removesuffix(".gz").removesuffix(".bz2")
        return list(dict.fromkeys([self.file, plain, *archives]))


def data_directory() -> Path:
    """Folder of published data: that of the environment variable BNJIT_DATA, else the cache of the platform."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return Path(user_cache_dir("bnjit"))


def find(name: str) -> Path | None:
    """Find a prepared table in the data directory, ``name.parquet`` or ``name-*.parquet``; stand-ins come last."""
    folder = data_directory()
    found = [*folder.glob(f"{name}.parquet"), *sorted(folder.glob(f"{name}-*.parquet"))]
    return min(found, key=is_stand_in, default=None)


def is_stand_in(path: Path) -> bool:
    """Whether a prepared table is a stand-in for the data that it is named after, by its file name."""
    return "standin" in path.name or "stand-in" in path.name


def find_original(remote: Remote) -> Path | None:
    """Find an original file, or an archive with it, in the data directory; a known checksum must match."""
    folder = data_directory()
    for name in remote.names():
        path = folder / name
        if not path.is_file() or (name.endswith(".zip") and not _holds(path, remote.file)):
            continue
        if name == remote.file and remote.sha256 is not None:
            status = path.stat()
            seen = _sha256(path, status.st_size, status.st_mtime_ns)
            if seen != remote.sha256:
                raise DataError(
                    f"{str(path)!r} has the sha256 checksum {seen}, not {remote.sha256}: it is damaged, incomplete or "
                    f"another file; delete it and download it again from {_readable(remote.urls[0])}"
                )
        return path
    return None


def fetch(what: str, remote: Remote, download: bool) -> Path:
    """Download a file that the data directory does not have; an error says where to get it and where to put it."""
    folder = data_directory()
    if not download:
        raise DataError(_missing(what, remote, folder, "download=False"))
    try:
        import pooch
    except ImportError:
        reason = "downloading it needs the package pooch: pip install 'bnjit[data]'"
        raise DataError(_missing(what, remote, folder, reason)) from None
    failures = []
    for url in remote.urls:
        logger.info("downloading %s to %s", url, folder)
        try:
            return _retrieve(pooch, url, remote, folder)
        except (ValueError, OSError, KeyError) as error:  # checksums, connections, records of repositories
            failures.append(f"{_readable(url)}: {error}")
    raise DataError(_missing(what, remote, folder, "the download failed: " + "; ".join(failures)))


def _retrieve(pooch: Any, url: str, remote: Remote, folder: Path) -> Path:
    """Download one file, completely or not at all."""
    from bnjit.progress import is_interactive

    name = _name(url)
    if url.startswith("doi:"):
        record = pooch.create(folder, base_url=url.removesuffix(name))
        record.load_registry_from_doi()
        known = record.registry[name]
    else:
        known = f"sha256:{remote.sha256}" if name == remote.file and remote.sha256 is not None else None
    pooch_logger = pooch.get_logger()
    level = pooch_logger.level
    pooch_logger.setLevel(logging.WARNING)
    try:
        pooch.retrieve(url, known_hash=known, fname=name, path=folder, progressbar=is_interactive())
    finally:
        pooch_logger.setLevel(level)
    path = folder / name
    magic = MAGIC.get(path.suffix, b"")
    with path.open("rb") as file:
        right = file.read(len(magic)) == magic
    if not right or (path.suffix == ".zip" and not _holds(path, remote.file)):
        path.unlink()
        raise DataError(f"the server sent something that is no {path.suffix} file with {remote.file}")
    return path


def _missing(what: str, remote: Remote, folder: Path, reason: str) -> str:
    """Message about a missing file, with what to do."""
    names, urls = " or ".join(remote.names()), " or ".join(map(_readable, remote.urls))
    return (
        f"{what}: there is no {names} in {str(folder)!r} ({reason}); download it from {urls} and put it into that "
        f"folder, or set {FOLDER_VARIABLE} to the folder that holds it"
    )


def _name(url: str) -> str:
    return url.rsplit("/", 1)[-1]


def _readable(url: str) -> str:
    """Address to open in a browser: for a file of a repository, the page that lists it."""
    return f"https://doi.org/{url[4:].rsplit('/', 1)[0]}" if url.startswith("doi:") else url


def _holds(path: Path, file: str) -> bool:
    """Whether an archive holds a file."""
    try:
        with zipfile.ZipFile(path) as archive:
            return member_of(archive, file) is not None
    except (zipfile.BadZipFile, OSError):
        return False


@functools.lru_cache
def _sha256(path: Path, size: int, changed: int) -> str:
    """Checksum of a file, computed again only when its size or time of change is another."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
