"""Bytes of good files, changed as disks, networks and adversaries change them; the same for the same number."""

import random

SPECIAL = [b"\x00", b"\xff", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\x00" * 8, b"\xff" * 8]
TEXT = [b"{", b"}", b"[", b"]", b"(", b")", b'"', b"'", b",", b";", b"|", b":", b"=", b"\n", b"-1", b"1e999", b"nan",
        b"0", b"99999999999999999999", b"\xc3\x28", b"\\", b"<", b">", b"&", b"/*", b"//", b"null", b" "]  # fmt: skip


def mutated(content: bytes, number: int) -> bytes:
    """Return a version of a file with one to four changes."""
    rng = random.Random(number)
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        _change(data, rng)
    return bytes(data)


def _change(data: bytearray, rng: random.Random) -> None:
    size = len(data)
    if not size:
        return
    # Headers and footers hold what a reader trusts: every other change is there.
    anywhere = rng.randrange(size)
    where = rng.choice([anywhere, anywhere, rng.randrange(min(size, 64)), size - 1 - rng.randrange(min(size, 256))])
    kind = rng.randrange(9)
    if kind == 0:
        data[where] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[where] = rng.randrange(256)
    elif kind == 2:
        some = rng.choice(SPECIAL)
        data[where : where + len(some)] = some
    elif kind == 3:
        data[where:where] = rng.choice(TEXT)
    elif kind == 4:
        some = rng.choice(TEXT)
        data[where : where + len(some)] = some
    elif kind == 5:
        del data[where : where + rng.choice([1, 2, 4, 8, 64, 1024])]
    elif kind == 6:
        del data[where:]
    elif kind == 7:
        length = rng.choice([1, 4, 16, 200])
        source = rng.randrange(size)
        data[where:where] = data[source : source + length]
    else:
        length = rng.choice([4, 8, 32])
        data[where : where + length] = rng.randbytes(length)
