"""What importing bnjit loads, and what it offers."""

import subprocess
import sys

import bnjit


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
