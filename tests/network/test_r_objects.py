"""bn.fit objects as rdata gives them: parameters by name, and values that are none."""

import numpy as np
import pytest
import xarray

import bnjit
from bnjit.network.rfile import _convert


def table(values, *axes):
    names = [f"dim_{i}" for i in range(len(axes))]
    return xarray.DataArray(np.array(values), dims=names, coords=dict(zip(names, map(list, axes), strict=True)))


def fitted(**changes):
    """Network a -> b, a -> x, in which b and x name the levels of a in another order than a."""
    fit = {
        "a": {"parents": [], "prob": table([0.25, 0.75], "uv")},
        "b": {"parents": ["a"], "prob": table([[0.1, 0.6], [0.9, 0.4]], "st", "vu")},
        "x": {"parents": ["a"], "dparents": [1], "dlevels": {"a": list("vu")}, "coefficients": [[1.0, 2.0]],
              "sd": [0.5, 1.5]},
    }  # fmt: skip
    for name, change in changes.items():
        fit[name] |= change
    return fit


def test_parameters_are_found_by_level():
    network = _convert(fitted())
    assert network.parameters("b").to_numpy().tolist() == [["u", 0.6, 0.4], ["v", 0.1, 0.9]]
    assert network.parameters("x").to_numpy().tolist() == [["u", 2.0, 1.5], ["v", 1.0, 0.5]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a": {"prob": table([np.nan, np.nan], "uv")}}, "node 'a': its probabilities are missing"),
        ({"a": {"prob": table([-0.5, 1.5], "uv")}}, "negative"),
        ({"a": {"prob": table([0.0, 0.0], "uv")}}, "do not sum to 1"),
        ({"a": {"prob": table([0.5, 0.5], "uu")}}, "twice"),
        ({"b": {"prob": table([[0.1] * 3, [0.9] * 3], "st", "uvw")}}, "node 'b': .* levels u, v, w, which"),
        ({"b": {"prob": table([0.1, 0.9], "st")}}, "its table has 0 parents, not 1"),
        ({"x": {"sd": [-1.0, 1.0]}}, "a standard deviation is negative"),
        ({"x": {"dlevels": {"a": list("vw")}}}, "node 'x': .* levels v, w, which"),
    ],
)
def test_damaged_parameters(changes, message):
    with pytest.raises(bnjit.FileFormatError, match=message):
        _convert(fitted(**changes))
