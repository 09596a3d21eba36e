"""Moments of the cells of random tables: what kernels are asked, and what plain loops say."""

from typing import NamedTuple

import numpy as np

from bnjit.data import Table
from bnjit.kernels.configurations import Numbering
from bnjit.stats.collect import membership, ranked
from tests.reference import naive
from tests.strategies import to_table


class Case(NamedTuple):
    """A table, its continuous columns, the cells of its rows, how many there are, and their moments by plain loops."""

    table: Table
    selected: np.ndarray
    variables: tuple
    numbering: Numbering
    m: int
    expected: dict


def make_case(columns):
    """Case of naive columns; cells of rows are told by a list of them, or by a table of all configurations."""
    names = list(columns)
    table = to_table(columns)
    numbers = table.continuous
    variables = tuple(j for j in range(len(names)) if table.discrete[j])
    found = membership(table, variables)
    numbering = found.numbering if table.n % 2 else ranked(table, variables, found.keys).numbering
    expected = naive.cells(columns, [names[v] for v in variables], [names[c] for c in numbers])
    return Case(table, np.array(numbers, np.int32), variables, numbering, len(found.keys), expected)


def assert_equal_to_plain_loops(result, expected):
    """Compare the moments of every cell with those of plain loops."""
    for cell, key in enumerate(sorted(expected)):
        n, means, crosses = expected[key]
        assert result.counts[cell] == n
        np.testing.assert_allclose(result.means[cell], means, rtol=1e-13, atol=1e-13)
        lower = [crosses[i][j] for i in range(len(means)) for j in range(i + 1)]
        np.testing.assert_allclose(result.crosses[cell], lower, rtol=1e-9, atol=1e-9)
