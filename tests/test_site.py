"""The documentation site: nothing that is public is missing, and what it says of other packages is there."""

import importlib
import re
from inspect import Parameter, signature
from pathlib import Path

import pytest

import bnjit
from bnjit.options import ALGORITHMS, MISSING, SCORES

DOCS = Path(__file__).resolve().parents[1] / "docs"
MODULES = ("complexity", "datasets", "paper", "plots", "sklearn")


def listed():
    """Names that the reference lists, by module."""
    found, module = {}, None
    for line in (DOCS / "reference.rst").read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split(":: ")[1]
        elif re.fullmatch(r"   \w+", line):
            found.setdefault(module, []).append(line.strip())
    return found


def test_the_reference_lists_every_public_name_once():
    names = listed()
    assert sorted(names["bnjit"]) == sorted({*bnjit.__all__, "compile"})
    for module in MODULES:
        public = importlib.import_module(f"bnjit.{module}").__all__
        functions = [name for name in public if not name.isupper()]
        assert sorted(names[f"bnjit.{module}"]) == sorted(functions)


def test_every_public_name_has_a_docstring():
    for module, names in listed().items():
        for name in names:
            assert getattr(importlib.import_module(module), name).__doc__, (module, name)


def test_options_are_described_as_they_are():
    """Every algorithm, score and rule with its arguments and defaults, every argument of `learn`, every public name."""
    text = (DOCS / "options.md").read_text(encoding="utf-8")
    for known in (ALGORITHMS, SCORES, MISSING):
        for name, option in known.items():
            assert f'`"{name}"`' in text, name
            found = re.findall(rf"`{option.__name__}\((.*?)\)`", text)
            assert found, option
            arguments = ", ".join(
                f"{one.name}={one.default!r}".replace("'", '"') for one in signature(option).parameters.values()
            )
            assert set(found) <= {arguments, "..."}, (option, found, arguments)
    rows = text.split("| argument of `learn` |")[1].split("\n\n")[0]
    named = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in rows.splitlines()[2:])))
    kinds = (Parameter.KEYWORD_ONLY,)
    assert named == {one.name for one in signature(bnjit.learn).parameters.values() if one.kind in kinds}
    words = set(re.findall(r"\w+", text))
    assert set(bnjit.__all__) - words <= {"LocalScore", "Score", "Algorithm"}  # of those who write their own


def table_after(title):
    """Rows of the table under a title of the page for newcomers from other packages."""
    text = (DOCS / "coming-from.md").read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return rows[2:]


def test_our_calls_exist():
    words = re.compile(r"(?<![\w.=\"])(result|network)?\.?(\w+)\(")
    for title in ("bnlearn", "pgmpy", "pyAgrum"):
        rows = table_after(title)
        assert len(rows) >= 15
        for _, ours in rows:
            for owner, name in words.findall(ours):
                home = {"result": bnjit.Result, "network": bnjit.Network, "": bnjit}[owner]
                assert hasattr(home, name), (ours, name)


@pytest.mark.parametrize(
    ("title", "package", "modules"),
    [
        ("pgmpy", "pgmpy", ("estimators", "models", "inference", "readwrite")),
        ("pyAgrum", "pyagrum", ()),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_their_calls_exist(title, package, modules):
    pytest.importorskip(package)
    homes = [importlib.import_module(".".join([package, *part])) for part in ([], *([name] for name in modules))]
    for theirs, _ in table_after(title):
        for path in re.findall(r"`([\w.]+)", theirs):
            first, *rest = path.split(".")
            found = next((getattr(home, first) for home in homes if hasattr(home, first)), None)
            assert found is not None, path
            assert all(hasattr(found, name) for name in rest), path
