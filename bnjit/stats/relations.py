"""Columns that others determine: linear relations of continuous columns, and discrete columns that repeat another.

A network cannot tell which of such columns is a parent of which. Both are found from statistics that a search needs
anyway.
"""

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bnjit._jit import Floats, Ints64
from bnjit.data import Table
from bnjit.kernels.relations import least_left
from bnjit.stats.cells import squares_of
from bnjit.stats.requests import Request
from bnjit.stats.store import Store, constant_columns, scale_of
from bnjit.stats.tuning import (
    EXACT_SHARE,
    FEW_RELATED,
    LEAST_COEFFICIENT,
    MOST_LEVELS,
    NEAR_SHARE,
    ROWS_LOOKED_AT,
    ROWS_PER_RELATED,
    ROWS_TO_RELATE,
)

# Terms of a relation in words; where it holds nearly, coefficients of many are mostly noise.
MOST_TERMS, MOST_NEAR_TERMS = 12, 6


class Relation(NamedTuple):
    """A column that equals the intercept and the others times their coefficients, exactly or nearly.

    Without coefficients there is one other, a discrete column: this one repeats it by levels of its own or, where the
    intercept is NaN, has a number for each of its levels.
    """

    column: int
    others: tuple[int, ...]
    coefficients: tuple[float, ...]
    intercept: float
    exact: bool


def find_relations(store: Store) -> list[Relation]:
    """Relations of a table's columns; those of continuous ones are in the columns' own units."""
    return [*_of_continuous(store), *_of_discrete(store), *_of_both(store)]


def _of_continuous(store: Store) -> list[Relation]:
    columns, whole, scale = store.schema.continuous, store.whole, scale_of(store)
    c = len(columns)
    if c < 2 or (c <= FEW_RELATED and least_left(whole.crosses[0], c, np.empty((c, c))) >= NEAR_SHARE):
        return []
    cross = np.zeros((c, c))
    lower = _lower(c)
    cross[lower] = cross.T[lower] = whole.crosses[0]
    found = []
    for one in linear_relations(store.n, whole.means[0], cross):
        own, others = columns[one.column], tuple(columns[i] for i in one.others)
        back = tuple(float(b * scale[i] / scale[own]) for b, i in zip(one.coefficients, others, strict=True))
        found.append(Relation(own, others, back, float(one.intercept / scale[own]), one.exact))
    return found


_lower = lru_cache(np.tril_indices)


def linear_relations(n: float, means: Floats, cross: Floats) -> list[Relation]:
    """Columns that are linear in those before them.

    Parameters
    ----------
    n : int
        Rows.
    means : float64[c]
        Means of the columns.
    cross : float64[c, c]
        Sums of products of their differences from these.

    Returns
    -------
    list of Relation
        With columns by position. Near means that less than a millionth of a column's variance is left, exact that
        rounding is. Among few rows anything is linear in enough columns: there, only pairs are looked at.
    """
    squares = np.diag(cross)
    varying = np.flatnonzero((squares > 0.0) & np.isfinite(squares))
    if n < ROWS_TO_RELATE or len(varying) < 2:
        return []
    deviations = np.sqrt(squares[varying])
    R = cross[np.ix_(varying, varying)] / np.multiply.outer(deviations, deviations)
    pairs = _pairs(R) if n < ROWS_PER_RELATED * len(varying) else _dependent(R)
    found = []
    for j, others in pairs:
        slopes, share = _solve(R, j, others)
        coefficients, named = slopes * deviations[j] / deviations[others], varying[others]
        intercept = float(means[varying[j]] - coefficients @ means[named])
        if abs(intercept) < np.sqrt(NEAR_SHARE / n) * deviations[j]:
            intercept = 0.0
        exact = share < EXACT_SHARE
        found.append(Relation(int(varying[j]), tuple(named.tolist()), tuple(coefficients.tolist()), intercept, exact))
    return found


def _dependent(R: Floats) -> list[tuple[int, list[int]]]:
    """Columns of a correlation matrix that those before them determine, and which of these do. O(c^3)."""
    try:
        if (np.diag(np.linalg.cholesky(R)) ** 2 >= NEAR_SHARE).all():
            return []
    except np.linalg.LinAlgError:  # nothing is left of one of them
        pass
    found, kept, c = [], [0], len(R)
    inverse = np.zeros((c, c))  # of the Cholesky factor of those that are kept
    inverse[0, 0] = 1.0
    for j in range(1, c):
        k = len(kept)
        row = inverse[:k, :k] @ R[kept, j]
        left = 1.0 - float(row @ row)
        slopes = row @ inverse[:k, :k]
        if left < NEAR_SHARE:
            some = [i for i, slope in zip(kept, slopes, strict=True) if abs(slope) > LEAST_COEFFICIENT]
            found.append((j, some if some and _solve(R, j, some)[1] < NEAR_SHARE else list(kept)))
        else:
            inverse[k, :k], inverse[k, k] = -slopes / np.sqrt(left), 1.0 / np.sqrt(left)
            kept.append(j)
    return found


def _solve(R: Floats, j: int, others: Sequence[int]) -> tuple[Floats, float]:
    """Standardised coefficients of a column on others, and the share of its variance that is left."""
    slopes: Floats = np.linalg.solve(R[np.ix_(others, others)], R[others, j]).astype(np.float64, copy=False)
    return slopes, float(1.0 - slopes @ R[others, j])


def _pairs(R: Floats) -> list[tuple[int, list[int]]]:
    """Columns that one before them determines."""
    close = np.tril(R * R > 1.0 - NEAR_SHARE, -1)
    found: dict[int, list[int]] = {}
    for j, i in np.argwhere(close).tolist():
        if i not in found:
            found.setdefault(j, [i])
    return list(found.items())


def _of_discrete(store: Store) -> list[Relation]:
    """Discrete columns that divide the rows as one before them does: they have the same counts, and no more pairs."""
    columns = [v for v, is_discrete in enumerate(store.schema.discrete) if is_discrete]
    if len(columns) < 2 or store.n < ROWS_TO_RELATE:
        return []
    found = []
    for some in _alike(store, columns):
        first: list[int] = []
        for v, cells in zip(some, store.get([Request((v,)) for v in some]), strict=True):
            levels = len(cells.counts)
            tables = store.get([Request((u, v)) for u in first])
            same = [u for u, pairs in zip(first, tables, strict=True) if levels > 1 and len(pairs.counts) == levels]
            whole = [u for u in same if len(store.get([Request((u,))])[0].counts) == levels]
            if whole:
                found.append(Relation(v, (whole[0],), (), 0.0, exact=True))
            else:
                first.append(v)
    return sorted(found)


def _alike(store: Store, columns: list[int]) -> list[list[int]]:
    """Groups of discrete columns that may repeat each other: some rows, or the counts, do not tell them apart."""
    groups: dict[object, list[int]] = {}
    table = store.reader.table
    if table is not None:
        for v, first in zip(columns, _first_rows(table, columns), strict=True):
            groups.setdefault(first.tobytes(), []).append(v)
    else:
        for v, cells in zip(columns, store.get([Request((v,)) for v in columns]), strict=True):
            groups.setdefault(tuple(sorted(cells.counts.tolist())), []).append(v)
    return [some for some in groups.values() if len(some) > 1]


def _first_rows(table: Table, columns: Sequence[int]) -> Ints64:
    """For each of a table's first rows the first one with the same level, of discrete columns, int64[v, rows]."""
    codes = np.stack([table.columns[v].values[:ROWS_LOOKED_AT] for v in columns])
    found: Ints64 = (codes[:, :, None] == codes[:, None, :]).argmax(axis=2)
    return found


def _of_both(store: Store) -> list[Relation]:
    """Continuous columns with one value for each level of a discrete one: its codes, for example."""
    schema = store.schema
    discrete = [v for v, levels in enumerate(schema.levels) if levels > 1]
    if not discrete or not schema.continuous or store.n < ROWS_TO_RELATE:
        return []
    table, asked = store.reader.table, discrete
    if table is not None:
        X = np.stack([table.columns[v].numbers(slice(ROWS_LOOKED_AT)) for v in schema.continuous])
        alike = zip(discrete, _first_rows(table, discrete), strict=True)
        asked = [g for g, first in alike if (X[:, first] == X).all(axis=1).any()]
    if not asked:
        return []
    constant = {schema.continuous.index(v) for v in constant_columns(store) if not schema.discrete[v]}
    found: dict[int, Relation] = {}
    for g, cells in zip(asked, store.get([Request((g,), schema.continuous) for g in asked]), strict=True):
        if len(cells.counts) > MOST_LEVELS * store.n:  # so many that rows of a level are alike by themselves
            continue
        own = cells.narrow(schema.continuous)
        squares = own.crosses[:, squares_of(len(schema.continuous))].sum(axis=0)
        total = store.whole.narrow(schema.continuous).crosses[0, squares_of(len(schema.continuous))]
        for i in np.flatnonzero(squares <= EXACT_SHARE * total).tolist():
            if i not in constant:
                v = schema.continuous[i]
                found.setdefault(v, Relation(v, (g,), (), math.nan, exact=True))
    return [found[v] for v in sorted(found)]


def in_words(relation: Relation, names: Sequence[Hashable]) -> str:
    """Say a relation as a sentence would.

    >>> in_words(Relation(1, (0,), (0.001,), 0.0, True), ["body_mass_g", "mass_kg"])
    '`mass_kg` is 0.001 x `body_mass_g`'
    >>> in_words(Relation(2, (0, 1), (-1.0, 1.0), 2.5, False), ["a", "c", "d"])
    '`d` is nearly -`a` + `c` + 2.5'
    >>> in_words(Relation(1, (0,), (), 0.0, True), ["sex", "gender"])
    '`gender` repeats `sex`'
    >>> in_words(Relation(1, (0,), (), math.nan, True), ["month", "number"])
    '`number` has one value for each level of `month`'
    >>> in_words(Relation(7, tuple(range(7)), (0.5,) * 7, 0.0, False), list("abcdefgh"))
    '`h` is nearly linear in 7 others, of which the first are `a`, `b`, `c`'
    """
    own = f"`{names[relation.column]}`"
    if not relation.coefficients:
        other = f"`{names[relation.others[0]]}`"
        return (
            f"{own} has one value for each level of {other}"
            if math.isnan(relation.intercept)
            else f"{own} repeats {other}"
        )
    if len(relation.others) > (MOST_TERMS if relation.exact else MOST_NEAR_TERMS):
        first = ", ".join(f"`{names[i]}`" for i in relation.others[:3])
        how = "" if relation.exact else "nearly "
        return f"{own} is {how}linear in {len(relation.others)} others, of which the first are {first}"
    text = ""
    for factor, i in zip(relation.coefficients, relation.others, strict=True):
        size = f"{abs(factor):.{6 if relation.exact else 4}g}"
        term = f"`{names[i]}`" if size == "1" else f"{size} x `{names[i]}`"
        text += (f" {'-' if factor < 0 else '+'} " if text else "-" * (factor < 0)) + term
    if relation.intercept:
        text += f" {'-' if relation.intercept < 0 else '+'} {abs(relation.intercept):.6g}"
    return f"{own} is {'' if relation.exact else 'nearly '}{text}"
