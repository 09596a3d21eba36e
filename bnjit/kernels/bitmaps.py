"""Count the configurations of discrete variables by counting bits: fast where tables are small.

Every level of a variable has a bitmap with a bit for each row. A table's base, all its variables but one, has a bitmap
for each configuration; what it has in common with the bitmap of a level of the last variable are the rows of a cell.
Sets that differ in one variable, as those that a search asks for, share their base.

Axis legend: n rows; W = ceil(n / 64) words; b sets of at most d variables; J configurations of a base.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnjit._jit import Ints32, Ints64, jit
from bnjit.kernels.columns import Columns, append_codes
from bnjit.kernels.graph import Bits
from bnjit.kernels.tuning import BASE_WORDS, BLOCK_WORDS, KEYED_ROWS


class Bitmaps(NamedTuple):
    """Bitmaps of the levels of variables: words : uint64[levels in all, W]; first : int64[N], of each, -1 for none."""

    words: Bits
    first: Ints64


class Based(NamedTuple):
    """Sets, each a base and a variable.

    members : int32[b, d], ascending and then anything; sizes : int64[b]; last : int64[b], the place of the variable
    among the members; starts : int64[b + 1], where the table of each begins
    """

    members: Ints32
    sizes: Ints64
    last: Ints64
    starts: Ints64


@jit
def fill_bitmaps(columns: Columns, j: int, first: int, last: int, words: Bits) -> None:
    """Bitmaps of one variable's levels in rows first ... last - 1, a multiple of 64 and anything. O(n).

    words : uint64[levels, W] (out, zeros)
    """
    keys = np.empty(KEYED_ROWS, np.uint16)
    for start in range(first, last, KEYED_ROWS):
        length = min(KEYED_ROWS, last - start)
        for r in range(length):
            keys[r] = 0
        append_codes(columns, j, start, keys, length)
        for r in range(length):
            words[keys[r], (start + r) >> 6] |= np.uint64(1) << np.uint64(r & 63)


@jit
def choose_bases(
    levels: Ints64, has_bitmaps: NDArray[np.bool_], members: Ints32, sizes: Ints64, most: int, last: Ints64
) -> None:
    """Divide sets into bases and variables, so that sets one after the other share a base. O(b d).

    members, sizes : as in Based; most : J times the levels of the variable but one, at the most; last : int64[b] (out),
    -1 for sets that are not worth it, or have one variable alone
    """
    for i in range(sizes.shape[0]):
        d = sizes[i]
        last[i] = d - 1
        if i > 0 and sizes[i - 1] == d:
            place = _differs(members[i], members[i - 1], d)
            if place >= 0:
                last[i] = place
        if (i == 0 or sizes[i - 1] != d or last[i] == d - 1) and i + 1 < sizes.shape[0] and sizes[i + 1] == d:
            place = _differs(members[i], members[i + 1], d)
            if place >= 0:
                last[i] = place
        if d < 2:
            last[i] = -1
            continue
        cells = float(levels[members[i, last[i]]] - 1)
        for k in range(d):
            if not has_bitmaps[members[i, k]]:
                cells = np.inf
            if k != last[i]:
                cells *= levels[members[i, k]]
        if cells > most:
            last[i] = -1


@jit
def _differs(one: Ints32, other: Ints32, d: int) -> int:
    """Place of the only member of one set that the other has not, -1 if there is none or are several."""
    place = -1
    k = 0
    for i in range(d):
        while k < d and other[k] < one[i]:
            k += 1
        if k == d or other[k] != one[i]:
            if place >= 0:
                return -1
            place = i
    return place


@jit
def _same_base(sets: Based, i: int, k: int) -> bool:
    """Whether two sets have the same base."""
    if sets.sizes[i] != sets.sizes[k]:
        return False
    a = b = 0
    for _ in range(sets.sizes[i] - 1):
        a += a == sets.last[i]
        b += b == sets.last[k]
        if sets.members[i, a] != sets.members[k, b]:
            return False
        a += 1
        b += 1
    return True


@jit
def count_ones(x: np.uint64) -> np.uint64:
    """Bits of a word that are set; compilers know these steps, and take one instruction for them.

    x : uint64
    """
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (x * np.uint64(0x0101010101010101)) >> np.uint64(56)


@jit
def _common_six(x: Bits, y: Bits, a: Bits, b: Bits, c: Bits) -> tuple[np.int64, ...]:
    """How many bits each of two bitmaps, x and y, has in common with three others: those of x first."""
    ax = bx = cx = ay = by = cy = np.uint64(0)
    for w in range(x.shape[0]):
        ax += count_ones(a[w] & x[w])
        bx += count_ones(b[w] & x[w])
        cx += count_ones(c[w] & x[w])
        ay += count_ones(a[w] & y[w])
        by += count_ones(b[w] & y[w])
        cy += count_ones(c[w] & y[w])
    return np.int64(ax), np.int64(bx), np.int64(cx), np.int64(ay), np.int64(by), np.int64(cy)


@jit
def _common_four(x: Bits, a: Bits, b: Bits, c: Bits, d: Bits) -> tuple[np.int64, ...]:
    """How many bits a bitmap has in common with each of four others."""
    ax = bx = cx = dx = np.uint64(0)
    for w in range(x.shape[0]):
        ax += count_ones(a[w] & x[w])
        bx += count_ones(b[w] & x[w])
        cx += count_ones(c[w] & x[w])
        dx += count_ones(d[w] & x[w])
    return np.int64(ax), np.int64(bx), np.int64(cx), np.int64(dx)


@jit
def _ones(a: Bits) -> np.int64:
    """How many bits are set."""
    total = np.uint64(0)
    for w in range(a.shape[0]):
        total += count_ones(a[w])
    return np.int64(total)


@jit
def _fill_base(
    maps: Bitmaps, levels: Ints64, members: Ints32, size: int, last: int, first: int, end: int, base: Bits
) -> None:
    """Bitmaps of the configurations of a base in words first ... end - 1. O(J W).

    base : uint64[>= J, end - first] (out), the last member's digit changing fastest
    """
    J = 0
    for k in range(size):
        if k == last:
            continue
        v = members[k]
        r = levels[v]
        for j in range(max(J, 1) - 1, -1, -1):  # from the end, so that no bitmap is written before it was read
            for code in range(r - 1, -1, -1):
                one, other, out = maps.words[maps.first[v] + code][first:end], base[j], base[j * r + code]
                for w in range(end - first):
                    out[w] = other[w] & one[w] if J else one[w]
        J = max(J, 1) * r


@jit
def count_by_bits(first: int, last: int, maps: Bitmaps, levels: Ints64, sets: Based, dense: Ints32) -> None:
    """Count every declared configuration of sets first ... last - 1. O(J levels W) for each.

    dense : int32[sets.starts[b]] (out, zeros)
    """
    W = maps.words.shape[1]
    i = first
    while i < last:
        end = i + 1
        while end < last and _same_base(sets, i, end):
            end += 1
        J = 1
        for k in range(sets.sizes[i]):
            if k != sets.last[i]:
                J *= levels[sets.members[i, k]]
        block = max(8, min(BLOCK_WORDS, BASE_WORDS // J))
        base = np.empty((J, min(W, block)), np.uint64)
        rows, seen = np.zeros(J, np.int64), np.empty(J, np.int64)
        for start in range(0, W, block):
            stop = min(W, start + block)
            _fill_base(maps, levels, sets.members[i], sets.sizes[i], sets.last[i], start, stop, base)
            m = 0  # configurations that the block has
            for j in range(J):
                here = _ones(base[j][: stop - start])
                rows[j] += here
                if here > 0:
                    seen[m] = j
                    m += 1
            for s in range(i, end):
                v = sets.members[s, sets.last[s]]
                table = dense[sets.starts[s] : sets.starts[s + 1]]
                stride = _stride(sets, levels, s)
                _add_counts(maps.words, maps.first[v], levels[v], start, stop, base, seen[:m], stride, table)
        for s in range(i, end):
            v = sets.members[s, sets.last[s]]
            _fill_last_level(rows, levels[v], _stride(sets, levels, s), dense[sets.starts[s] : sets.starts[s + 1]])
        i = end


@jit
def _stride(sets: Based, levels: Ints64, s: int) -> int:
    """Weight of the digit of a set's variable in keys."""
    stride = 1
    for k in range(sets.last[s] + 1, sets.sizes[s]):
        stride *= levels[sets.members[s, k]]
    return stride


@jit
def _place(j: int, stride: int, r: int) -> int:
    """Place of a base's configuration with the variable's first level in a table."""
    return j // stride * stride * r + j % stride


@jit
def _add_counts(
    words: Bits, low: int, r: int, start: int, stop: int, base: Bits, seen: Ints64, stride: int, table: Ints32
) -> None:
    """Add the rows of words start ... stop - 1 to the table of a base and a variable, but for the last level.

    Rows of a matrix are known to be without gaps, so that words are read eight at a time; slices of both axes are not.
    words : uint64[levels in all, W], from `low` on those of the variable's r levels; base : uint64[J, >= stop - start];
    seen : int64[m], configurations that have rows; table : int32[J r]
    """
    m, w = seen.shape[0], stop - start
    pairs = (r - 1) // 2 * 2
    for code in range(0, pairs, 2):
        x, y = words[low + code][start:stop], words[low + code + 1][start:stop]
        for i in range(0, m, 3):
            a, b, c = seen[i], seen[min(i + 1, m - 1)], seen[min(i + 2, m - 1)]
            six = _common_six(x, y, base[a][:w], base[b][:w], base[c][:w])
            for k in range(min(3, m - i)):
                at = _place(seen[i + k], stride, r) + code * stride
                table[at] += six[k]
                table[at + stride] += six[k + 3]
    if pairs < r - 1:
        x = words[low + pairs][start:stop]
        for i in range(0, m, 4):
            a, b, c, d = seen[i], seen[min(i + 1, m - 1)], seen[min(i + 2, m - 1)], seen[min(i + 3, m - 1)]
            four = _common_four(x, base[a][:w], base[b][:w], base[c][:w], base[d][:w])
            for k in range(min(4, m - i)):
                table[_place(seen[i + k], stride, r) + pairs * stride] += four[k]


@jit
def _fill_last_level(rows: Ints64, r: int, stride: int, table: Ints32) -> None:
    """Give the last level of a variable the rows of each configuration that the others have not.

    rows : int64[J]; table : int32[J r]
    """
    for j in range(rows.shape[0]):
        at, left = _place(j, stride, r), rows[j]
        for code in range(r - 1):
            left -= table[at + code * stride]
        table[at + (r - 1) * stride] = left
