"""The tables that a score works on: all rows, or training rows and test rows."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from bnjit.data import Table
from bnjit.data.gaps import GapRule, aligned_gaps
from bnjit.data.schema import Schema, aligned_labels
from bnjit.data.source import Source, split_source
from bnjit.data.split import split_rows
from bnjit.data.weights import is_array
from bnjit.errors import ArgumentError, check_count
from bnjit.options import HeldOut, LocalScore, Score
from bnjit.progress import Watch
from bnjit.stats import Store
from bnjit.stats.opening import read_rows, read_test_rows, relabelled_rows
from bnjit.stats.statistics import Statistics

# How a table is read: discrete, names, max_memory, out_of_core and weights of `bnjit.learn`.
Reading = tuple[Iterable[Hashable], Sequence[Hashable] | None, int | str | None, bool | None, Any]
_READING = ("discrete", "names", "max_memory", "out_of_core", "weights")


def reading_of(
    discrete: Any, names: Sequence[Hashable] | None, max_memory: int | str | None, out_of_core: bool | None,
    weights: Any = None,
) -> Reading:  # fmt: skip
    """How a table is read; columns that are discrete can be looked at twice."""
    is_once = isinstance(discrete, Iterable) and not isinstance(discrete, str)
    return list(discrete) if is_once else discrete, names, max_memory, out_of_core, weights


def read_tables(
    data: Any,
    score: Score | LocalScore,
    seed: int | None,
    reading: Reading,
    watch: Watch | None = None,
    gaps: GapRule = "refuse",
) -> tuple[Schema, Schema | None]:
    """Read the table, and the test rows that a held-out score needs."""
    check_count("seed", seed, least=0)
    test = score.test if isinstance(score, HeldOut) else None
    drawn = isinstance(test, float)
    check_reading([data] if test is None or drawn else [data, test], reading)
    _check_weights(reading[-1], score, test is not None and not drawn)
    table = data.schema if isinstance(data, Store) else read_rows(data, *reading, watch, gaps)
    if test is None:
        return table, None
    if not drawn:
        rows = read_test_rows(test, *reading, gaps=gaps)
        labels = aligned_labels(table.as_given, rows.as_given, "test")
        if table.gaps is not None or rows.gaps is not None:
            if not (isinstance(table, Table) and isinstance(rows, Table)):
                raise ArgumentError(
                    "test rows that are a table must be in memory where columns have gaps; give a share"
                )
            return aligned_gaps(table, rows, labels)
        return relabelled_rows(table, table.names, labels), relabelled_rows(rows, table.names, labels)
    if isinstance(table, Source):
        return split_source(table, test, seed)
    if not isinstance(table, Table):
        raise ArgumentError(
            'score="pred" cannot split Statistics into training and test rows; give score=bnjit.HeldOut(test=...)'
        )
    return split_rows(table, test, seed)


def _check_weights(weights: Any, score: Score | LocalScore, tests_a_table: bool) -> None:
    """Raise for weights that would not reach what is scored."""
    if weights is None:
        return
    if not isinstance(score, Score):
        raise ArgumentError("weights do not reach a score of your own, which scores rows by itself; leave them out")
    if tests_a_table and is_array(weights):
        raise ArgumentError("weights of test rows are a column of theirs; give weights as the name of a column of both")


def check_reading(tables: list[Any], reading: Reading) -> None:
    """Raise for arguments that say how to read a table where there is nothing but statistics."""
    if not all(isinstance(table, Statistics) for table in tables):
        return
    for name, value in zip(_READING, reading, strict=True):
        is_empty = isinstance(value, list | tuple | set | frozenset) and not value
        if value is not None and not is_empty:
            raise ArgumentError(
                f"{name} says how a table is read, and data is Statistics; give it to bnjit.Statistics.collect"
            )
