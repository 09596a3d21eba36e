"""Text of network files, which may be packed by gzip; no more is unpacked than a network can need."""

import gzip
import io
import zlib
from pathlib import Path

from bnjit.errors import FileFormatError
from bnjit.graph.text import decode, read_bytes
from bnjit.network.tuning import MOST_PACKED_BYTES


def ending(path: Path) -> str:
    """What a file's name ends in, in small letters: .bif, or .bif.gz if it is packed."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() + suffix if suffix == ".gz" else suffix


def read_network_text(path: Path, most_bytes: int = MOST_PACKED_BYTES) -> str:
    """Text of a file in UTF-8, of which a packed one has at most `most_bytes` bytes when it is unpacked."""
    content = read_bytes(path)
    if path.suffix.lower() == ".gz":
        try:
            with gzip.open(io.BytesIO(content)) as file:
                content = file.read(most_bytes + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise FileFormatError(f"{path.name}: it is no gzip file that can be read ({error})") from None
        if len(content) > most_bytes:
            raise FileFormatError(
                f"{path.name}: unpacked it has more than {most_bytes:,} bytes, which no network needs"
            )
    try:
        return decode(content)
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path.name}: byte {error.start} is not UTF-8") from None


def packed_for(path: Path, content: bytes) -> bytes:
    """Bytes to write: packed if the name says so; the same content is always the same bytes."""
    return gzip.compress(content, mtime=0) if path.suffix.lower() == ".gz" else content


def encoded(text: str, path: Path) -> bytes:
    """Text in UTF-8; half of a pair of characters is an error."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise FileFormatError(
            f"{path.name}: {error.object[error.start]!r} in a name or level is no character"
        ) from None
