"""The compilation policy: where kernels live."""

import importlib
import pkgutil

import bnjit


def test_every_jitted_function_is_in_the_kernels():
    """Each module of the package but kernels is free of dispatchers of its own; each kernel has a summary."""
    count = 0
    for info in pkgutil.walk_packages(bnjit.__path__, "bnjit."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if hasattr(value, "py_func") and value.py_func.__module__ == info.name:
                count += 1
                assert info.name.startswith("bnjit.kernels.")
                assert value.py_func.__doc__
    assert count > 25
