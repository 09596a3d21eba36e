"""docs/paper.md traces the paper to code and tests: everything that it names must exist."""

import ast
import importlib
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
PAGE = PROJECT / "docs" / "paper.md"
TEXT = PAGE.read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(bnjit(?:\.\w+)+)`", TEXT)))
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", TEXT)))


def found(name):
    """The module, class or function of a dotted name, or None."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            thing = getattr(thing, part, None)
        return thing
    return None


def is_there(test):
    """Whether a file, and the test function named after two colons, is there."""
    file, _, function = test.partition("::")
    path = PROJECT / file
    if not path.is_file():
        return False
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return not function or function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", NAMES)
def test_code_that_is_named_exists(name):
    assert found(name) is not None


@pytest.mark.parametrize("test", TESTS)
def test_tests_that_are_named_exist(test):
    assert is_there(test)


def test_what_does_not_exist_is_not_found():
    assert found("bnjit.search.greedy.hill_climb") is None
    assert found("bnjit.search.greed.hill_climbing") is None
    assert not is_there("tests/search/test_greed.py")
    assert not is_there("tests/search/test_greedy.py::test_climbing")


def test_the_page_is_whole():
    assert len(NAMES) > 40
    assert len(TESTS) > 40
    for number in range(1, 13):
        assert f"\n| Equation {number}," in TEXT
    for item in ("Table 1", "Table 2", "Figure 1", "Figure 2", "Figure 3", "1, 2", "3", "4", "5", "5(a)", "5(b)"):
        assert f"\n| {item}" in TEXT
    # Nothing in backticks looks like code of ours and escapes the two patterns.
    for quoted in re.findall(r"`([^`\n]+)`", TEXT):
        if quoted.startswith(("bnjit.", "tests/")):
            assert quoted in NAMES or quoted in TESTS


def test_links_lead_somewhere():
    headings = {
        re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in TEXT.splitlines()
        if line.startswith("#")
    }
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        file, _, anchor = target.partition("#")
        assert (PAGE.parent / file).exists()
        assert not anchor or anchor in headings, target
