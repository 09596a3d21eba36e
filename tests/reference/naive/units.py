"""Columns in units near their deviation, as scores are computed: what counts as singular does not depend on units."""

import math


def mix(state):
    """Splitmix64's finaliser."""
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    state = (state ^ state >> 27) * 0x94D049BB133111EB % 2**64
    return state ^ state >> 31


def share(seed, row):
    """A random number in [0, 1) for a row."""
    golden = 0x9E3779B97F4A7C15
    start = mix((seed + 1) * golden % 2**64)
    return (mix((start + row + 1) * golden % 2**64) >> 11) * 2.0**-53


def rows_that_decide(n):
    """63 of the rows, those with the least random numbers; of later ones, one of each block of 64 is a candidate."""
    early = [(share(2, row), row) for row in range(min(n, 256))]
    blocks = [(share(3, block), math.floor((block + share(1, block)) * 64)) for block in range(4, n // 64 + 1)]
    return [row for _, row in sorted([*early, *(pair for pair in blocks if pair[1] < n)])[:63]]


def factors(table):
    """For each continuous column, the power of two that brings its deviation to between a half and one.

    The deviation is the median difference from the median; where that is nothing, a larger one, or the standard one.
    """
    found = {}
    for name, column in table.items():
        if isinstance(column, tuple):
            continue
        values = sorted(column[row] for row in rows_that_decide(len(column)))
        k = len(values)
        away = sorted(abs(x - values[k // 2]) for x in values)
        mean = math.fsum(column) / len(column)
        deviations = [away[at] for at in (k // 2, 9 * k // 10, k - 1)]
        deviations.append(math.sqrt(math.fsum((x - mean) ** 2 for x in column) / max(1, len(column) - 1)))
        deviation = next((d for d in deviations if d > 0.0), 0.0)
        found[name] = 2.0 ** -math.frexp(deviation)[1] if 0.0 < deviation < math.inf else 1.0
    return found


def in_units(table, own):
    """The same table with columns multiplied."""
    return {
        name: column if isinstance(column, tuple) else [x * own[name] for x in column] for name, column in table.items()
    }


def in_own_units(score):
    """Make a score of table, node and parents (or of table, test rows, node and parents) decide in own units."""

    def scored(table, *arguments, **options):
        own = factors(table)
        held_out = isinstance(arguments[0], dict)
        node = arguments[1] if held_out else arguments[0]
        rows = arguments[0] if held_out else table
        first = next(iter(rows.values()))
        n = len(first[0]) if isinstance(first, tuple) else len(first)
        if held_out:
            arguments = (in_units(rows, own), *arguments[1:])
        return score(in_units(table, own), *arguments, **options) + n * math.log(own.get(node, 1.0))

    scored.in_given_units = score
    return scored
