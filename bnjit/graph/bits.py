"""Sets of small numbers as bits of an integer: nodes, columns or variables of a set in one word that compares fast."""

from collections.abc import Iterable

import numpy as np

MANY = 32  # members that are found faster all at once


def bits_of(members: Iterable[int]) -> int:
    """Members of a set as bits.

    Examples
    --------
    >>> bits_of([0, 3])
    9
    """
    bits = 0
    for member in members:
        bits |= 1 << member
    return bits


def members_of(bits: int) -> list[int]:
    """Members of a set of bits, ascending.

    Examples
    --------
    >>> members_of(9)
    [0, 3]
    """
    if bits.bit_count() > MANY:
        width = bits.bit_length() + 7 >> 3
        flags = np.unpackbits(np.frombuffer(bits.to_bytes(width, "little"), np.uint8), bitorder="little")
        found: list[int] = flags.nonzero()[0].tolist()
        return found
    members = []
    while bits:
        low = bits & -bits
        members.append(low.bit_length() - 1)
        bits ^= low
    return members
