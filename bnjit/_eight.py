"""Eight float64 as one value of a kernel, in one vector register or several; arithmetic is lane by lane.

In compiled kernels `load_eight` gives a vector of LLVM; in plain Python it is an array of eight. No operation contracts
or reorders, so that each lane has, to the bit, what the same arithmetic with single numbers gives.
"""

# ruff: noqa: PLW0108 - overloads return functions, which intrinsics are not

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model

from bnjit._simd import SIMD_WIDTH

_DOUBLE, _WORD = ir.DoubleType(), ir.IntType(32)
_VECTOR = ir.VectorType(_DOUBLE, SIMD_WIDTH)


class _EightType(types.Type):
    """What the compiler calls eight float64."""

    def __init__(self) -> None:
        super().__init__(name="Eight")


_EIGHT = _EightType()
Eight = Any  # for annotations: an array in Python


@register_model(_EightType)
class _EightModel(models.PrimitiveModel):  # type: ignore[misc]
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _at(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def _load(_: Any, Z: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_at(context, builder, signature.args[0], *arguments), align=8)

    return _EIGHT(Z, at), generate


@intrinsic  # type: ignore[untyped-decorator]
def _store(_: Any, Z: Any, at: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _at(context, builder, signature.args[0], *arguments[:2]), align=8)
        return context.get_dummy_value()

    return types.void(Z, at, value), generate


@intrinsic  # type: ignore[untyped-decorator]
def _fill(_: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = context.cast(builder, arguments[0], signature.args[0], types.float64)
        empty = ir.Constant(_VECTOR, ir.Undefined)
        first = builder.insert_element(empty, one, ir.Constant(_WORD, 0))
        lanes = ir.Constant(ir.VectorType(_WORD, SIMD_WIDTH), [0] * SIMD_WIDTH)
        return builder.shuffle_vector(first, empty, lanes)

    return _EIGHT(value), generate


def _arithmetic(instruction: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def apply(_: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return _EIGHT(a, b), generate

    def implement(a: Any, b: Any) -> Any:
        if a == _EIGHT and b == _EIGHT:
            return lambda a, b: apply(a, b)
        return None

    return implement


for _operator, _instruction in (
    (operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv")
):  # fmt: skip
    overload(_operator, strict=False)(_arithmetic(_instruction))


def _function(name: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def apply(_: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(_VECTOR, [_VECTOR])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v8f64"), arguments)

        return _EIGHT(value), generate

    return apply


_sqrt, _fabs = _function("sqrt"), _function("fabs")


@intrinsic  # type: ignore[untyped-decorator]
def _select_less(_: Any, a: Any, b: Any, if_less: Any, otherwise: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b, if_less, otherwise = arguments
        return builder.select(builder.fcmp_ordered("<", a, b), if_less, otherwise)

    return _EIGHT(a, b, if_less, otherwise), generate


def load_eight(Z: Any, at: int) -> Eight:
    """Values at ... at + 7 of a flat array."""
    return Z[at : at + SIMD_WIDTH].copy()


def store_eight(Z: Any, at: int, value: Eight) -> None:
    """Write values to at ... at + 7 of a flat array."""
    Z[at : at + SIMD_WIDTH] = value


def fill_eight(value: float) -> Eight:
    """One number, eight times."""
    return np.full(SIMD_WIDTH, value)


def root_eight(value: Eight) -> Eight:
    """Square roots; NaN of what is negative."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(value)


def size_eight(value: Eight) -> Eight:
    """Absolute values."""
    return np.abs(value)


def where_less(a: Eight, b: Eight, if_less: Eight, otherwise: Eight) -> Eight:
    """Values of `if_less` where a < b, of `otherwise` elsewhere, and where one of them is NaN."""
    return np.where(a < b, if_less, otherwise)


@overload(load_eight, strict=False)  # type: ignore[untyped-decorator]
def _load_eight(Z: Any, at: Any) -> Any:
    return lambda Z, at: _load(Z, at)


@overload(store_eight, strict=False)  # type: ignore[untyped-decorator]
def _store_eight(Z: Any, at: Any, value: Any) -> Any:
    return lambda Z, at, value: _store(Z, at, value)


@overload(fill_eight, strict=False)  # type: ignore[untyped-decorator]
def _fill_eight(value: Any) -> Any:
    return lambda value: _fill(value)


@overload(root_eight, strict=False)  # type: ignore[untyped-decorator]
def _root_eight(value: Any) -> Any:
    return lambda value: _sqrt(value)


@overload(size_eight, strict=False)  # type: ignore[untyped-decorator]
def _size_eight(value: Any) -> Any:
    return lambda value: _fabs(value)


@overload(where_less, strict=False)  # type: ignore[untyped-decorator]
def _where_less(a: Any, b: Any, if_less: Any, otherwise: Any) -> Any:
    return lambda a, b, if_less, otherwise: _select_less(a, b, if_less, otherwise)
