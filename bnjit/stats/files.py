"""Files of statistics: NumPy's npz with a header in JSON, no pickle, written in one piece or not at all."""

import json
import math
import os
import tokenize
import zipfile
import zlib
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bnjit._files import write_whole
from bnjit.data.schema import Labels, Schema
from bnjit.errors import ArgumentError, FileFormatError
from bnjit.kernels.moments import Moments
from bnjit.kernels.triangles import Triangles
from bnjit.stats.cells import MAX_CONFIGURATIONS, Cells
from bnjit.stats.gaps import extended
from bnjit.stats.triangles import CellTriangles

# Bytes that a file may unpack to: these, and so many times its own size. Keys and counts of cells shrink to a tenth.
UNPACKED_BYTES, UNPACKED_RATIO = 1 << 26, 100
Arrays = dict[str, Any]
MOST_EXPONENT = 1100  # of a power of two
SUMS_DIFFER = 1e-9  # relative: sums of weights by cells, and of all of them
CELLS = ("keys", "counts", "means", "mean_corrections", "crosses")
TRIANGLES = ("keys", "counts", "shifts", "R")
DAMAGED = (
    OSError, ValueError, TypeError, AttributeError, LookupError, EOFError, MemoryError, OverflowError,
    NotImplementedError, RuntimeError, SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def write_arrays(path: "str | os.PathLike[str]", version: int, header: Any, arrays: Arrays, compress: bool) -> None:
    """Write arrays and a header to a file, in one piece or not at all."""
    arrays = {"version": np.int64(version), "header": np.array(json.dumps(header)), **arrays}
    size = sum(np.asarray(array).nbytes for array in arrays.values())
    with write_whole(path) as part:
        if compress:
            with part.open("wb") as file:
                np.savez_compressed(file, **arrays)
        if not compress or size > UNPACKED_BYTES + UNPACKED_RATIO * part.stat().st_size:  # which nobody would read
            with part.open("wb") as file:
                np.savez(file, **arrays)


def read_arrays(path: "str | os.PathLike[str]", version: int, what: str) -> tuple[Any, Arrays]:
    """Read what `write_arrays` wrote; a file that is damaged, or is something else, raises FileFormatError."""
    try:
        with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            _check_size(file, os.fstat(opened.fileno()).st_size)
            arrays = {name: file[name] for name in file.files}
        found, header = int(arrays.pop("version")), json.loads(str(arrays.pop("header")))
    except FileNotFoundError:
        raise ArgumentError(f"there is no file {str(path)!r}") from None
    except Exception as error:  # whatever the unpackers of zip files raise
        raise not_a_file(path, what) from error
    if found != version:
        raise FileFormatError(f"{str(path)!r} has version {found}, and this bnjit reads {version}")
    return header, arrays


def _check_size(file: Any, size: int) -> None:
    """Raise for a file that would unpack to far more than statistics do."""
    unpacked = sum(member.file_size for member in file.zip.infolist())
    _need(unpacked <= UNPACKED_BYTES + UNPACKED_RATIO * size)


def not_a_file(path: "str | os.PathLike[str]", what: str) -> FileFormatError:
    """Return the error for a file that holds something else, or is damaged."""
    return FileFormatError(f"{str(path)!r} is no file of {what}, or is damaged")


def check_savable(names: Sequence[Hashable], labels: Sequence[Labels]) -> None:
    """Raise for names and levels that a file cannot keep."""
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"column {name!r} is not named by a text, and a file could not keep it")
    for own in labels:
        for label in own or ():
            if not isinstance(label, str | bool | int | float):
                raise ArgumentError(f"the level {label!r} is neither text nor a number; a file could not keep it")


def pack(schema: Schema, tables: Sequence[Cells], triangles: Sequence[CellTriangles] = ()) -> tuple[Any, Arrays]:
    """Header and arrays of statistics."""
    given = schema.as_given
    check_savable(given.names, given.labels)
    header = {
        "names": list(given.names),
        "labels": [None if labels is None else list(labels) for labels in given.labels],
        "missing": None if schema.gaps is None else list(schema.gaps.missing),
        "tables": [[list(cells.variables), list(cells.columns)] for cells in tables],
        "triangles": [[list(made.variables), list(made.columns)] for made in triangles],
        "exponents": None if schema.factors is None else (np.frexp(schema.factors)[1] - 1).tolist(),
    }
    arrays: Arrays = {}
    for i, cells in enumerate(tables):
        arrays |= {f"{name}{i}": own for name, own in zip(CELLS, (cells.keys, *cells.moments), strict=True)}
    for i, made in enumerate(triangles):
        arrays |= {
            f"triangle_{name}{i}": own for name, own in zip(TRIANGLES, (made.keys, *made.triangles), strict=True)
        }
    return header, arrays


def unpack(header: Any, arrays: Arrays) -> tuple[Schema, list[Cells], list[CellTriangles]]:
    """Statistics of a file, if they are what statistics can be; anything else raises one of DAMAGED."""
    names, lists = header["names"], header["labels"]
    _need(len(names) == len(lists) == len(set(names)) > 0)
    _need(all(isinstance(name, str) for name in names))
    labels: list[Labels] = [None if own is None else tuple(own) for own in lists]
    for levels in labels:
        distinct = levels is None or len(set(levels)) == len(levels)
        _need(distinct and all(isinstance(v, str | bool | int | float) for v in levels or ()))
    schema = Schema(names, labels)
    missing = header.get("missing")
    if missing is not None:
        n = round(arrays["counts0"].sum())
        _need(len(missing) == len(names) and all(isinstance(k, int) and 0 <= k <= n for k in missing) and any(missing))
        schema = extended(schema, missing, n)
    exponents = header["exponents"]
    if exponents is not None:
        _need(
            len(exponents) == len(schema.names)
            and all(isinstance(k, int) and abs(k) < MOST_EXPONENT for k in exponents)
        )
        schema.factors = np.ldexp(1.0, exponents)
    _need(header["tables"][0] == [[], list(schema.continuous)])
    _need(len({arrays[name].dtype for name in arrays if "counts" in name}) == 1)
    n = arrays["counts0"].sum().item()
    tables = []
    for i, (variables, columns) in enumerate(header["tables"]):
        tables.append(_cells(schema, variables, columns, [arrays[f"{name}{i}"] for name in CELLS], n))
    triangles = []
    for i, (variables, columns) in enumerate(header["triangles"]):
        own = [arrays[f"triangle_{name}{i}"] for name in TRIANGLES]
        triangles.append(_triangles(schema, variables, columns, own))
    return schema, tables, triangles


def _need(condition: Any) -> None:
    if not condition:
        raise ValueError


def _places(schema: Schema, variables: Any, columns: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Variables and columns of a table, if they are some of the schema's."""
    for places, discrete in ((variables, True), (columns, False)):
        _need(all(isinstance(v, int) and 0 <= v < len(schema.names) and schema.discrete[v] is discrete for v in places))
        _need(list(places) == sorted(set(places)))
    return tuple(variables), tuple(columns)


def _check_keys(schema: Schema, variables: tuple[int, ...], keys: Any, counts: Any) -> None:
    m = len(keys)
    _need(keys.dtype == np.int64 and counts.dtype in (np.int64, np.float64))  # sums of weights are no integers
    _need(np.isfinite(counts).all())
    _need(keys.shape == counts.shape == (m,))
    _need(m > 0)
    _need(counts.min() > 0)
    _need(keys[0] >= 0)
    _need(np.all(np.diff(keys) > 0))
    _need(keys[-1] < schema.configurations(variables) <= MAX_CONFIGURATIONS)


def _cells(schema: Schema, variables: Any, columns: Any, arrays: list[Any], n: float) -> Cells:
    variables, columns = _places(schema, variables, columns)
    keys, counts, *floats = arrays
    _check_keys(schema, variables, keys, counts)
    m, c = len(keys), len(columns)
    _need(math.isclose(counts.sum(), n, rel_tol=SUMS_DIFFER if counts.dtype == np.float64 else 0.0))
    _need(all(array.dtype == np.float64 and np.isfinite(array).all() for array in floats))
    _need([array.shape for array in floats] == [(m, c), (m, c), (m, c * (c + 1) // 2)])
    _need((floats[2][:, [j * (j + 3) // 2 for j in range(c)]] >= 0.0).all())
    levels = tuple(schema.levels[v] for v in variables)
    return Cells(variables, levels, columns, keys, Moments(counts, *floats))


def _triangles(schema: Schema, variables: Any, columns: Any, arrays: list[Any]) -> CellTriangles:
    variables, columns = _places(schema, variables, columns)
    keys, counts, shifts, R = arrays
    _check_keys(schema, variables, keys, counts)
    m, p = len(keys), len(columns) + 1
    _need(all(array.dtype == np.float64 and np.isfinite(array).all() for array in (shifts, R)))
    _need(shifts.shape == (m, p - 1))
    _need(R.shape == (m, p, p))
    return CellTriangles(variables, keys, columns, Triangles(counts, shifts, R))
