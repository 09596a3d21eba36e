"""What importing bnjit loads, and what it offers."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import bnjit

PROJECT = Path(__file__).parents[1]


def test_importing_loads_nothing_heavy():
    code = (
        "import sys, bnjit; "
        "heavy = {'numba', 'numpy', 'pandas', 'pyarrow', 'networkx', 'matplotlib'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_public_names_are_there():
    for name in bnjit.__all__:
        assert getattr(bnjit, name) is not None
        assert name in dir(bnjit)


def test_errors_are_value_errors():
    assert issubclass(bnjit.BnjitError, ValueError)
    for error in (bnjit.DataError, bnjit.GraphError, bnjit.ArgumentError, bnjit.StatisticsError):
        assert issubclass(error, bnjit.BnjitError)


@pytest.mark.parametrize("script", sorted((PROJECT / "benchmarks").glob("*.py")), ids=lambda path: path.stem)
def test_benchmarks_find_what_they_import(script, monkeypatch):
    """They run in no other test, and what they use may move."""
    monkeypatch.syspath_prepend(str(script.parent))
    spec = importlib.util.spec_from_file_location(f"benchmark_{script.stem}", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__doc__
