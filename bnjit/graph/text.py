"""Text and JSON of files that anybody wrote: whatever is wrong with them is a FileFormatError that says where."""

import json
import re
from pathlib import Path
from typing import Any

from bnjit.errors import FileFormatError

# Texts in quotes, to pass over them, or a number that JSON, or Python, does not read.
_NO_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN|\d{4301,})')


def read_bytes(path: Path) -> bytes:
    """Content of a file; no file, a folder, or a name that no file can have is an error."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"there is no file {str(path)[:200]!r} to read ({reason})") from None


def read_text(path: Path) -> str:
    """Text of a file in UTF-8; a byte that is not is an error with its position."""
    try:
        return decode(read_bytes(path))
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path.name}: byte {error.start} is not UTF-8") from None


def decode(data: bytes) -> str:
    """Text in UTF-8, without the mark that some programs put before it, with lines that end as everywhere."""
    return data.decode("utf-8-sig").replace("\r\n", "\n")


def parse_json(text: str) -> Any:
    """Document that a JSON text describes; strings that no file can hold are errors, and so are NaN and infinity.

    Examples
    --------
    >>> parse_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    try:
        document = json.loads(text, parse_constant=_no_number)
        if re.search(r"\\u[dD][89a-fA-F]", text):
            json.dumps(document, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise FileFormatError(f"not JSON: {error}") from None
    except UnicodeEncodeError:
        raise FileFormatError(r"not JSON: it has half of a pair of \u characters, which is no text") from None
    except ValueError:
        at = next((match.start() for match in _NO_NUMBER.finditer(text) if match[1]), 0)
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        raise FileFormatError(
            f"line {line}, column {column}: {text[at : at + 20]!r} is no number that can be read"
        ) from None
    except RecursionError:
        raise FileFormatError("nested too deeply") from None
    return document


def _no_number(text: str) -> float:
    raise ValueError(text)
