"""The README's Python does what it shows, on the table that it names."""

import doctest
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_python_in_the_readme(tmp_path, monkeypatch):
    penguins = pytest.importorskip("palmerpenguins")  # a package of the extra "test"
    penguins.load_penguins().to_csv(tmp_path / "penguins.csv", index=False)
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(README), module_relative=False, optionflags=flags)
    assert result.attempted >= 5
    assert result.failed == 0


def test_all_python_is_run():
    blocks = README.read_text(encoding="utf-8").split("```python\n")[1:]
    for block in blocks:
        assert block.startswith(">>> "), block.splitlines()[0]


def test_files_that_are_named_exist():
    text = README.read_text(encoding="utf-8")
    targets = [part.split(")")[0].split("#")[0].replace("\n", " ") for part in text.split("](")[1:]]
    assert len(targets) > 20
    for target in targets:
        assert target.startswith("http") or (README.parent / target).exists(), target
