"""Measured numbers in running text come from CSV files, as those in tables do: no number has two places."""

import re
from pathlib import Path

import pytest

from benchmarks.write_tables import NUMBER, PROJECT, documents, render_number, rewritten

RECORDS = ("CHANGELOG.md", "docs/decisions/")  # of their day: what they say was so then, and stays
PAGES = {
    name: path
    for name, path in ((path.relative_to(PROJECT).as_posix(), path) for path in documents())
    if not name.startswith(RECORDS)
}
# What looks like a measured number and is none: settings, examples, and what others wrote.
NOT_MEASURED = {
    "benchmarks/README.md": ("24 GB", "with 30 % of"),
    "docs/asking.md": ("in 90 % of the ill", "in 20 % of the others"),
    "docs/cost-model.md": ("three times all rows", "seven times as much"),
    "docs/missing-data.md": ("up to 10 percent missing",),
    "docs/paper.md": ("is 25 % on average", "the paper's 60 %"),
    "docs/tables.md": ("fewer than 90% of",),
}

_WORD = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred"
_COUNT = (
    rf"(?:\d[\d,.]*|(?:some |about )?(?:tens|hundreds|tenths|hundredths|thousandths) of(?: a)?|(?:{_WORD})\b|half an?)"
)
_UNIT = (
    r"(?:[nmµ]?s|(?:nano|micro|milli)?seconds?|minutes?|min|hours?|[kKMGT]B|(?:kilo|mega|giga)bytes|percent|%|times|"
    r"passes of \d+)"
)
MEASURED = re.compile(
    rf"(?<![\w.,·^/=-])(?:{_COUNT}(?: (?:to|or) {_COUNT})?[ -]?{_UNIT}(?![\w=])"  # 1.4 s, two to three percent
    rf"|(?:SHD|factors?|powers?)(?: of)? \d[\d.]*"  # SHD 130, a factor of 1.8
    rf"|(?:{_WORD}|\d[\d,.]*)(?:fold|x)(?!\w))"  # tenfold, 3x
)


def prose(text: str) -> str:
    """What a reader takes for sentences: no code but its comments, tables, marked numbers, addresses and examples."""
    text = re.sub(r"^```\w*\n(.*?)^```", lambda code: comments(code[1]), text, flags=re.DOTALL | re.MULTILINE)
    text = NUMBER.sub("", text)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]+`", "`code`", text)
    return re.sub(r"\]\([^)]*\)", "]", text)


def comments(code: str) -> str:
    """Comments of a piece of code."""
    return "\n".join(line.partition("  # ")[2] for line in code.splitlines())


def measured(text: str, allowed: tuple[str, ...] = ()) -> list[str]:
    """Measured numbers in the running text of a page, each with the words around it."""
    text = " ".join(prose(text).split())
    for phrase in allowed:
        text = text.replace(phrase, "")
    return [text[max(0, found.start() - 40) : found.end() + 20] for found in MEASURED.finditer(text)]


@pytest.mark.parametrize("name", PAGES)
def test_numbers_in_running_text_come_from_files(name):
    found = measured(PAGES[name].read_text(encoding="utf-8"), NOT_MEASURED.get(name, ()))
    assert not found, f"{name}: mark it with a comment (see benchmarks/write_tables.py), or point at a table: {found}"


@pytest.mark.parametrize("name", NOT_MEASURED)
def test_what_is_allowed_is_there(name):
    text = " ".join(prose(PAGES[name].read_text(encoding="utf-8")).split())
    assert all(phrase in text for phrase in NOT_MEASURED[name])


def test_records_say_so():
    text = " ".join((PROJECT / "docs/decisions/README.md").read_text(encoding="utf-8").split())
    assert "Numbers are of the time of the decision" in text


@pytest.mark.parametrize("name", PAGES)
def test_marked_numbers_agree_with_their_files(name):
    text = PAGES[name].read_text(encoding="utf-8")
    assert text.count("<!-- number:") == len(NUMBER.findall(text)) == text.count("<!-- /number -->")
    for found in NUMBER.finditer(text):
        assert found["number"] == render_number(found["what"]), f"{name}: run python benchmarks/write_tables.py"
    assert not re.search(r"^\s*<!-- /?number", text, re.MULTILINE), f"{name}: a comment ends the paragraph there"


def test_some_numbers_are_marked():
    assert sum("<!-- number:" in path.read_text(encoding="utf-8") for path in PAGES.values()) >= 2


@pytest.mark.parametrize(
    "text",
    [
        "It takes 1.4 s.", "within 20 percent", "a factor of 1.8", "about twenty seconds", "SHD 130 by one",
        "2 to 3.5 ns of a core", "some tens of nanoseconds", "half a second", "in 440\nMB of memory", "5x faster",
        "```python\nx = 1  # in 440 MB\n```\n", "under four minutes", "[it](a.md) took 3 hours", "**924 s**",
        "ten times as much",
    ],
)  # fmt: skip
def test_measured_numbers_are_found(text):
    assert len(measured(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Python 3.11, 100,000 rows", "`max_memory=2GB`", "| 1.4 s |\n", "Section 4.1, Figure 2", "two threads",
        "```python\nlearn(x, max_memory='2GB')\n```\n", "n = 20 or more", "[it](3s.md)", "four times",
        "<!-- number: a.csv | b | c = 1 -->3<!-- /number --> seconds",
    ],
)  # fmt: skip
def test_other_numbers_are_not(text):
    assert not measured(text, ("four times",))


def test_numbers_come_from_one_cell(tmp_path):
    (tmp_path / "x.csv").write_text("what,rows,seconds\na: b,10,1.234\na: b,20,\nc,20,5\n")
    text = "takes <!-- number: x.csv | seconds:.2g |\nwhat = a: b; rows = 10 -->9<!-- /number --> s"
    assert rewritten(text, tmp_path) == text.replace("-->9<", "-->1.2<")
    assert rewritten(rewritten(text, tmp_path), tmp_path) == rewritten(text, tmp_path)
    for what, message in (
        ("x.csv | seconds | rows = 20", "has 2 rows"),
        ("x.csv | seconds | rows = 30", "has 0 rows"),
        ("x.csv | second | what = c", "no column 'second'"),
        ("x.csv | seconds | size = 1", "no column 'size'"),
        ("x.csv | seconds", "a number is 'file"),
    ):
        with pytest.raises(ValueError, match=message):
            render_number(what, tmp_path)
    with pytest.raises(FileNotFoundError):
        render_number("y.csv | a | b = 1", tmp_path)


def test_files_without_a_script_say_with_what_code():
    hand = ("clusters.csv", "clusters_overhead.csv", "larger_than_memory.csv", "passes.csv")
    for name in hand:
        head, *rows = (Path(PROJECT) / "figures" / name).read_text(encoding="utf-8").splitlines()
        assert head.endswith(",code")
        assert all(re.search(r",[0-9a-f]{7}$", row) for row in rows)
