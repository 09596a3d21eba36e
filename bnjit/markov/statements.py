"""Many tests of one table: what each needs of the store, asked for together."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from bnjit.data.schema import Schema
from bnjit.errors import ArgumentError, StatisticsError
from bnjit.markov.levels import compare_levels
from bnjit.markov.outcome import OF_CORRELATIONS, OF_LEVELS, OF_REGRESSIONS, TESTS, Outcome
from bnjit.markov.regressions import Comparison, compare_regressions
from bnjit.stats import Cells, Request, Store, cells_for
from bnjit.stats.available import AvailableRows
from bnjit.stats.cells import MAX_CONFIGURATIONS
from bnjit.stats.store import fitting, in_own_units

# What a statement is about decides which tests there are; the first is the one that is chosen by default.
TESTS_OF = {"levels": OF_LEVELS, "correlations": (*OF_CORRELATIONS, *OF_REGRESSIONS), "regressions": OF_REGRESSIONS}
IN_WORDS = {
    "levels": "discrete columns",
    "correlations": "continuous columns",
    "regressions": "columns of which some are continuous and some discrete",
}
SAME_FOR_LEVELS = {"mi-cg-adj": "x2-adj", "mi-cg": "mi"}  # what a test of mixed columns is for discrete ones


class Statement(NamedTuple):
    """x and y are independent given some columns, all by position; x is continuous if one of the two is."""

    x: int
    y: int
    given: tuple[int, ...]

    def kind(self, discrete: Sequence[bool]) -> str:
        """Return what it is about: levels, correlations or regressions."""
        kinds = {discrete[v] for v in self.columns()}
        return "regressions" if len(kinds) > 1 else "levels" if True in kinds else "correlations"

    def columns(self) -> tuple[int, ...]:
        """Return all of them."""
        return (self.x, self.y, *self.given)


class Tester:
    """Tests of one table.

    Parameters
    ----------
    store : Store
        Its statistics.
    """

    def __init__(self, store: Store) -> None:
        store = in_own_units(store)
        self.rows = AvailableRows(store) if store.schema.gaps is not None else None
        self.store = store if self.rows is None else self.rows.store_of(())
        self.schema: Schema = self.store.schema

    def run(self, statements: Sequence[Statement], tests: Sequence[str]) -> list[Outcome]:
        """Test statements, each with a test of its kind; rows that come in passes are read for many at once."""
        asked = [[(self._store_of(one), self._request(one))] for one in statements]
        outcomes: list[Outcome] = []
        while len(outcomes) < len(statements):
            first = len(outcomes)
            last = first + fitting(asked[first:])
            found = cells_for([pair for pairs in asked[first:last] for pair in pairs])
            outcomes += self._outcomes(statements[first:last], tests[first:last], asked[first:last], found)
        return outcomes

    def _outcomes(
        self, statements: Sequence[Statement], tests: Sequence[str],
        asked: Sequence[Sequence[tuple[Store, Request]]], found: Sequence[Cells],
    ) -> list[Outcome]:  # fmt: skip
        made: dict[int, Outcome] = {}
        by_store: dict[Store, list[tuple[int, Comparison]]] = {}
        for i, (one, test, ((store, request),), cells) in enumerate(zip(statements, tests, asked, found, strict=True)):
            if self.schema.discrete[one.x]:
                made[i] = compare_levels(cells, one.x, one.y, test)
                continue
            continuous = tuple(v for v in one.given if not self.schema.discrete[v])
            compared = Comparison(
                one.x, one.y, continuous, cells.narrow(request.columns), self.schema.discrete[one.y], test
            )
            by_store.setdefault(store, []).append((i, compared))
        for store, some in by_store.items():
            made.update(zip([i for i, _ in some], compare_regressions(store, [one for _, one in some]), strict=True))
        return [made[i] for i in range(len(statements))]

    def _store_of(self, one: Statement) -> Store:
        """Return the statistics of the rows that observe all columns."""
        return self.store if self.rows is None else self.rows.store_with(one.columns())

    def _request(self, one: Statement) -> Request:
        discrete = tuple(sorted(v for v in one.columns() if self.schema.discrete[v]))
        if self.schema.configurations(discrete) > MAX_CONFIGURATIONS:
            raise StatisticsError(
                f"{len(discrete)} discrete columns have more than 2^62 configurations, which cannot be numbered; "
                "condition on fewer"
            )
        if self.schema.discrete[one.x]:
            return Request(discrete)
        return Request(discrete, tuple(sorted({*one.columns()} - {*discrete})))


def make_statement(schema: Schema, x: int, y: int, given: Iterable[int]) -> Statement:
    """Statement about columns; of two discrete columns given continuous ones there is none that could be tested."""
    given = tuple(sorted(given))
    if schema.discrete[x] and not schema.discrete[y]:
        x, y = y, x
    if schema.discrete[x] and not all(schema.discrete[v] for v in given):
        some: list[Hashable] = [schema.names[v] for v in given if not schema.discrete[v]]
        raise ArgumentError(
            f"given has the continuous column {some[0]!r}, and {schema.names[x]!r} and {schema.names[y]!r} are "
            "discrete; conditional Gaussian distributions have no test of that. Leave it out, or cut it into levels"
        )
    return Statement(x, y, given)


def choose_tests(statements: Sequence[Statement], discrete: Sequence[bool], test: Any) -> list[str]:
    """Test of each statement: the given one, or that of some given ones that applies, or the default of its kind."""
    names = [] if test is None else list(test) if isinstance(test, list | tuple | set) else [test]
    for name in names:
        if name not in TESTS:
            raise ArgumentError(f"test={name!r} is not known; the tests are {', '.join(TESTS)}")
    kinds = [one.kind(discrete) for one in statements]
    defaults = {"levels": "x2-adj", "correlations": "cor", "regressions": "mi-cg-adj"}
    chosen = dict(defaults)
    for kind in chosen:
        own = [name for name in names if name in TESTS_OF[kind]]
        own += [SAME_FOR_LEVELS[name] for name in names if kind == "levels" and name in SAME_FOR_LEVELS]
        if own:
            chosen[kind] = own[0]
    used = {chosen[kind] for kind in kinds}
    for name in names:
        if kinds and name not in used and SAME_FOR_LEVELS.get(name) not in used:
            of = " or ".join(words for kind, words in IN_WORDS.items() if name in TESTS_OF[kind])
            raise ArgumentError(f"test={name!r} is for {of}, and there is nothing of that kind to test")
    return [chosen[kind] for kind in kinds]
