"""Statistics of tables with gaps: which sets to collect, and how those with different gaps become alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnjit.data.gaps import INDICATOR, MISSING, Gaps
from bnjit.data.schema import Labels, Schema
from bnjit.stats.cells import Cells

if TYPE_CHECKING:
    from bnjit.stats.statistics import Statistics


def with_indicators(table: Schema, sets: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Sets of discrete columns to collect, each with all indicators of gaps; these alone where there is no set."""
    if table.gaps is None:
        return list(sets)
    indicators = tuple(table.gaps.indicators.values())
    return [s for s in ((*s, *indicators) for s in sets or [()]) if s]


def missing_last(labels: Labels) -> Labels:
    """Levels with that of a gap, if there is one, at the end."""
    if labels is None or MISSING not in labels:
        return labels
    return (*(label for label in labels if label != MISSING), MISSING)


def with_gaps_of(statistics: "Statistics", other: "Statistics") -> "Statistics":
    """Return the same statistics with the levels and indicators of the gaps that another table has beside their own.

    What was not missing anywhere is observed everywhere: the new levels have no rows.
    """
    from bnjit.stats.statistics import Statistics

    given, own = statistics.as_given, statistics.gaps
    named = () if other.gaps is None else (other.as_given.names[j] for j in other.gaps.columns)
    have = set() if own is None else set(own.columns)
    more = sorted({given.index(name) for name in named} - have)
    if not more:
        return statistics
    names, labels, tables = list(statistics.names), list(statistics.labels), statistics.tables
    fresh = [j for j in more if not given.discrete[j]]
    if fresh and len(tables) == 1:
        tables = [tables[0], tables[0]]  # all rows, and what becomes the table of all patterns
    for j in fresh:
        tables = [tables[0], *(_with_variable(cells, len(names)) for cells in tables[1:])]
        names.append((given.names[j], INDICATOR[1]))
        labels.append(INDICATOR)
    levels = [(*own, MISSING) if own is not None and j in more else own for j, own in enumerate(labels)]
    at = {name: j for j, name in enumerate(given.names)}
    indicators = sorted(range(len(given.names), len(names)), key=lambda v: at[names[v][0]])  # type: ignore[index]
    order = [*range(len(given.names)), *indicators]
    wide = Statistics(names, labels, tables)
    if statistics.factors is not None:
        wide.factors = np.append(statistics.factors, np.ones(len(fresh)))
    made = wide.relabelled([names[v] for v in order], [levels[v] for v in order])
    missing = own.missing if own is not None else (0,) * len(given.names)
    made.gaps = _gaps(made, given, sorted(have.union(more)), missing)
    return made


def _with_variable(cells: Cells, v: int) -> Cells:
    """Cells with one more variable, the last, whose first level all rows have."""
    return cells._replace(
        variables=(*cells.variables, v), levels=(*cells.levels, len(INDICATOR)), keys=cells.keys * len(INDICATOR)
    )


def _gaps(wide: Schema, given: Schema, columns: Sequence[int], missing: Sequence[int]) -> Gaps:
    schema = Schema(given.names, given.labels)
    schema.n = wide.n
    filled = [j for j in columns if not given.discrete[j]]
    indicators = {j: len(given.names) + i for i, j in enumerate(filled)}
    return Gaps(schema, tuple(columns), indicators, tuple(missing))


def joined_gaps(wide: Schema, first: Gaps | None, second: Gaps | None) -> Gaps | None:
    """Gaps of two parts of the rows together; both have the same columns with gaps."""
    if first is None or second is None:
        return None
    at = [second.schema.index(name) for name in first.schema.names]
    missing = [own + second.missing[j] for own, j in zip(first.missing, at, strict=True)]
    labels = [
        None if own is None else tuple(label for label in own if label != MISSING)
        for own in wide.labels[: len(at)]
    ]  # fmt: skip
    return _gaps(wide, Schema(first.schema.names, labels), first.columns, missing)


def extended(given: Schema, missing: Sequence[int], n: int) -> Schema:
    """Columns without gaps, given the missing values of each column as it was given."""
    columns = [j for j, number in enumerate(missing) if number]
    labels = [(*own, MISSING) if own is not None and j in columns else own for j, own in enumerate(given.labels)]
    filled = [j for j in columns if not given.discrete[j]]
    names = [*given.names, *((given.names[j], INDICATOR[1]) for j in filled)]
    wide = Schema(names, [*labels, *(INDICATOR for _ in filled)])
    wide.n = n
    wide.gaps = _gaps(wide, given, columns, missing)
    return wide
