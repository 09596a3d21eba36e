"""One place for the compilation policy: how every kernel is compiled and cached."""

import platform
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import carray
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from bnjit._kernel_cache import KernelCache

__all__ = [
    "Floats", "Ints32", "Ints64", "carray", "jit", "jit_reordering", "jit_within", "pause", "pointer", "shared_value",
]  # fmt: skip

# The canonical types of arrays at the border of the kernels, of any number of axes.
Floats = NDArray[np.float64]
Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]

F = TypeVar("F", bound=Callable[..., object])

# Nobody calls kernels from C: without the functions for that, compiling takes a twentieth less.
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_HAS_PAUSE = platform.machine() in ("x86_64", "AMD64")


def jit(function: F) -> F:
    """Compile a sequential kernel."""
    return _kept(numba.njit(**_OPTIONS)(function))


def jit_within(function: F) -> F:
    """Compile a kernel as a part of the one that calls it, whose options count; alone, only if Python calls it.

    For long kernels that one other calls at one place: compiled by themselves first, they take twice as long.
    """
    return _kept(numba.njit(inline="always", **_OPTIONS)(function))


def jit_reordering(function: F) -> F:
    """Compile a kernel whose sums the compiler may reorder and contract, to use vector registers.

    Safe where a sum's order carries no meaning and no NaN or infinity is expected: the machine code,
    and so the result, is the same on every thread.
    """
    return _kept(numba.njit(fastmath={"reassoc", "contract"}, **_OPTIONS)(function))


def _kept(dispatcher: Any) -> Any:
    """Keep a kernel's machine code on disk; there is none to keep where NUMBA_DISABLE_JIT leaves plain Python."""
    if hasattr(dispatcher, "py_func"):
        dispatcher._cache = KernelCache(dispatcher.py_func)
    return dispatcher


@intrinsic  # type: ignore[untyped-decorator]
def pointer(typing_context: Any, address: Any) -> Any:
    """Turn the address of an array's first value into a pointer for `carray`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@intrinsic  # type: ignore[untyped-decorator]
def shared_value(typing_context: Any, address: Any) -> Any:
    """Read an int64 that another thread may write, at this very moment."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load_atomic(at, "acquire", 8)

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def pause(typing_context: Any) -> Any:
    """Tell the processor that this thread does nothing but look: another one on the same core goes faster."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _HAS_PAUSE:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
        return context.get_dummy_value()

    return types.void(), generate
