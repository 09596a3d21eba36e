"""Columns in units near their deviation, as scores are computed: what counts as singular does not depend on units."""

import math


def factors(table):
    """For each continuous column, the power of two that brings its deviation to between a half and one."""
    found = {}
    for name, column in table.items():
        if isinstance(column, tuple):
            continue
        mean = math.fsum(column) / len(column)
        squares = math.fsum((x - mean) ** 2 for x in column)
        deviation = math.sqrt(squares / max(1, len(column) - 1))
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
