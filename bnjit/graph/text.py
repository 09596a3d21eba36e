"""Read text and JSON from files of unknown origin; a FileFormatError says what is wrong, and where."""

import json
import re
from pathlib import Path
from typing import Any

from bnjit.errors import FileFormatError

# Strings in quotes, which are skipped, or a number that JSON or Python does not accept.
_BAD_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN|\d{4301,})')


def read_bytes(path: Path) -> bytes:
    """Content of a file; a missing file, a folder or an invalid name is an error."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"there is no file {str(path)[:200]!r} to read ({reason})") from None


def read_text(path: Path) -> str:
    """Text of a file in UTF-8; the error for another byte gives its position."""
    try:
        return decode(read_bytes(path))
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path.name}: byte {error.start} is not UTF-8") from None


def decode(data: bytes) -> str:
    """Text of bytes in UTF-8, without a byte order mark; lines end in a single newline."""
    return data.decode("utf-8-sig").replace("\r\n", "\n")


def parse_json(text: str) -> Any:
    """Document of a JSON text; NaN, infinity and strings that cannot be written as UTF-8 are errors.

    Examples
    --------
    >>> parse_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    try:
        document = json.loads(text, parse_constant=_reject_constant)
        if re.search(r"\\u[dD][89a-fA-F]", text):
            json.dumps(document, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise FileFormatError(f"not JSON: {error}") from None
    except UnicodeEncodeError:
        raise FileFormatError(r"not JSON: it has half of a pair of \u characters, which is no text") from None
    except ValueError:
        at = next((match.start() for match in _BAD_NUMBER.finditer(text) if match[1]), 0)
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        raise FileFormatError(
            f"line {line}, column {column}: {text[at : at + 20]!r} is no number that can be read"
        ) from None
    except RecursionError:
        raise FileFormatError("nested too deeply") from None
    return document


def _reject_constant(text: str) -> float:
    raise ValueError(text)
