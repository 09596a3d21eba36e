"""A kernel in both its versions: compiled, and as the plain Python that it was compiled from."""

from hypothesis import settings

BOTH = ["compiled", "python"]
QUICK = settings(max_examples=25)


def version(kernel, which):
    """Return the compiled kernel or its Python."""
    return kernel if which == "compiled" else kernel.py_func
