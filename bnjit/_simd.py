"""Vector code that the compiler does not find by itself, written as LLVM vectors of eight float64.

Where a processor has narrower registers, LLVM uses several of them: the same code runs everywhere. Each function below
takes flat float64 arrays with offsets, so that it compiles once.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

SIMD_WIDTH = 8  # float64 values of a vector

_FIRST_FILLED = 5  # kind of float64 columns in which another value stands for NaN; that of float32 follows

_WORD, _DOUBLE = ir.IntType(64), ir.DoubleType()
_VECTOR = ir.VectorType(_DOUBLE, SIMD_WIDTH)
_ZEROS = ir.Constant(_VECTOR, [0.0] * SIMD_WIDTH)


def _number(value: int) -> Any:
    return ir.Constant(_WORD, value)


def _load(builder: Any, pointer: Any, offset: Any) -> Any:
    at = builder.bitcast(builder.gep(pointer, [offset]), _VECTOR.as_pointer())
    return builder.load(at, align=SIMD_WIDTH)


def _store(builder: Any, value: Any, pointer: Any, offset: Any) -> None:
    at = builder.bitcast(builder.gep(pointer, [offset]), _VECTOR.as_pointer())
    builder.store(value, at, align=SIMD_WIDTH)


def _eight(builder: Any, scalar: Any, first: Any, row: Any) -> Any:
    """Eight rows of a column that begins at the address `first`, as float64."""
    values = builder.gep(builder.inttoptr(first, scalar.as_pointer()), [row])
    block = builder.bitcast(values, ir.VectorType(scalar, SIMD_WIDTH).as_pointer())
    value = builder.load(block, align=8 if scalar is _DOUBLE else 4)
    return value if scalar is _DOUBLE else builder.fpext(value, _VECTOR)


def _shuffle(builder: Any, a: Any, b: Any, lanes: Sequence[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), SIMD_WIDTH), list(lanes)))


def _filled(builder: Any, value: Any) -> Any:
    """Vector of one value."""
    empty = ir.Constant(_VECTOR, ir.Undefined)
    return _shuffle(
        builder, builder.insert_element(empty, value, ir.Constant(ir.IntType(32), 0)), empty, [0] * SIMD_WIDTH
    )


def _emitted(signature: Any, emit: Callable[..., None]) -> Any:
    """What Numba asks of an intrinsic without a result; arrays are handed to `emit` as pointers to their data."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = [
            context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, arguments, strict=True)
        ]
        emit(builder, *given)
        return context.get_dummy_value()

    return signature, generate


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Transpose eight vectors, by exchanging ever larger blocks."""
    for width in (1, 2, 4):
        low = [i if not i & width else SIMD_WIDTH + i - width for i in range(SIMD_WIDTH)]
        high = [i + width if not i & width else SIMD_WIDTH + i for i in range(SIMD_WIDTH)]
        out: list[Any] = [None] * SIMD_WIDTH
        for i in range(SIMD_WIDTH):
            if not i & width:
                out[i] = _shuffle(builder, rows[i], rows[i + width], low)
                out[i + width] = _shuffle(builder, rows[i], rows[i + width], high)
        rows = out
    return rows


@intrinsic  # type: ignore[untyped-decorator]
def scatter_eight(
    _: Any, address: Any, kind: Any, scale: Any, fill: Any, column: Any, row: Any, position: Any, at: Any, z: Any,
    p: Any,
) -> Any:  # fmt: skip
    """Write rows row ... row + 7 of columns column ... column + 7 to their positions in z.

    address : int64[c], kind : uint8[c], 0 for float64, 1 for float32, 5 and 6 for these with `fill`, float64[c], in
    place of NaN, else zeros are written; scale : float64[c], what values are multiplied by; position : int32[n], those
    of the rows begin at `at`; value (r, j) goes to z[position[at + r] * p + column + j]
    """

    def emit(
        builder: Any, address: Any, kind: Any, scale: Any, fill: Any, column: Any, row: Any, position: Any, at: Any,
        z: Any, p: Any,
    ) -> None:  # fmt: skip
        read = []
        for lane in range(SIMD_WIDTH):
            j = builder.add(column, _number(lane))
            found = cgutils.alloca_once_value(builder, _ZEROS)
            first = builder.load(builder.gep(address, [j]))
            tag = builder.load(builder.gep(kind, [j]))
            for code, scalar in ((0, _DOUBLE), (1, ir.FloatType())):
                with builder.if_then(builder.icmp_unsigned("==", tag, ir.Constant(tag.type, code))):
                    builder.store(_eight(builder, scalar, first, row), found)
            with builder.if_then(builder.icmp_unsigned(">=", tag, ir.Constant(tag.type, _FIRST_FILLED))):
                other = _filled(builder, builder.load(builder.gep(fill, [j])))
                for code, scalar in ((_FIRST_FILLED, _DOUBLE), (_FIRST_FILLED + 1, ir.FloatType())):
                    with builder.if_then(builder.icmp_unsigned("==", tag, ir.Constant(tag.type, code))):
                        value = _eight(builder, scalar, first, row)
                        is_gap = builder.fcmp_unordered("uno", value, value)
                        builder.store(builder.select(is_gap, other, value), found)
            times = _filled(builder, builder.load(builder.gep(scale, [j])))
            read.append(builder.fmul(builder.load(found), times))
        for lane, values in enumerate(_transposed(builder, read)):
            where = builder.sext(builder.load(builder.gep(position, [builder.add(at, _number(lane))])), _WORD)
            _store(builder, values, z, builder.add(builder.mul(where, p), column))

    return _emitted(types.void(address, kind, scale, fill, column, row, position, at, z, p), emit)


@intrinsic  # type: ignore[untyped-decorator]
def sum_rows(_: Any, z: Any, at: Any, stride: Any, rows: Any, column: Any, sums: Any) -> Any:
    """Write the sums of `rows` rows of z, the first of which begins at `at`, to sums[column ... column + 7]."""

    def emit(builder: Any, z: Any, at: Any, stride: Any, rows: Any, column: Any, sums: Any) -> None:
        total = cgutils.alloca_once_value(builder, _ZEROS)
        with cgutils.for_range(builder, rows) as loop:
            offset = builder.add(builder.add(at, column), builder.mul(loop.index, stride))
            builder.store(builder.fadd(builder.load(total), _load(builder, z, offset)), total)
        _store(builder, builder.load(total), sums, column)

    return _emitted(types.void(z, at, stride, rows, column, sums), emit)


@intrinsic  # type: ignore[untyped-decorator]
def subtract_rows(_: Any, z: Any, at: Any, stride: Any, rows: Any, column: Any, shift: Any) -> Any:
    """Subtract shift[column ... column + 7] from `rows` rows of z, the first of which begins at `at`."""

    def emit(builder: Any, z: Any, at: Any, stride: Any, rows: Any, column: Any, shift: Any) -> None:
        values = _load(builder, shift, column)
        with cgutils.for_range(builder, rows) as loop:
            offset = builder.add(builder.add(at, column), builder.mul(loop.index, stride))
            _store(builder, builder.fsub(_load(builder, z, offset), values), z, offset)

    return _emitted(types.void(z, at, stride, rows, column, shift), emit)


@intrinsic  # type: ignore[untyped-decorator]
def multiply_block(_: Any, z: Any, at: Any, stride: Any, rows: Any, i: Any, j: Any, tile: Any) -> Any:
    """Products of columns i ... i + 7 with columns j ... j + 7 of `rows` rows of z, and sums of the latter.

    tile : float64[72] (out), the 8 x 8 products row by row, then the sums; nine registers hold them on the way
    """

    def emit(builder: Any, z: Any, at: Any, stride: Any, rows: Any, i: Any, j: Any, tile: Any) -> None:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        fused = cgutils.get_or_insert_function(builder.module, kind, "llvm.fmuladd.v8f64")  # in one step, or in two
        sums = [cgutils.alloca_once_value(builder, _ZEROS) for _ in range(SIMD_WIDTH + 1)]
        with cgutils.for_range(builder, rows) as loop:
            row = builder.add(at, builder.mul(loop.index, stride))
            right = _load(builder, z, builder.add(row, j))
            left = builder.add(row, i)
            for lane in range(SIMD_WIDTH):
                value = builder.load(builder.gep(z, [builder.add(left, _number(lane))]))
                builder.store(
                    builder.call(fused, [_filled(builder, value), right, builder.load(sums[lane])]), sums[lane]
                )
            builder.store(builder.fadd(builder.load(sums[SIMD_WIDTH]), right), sums[SIMD_WIDTH])
        for lane, total in enumerate(sums):
            _store(builder, builder.load(total), tile, _number(lane * SIMD_WIDTH))

    return _emitted(types.void(z, at, stride, rows, i, j, tile), emit)
