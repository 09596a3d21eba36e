"""Words, marks and quoted texts of a file, one after the other; errors name the line."""

import re
from typing import NamedTuple

from bnjit.errors import FileFormatError

WORD = r'[^\s{}()\[\],;|"]+'
ESCAPES = {"n": "\n", "r": "\r", '"': '"', "\\": "\\"}


def quoted(text: str) -> str:
    """Any text in quotes, as it is read again."""
    for letter, character in reversed(ESCAPES.items()):  # the backslash comes first
        text = text.replace(character, "\\" + letter)
    return f'"{text}"'


class Token(NamedTuple):
    """A word, a mark or a quoted text, and where it begins."""

    text: str
    kind: str
    start: int

    def says(self, text: str) -> bool:
        """Whether it is this mark or word, without quotes."""
        return self.text == text and self.kind != "quoted"


class Tokens:
    """Reads the tokens of a text from any position.

    Parameters
    ----------
    text : str
        Content of the file.
    file : str
        Its name, for errors.
    pattern : re.Pattern
        One token, whose kind is the group that matches, or blanks or a comment, for which none does. Nothing can be
        read where nothing or the group `open` matches.
    escapes : dict
        What a letter after a backslash stands for within quotes; every other backslash stands for itself.
    """

    def __init__(self, text: str, file: str, pattern: re.Pattern[str], escapes: dict[str, str]) -> None:
        self.text, self.file, self._pattern, self._escapes = text, file, pattern, escapes
        self._last = self._end = 0  # where the token that was read last begins, and where it ends
        self._ahead: Token | None = None
        self._read_ahead()

    def _read_ahead(self) -> None:
        """Find the token after `_end`; `_after` is where that one ends."""
        self._ahead, self._after = None, self._end
        while self._ahead is None and self._after < len(self.text):
            match = self._pattern.match(self.text, self._after)
            if match is None or match.lastgroup == "open":
                raise self._at(self._after, f"cannot read {self.text[self._after : self._after + 20]!r}")
            if match.lastgroup is not None:
                found = match.group(match.lastgroup)
                if match.lastgroup == "quoted":
                    found = re.sub(r"\\(.)", lambda pair: self._escapes.get(pair[1], pair[0]), found[1:-1])
                self._ahead = Token(found, match.lastgroup, match.start())
            self._after = match.end()

    def _at(self, position: int, problem: str) -> FileFormatError:
        line = self.text.count("\n", 0, position) + 1
        return FileFormatError(f"{self.file}: line {line}: {problem}")

    @property
    def position(self) -> int:
        """Where the next token begins."""
        return self._end if self._ahead is None else self._ahead.start

    def skip_to(self, position: int) -> None:
        """Go on after the mark that ends at a position, which was read in some other way."""
        self._last, self._end = position - 1, position
        self._read_ahead()

    def fail(self, problem: str) -> FileFormatError:
        """Error about the token that was read last; that something cannot be read, wherever it is, comes before it."""
        last = self._last
        while self._ahead is not None:
            self._end = self._after
            self._read_ahead()
        return self._at(last, problem)

    @property
    def more(self) -> bool:
        """Whether a token is left."""
        return self._ahead is not None

    def is_next(self, text: str) -> bool:
        """Whether this mark or word follows."""
        return self._ahead is not None and self._ahead.says(text)

    def next(self, expected: str = "more") -> Token:
        """Read a token."""
        token = self._ahead
        if token is None:
            raise self.fail(f"the file ends where {expected} should follow")
        self._last, self._end = token.start, self._after
        self._read_ahead()
        return token

    def expect(self, expected: str) -> None:
        """Read this mark or word."""
        token = self.next(expected)
        if not token.says(expected):
            raise self.fail(f"found {token.text!r} where {expected!r} should stand")

    def until(self, end: str, without: str = ",") -> list[str]:
        """Texts up to the mark `end`, leaving out the marks in `without`."""
        found = []
        while not self.is_next(end):
            token = self.next()
            if token.kind != "mark" or token.text not in without:
                found.append(token.text)
        self.expect(end)
        return found

    def skip_block(self) -> None:
        """Skip { ... }, with the blocks inside."""
        self.expect("{")
        depth = 1
        while depth:
            token = self.next()
            depth += token.says("{") - token.says("}")

    def numbers(self) -> list[float]:
        """Numbers up to a semicolon."""
        texts = self.until(";")
        try:
            return [float(text) for text in texts]
        except ValueError:
            raise self.fail(
                f"found {texts[0] if len(texts) == 1 else texts!r} where probabilities should stand"
            ) from None
