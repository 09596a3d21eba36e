"""Counts of sets of discrete variables, chunk after chunk."""

import itertools
from collections.abc import Sequence

import numpy as np

from bnjit._jit import Ints64
from bnjit.data import Table
from bnjit.data.schema import Schema
from bnjit.kernels.moments import Moments
from bnjit.stats.cells import Cells
from bnjit.stats.collect import make_cells, padded
from bnjit.stats.counting import LIMITS, CountingLimits, all_rows, count_all
from bnjit.stats.requests import Variables


def with_few_configurations(schema: Schema, sets: Sequence[Variables], most: int) -> list[Variables]:
    """Sets, those with the fewest declared configurations first, while these are at most so many in all."""
    ordered = sorted(sets, key=schema.configurations)
    in_all = itertools.accumulate(map(schema.configurations, ordered))
    return [variables for variables, so_far in zip(ordered, in_all, strict=True) if so_far <= most]


def in_families(sets: Sequence[Variables]) -> list[list[Variables]]:
    """Divide sets of variables, in their order, into those that have all but one in common: they count faster."""
    families: list[list[Variables]] = []
    common: set[int] = set()
    for variables in sets:
        shared = common & set(variables)
        if families and len(shared) >= max(map(len, [variables, *families[-1][:1]])) - 1 > 0:
            families[-1].append(variables)
            common = shared
        else:
            families.append([variables])
            common = set(variables)
    return families


class CountTotals:
    """Totals of sets with so few declared configurations that there is a number for each of them.

    No chunk's configurations have to be put in order, nor compared with those of the chunks before.

    Parameters
    ----------
    schema : Schema
        The columns.
    sets : list of Variables
        The sets.
    limits : CountingLimits
        How counting is divided.
    """

    def __init__(self, schema: Schema, sets: Sequence[Variables], limits: CountingLimits = LIMITS) -> None:
        self.sets = sorted(sets, key=schema.configurations)  # those with few first, as kernels like them
        self._schema, self._limits = schema, limits
        self._places = np.cumsum([0, *map(schema.configurations, self.sets)])
        self._totals = np.zeros(self._places[-1], np.int64)
        most = limits.range_bytes // 4
        self._parts: list[slice] = []  # sets whose chunk's tables are there at a time, at least one
        first = 0
        while first < len(self.sets):
            last = int(np.searchsorted(self._places, self._places[first] + most, side="right")) - 1
            last = max(first + 1, last)
            self._parts.append(slice(first, last))
            first = last

    def add_chunk(self, chunk: Table) -> None:
        """Count the rows of a chunk."""
        rows = all_rows(chunk)
        for part in self._parts:
            begin, end = self._places[part.start], self._places[part.stop]
            places = self._places[part.start : part.stop + 1] - begin
            self._totals[begin:end] += count_all(rows, *padded(self.sets[part]), places, self._limits)

    def cells(self) -> list[Cells]:
        """Return the observed configurations of each set, and how often each was seen."""
        return [
            self._observed(s, self._totals[a:b])
            for s, (a, b) in zip(self.sets, itertools.pairwise(self._places), strict=True)
        ]

    def _observed(self, variables: Variables, totals: Ints64) -> Cells:
        keys = np.flatnonzero(totals)
        nothing = np.empty((len(keys), 0))
        return make_cells(self._schema, variables, (), keys, Moments(totals[keys], nothing, nothing, nothing))
