"""Operations on NumPy arrays, element by element: the exact result of the operands, rounded once into a format.

Operands are arrays (or numbers) of float64 or float32. In C order and of the result's shape they are used where they lie;
others are brought into that shape by a copy. In a floating format operands may be any numbers, values of the format or
not. In a fixed-point format each operand is rounded into the format first, because its operations are of words.

`seed` belongs to stochastic rounding (a format with :sr), and is asked for there: the same seed gives the same bits,
with any number of threads.

`out` is an array for the result, which may be one of the operands. Without it a new one is made: float32 where every
operand is float32 and the format fits it, else float64.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import array_of, refuse_masks, whole
from .formats import ML_DTYPES, AnyFormat, Format, FormatLike, NarrowFormat, WordFormat, format
from .options import get_threads

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def _as_operand(x: Any) -> NDArray[Any]:
    if type(x) is np.ndarray and x.dtype in _FLOATS:  # nearly always: looking up the import below takes a microsecond
        return x
    from .array import Array

    if isinstance(x, Array):
        return x.values
    refuse_masks(x, "an operand")
    a = array_of(x, "an operand")
    if a.dtype in _FLOATS:
        return a
    if a.dtype.kind in "biu" and a.dtype.name not in ML_DTYPES:
        converted = a.astype(np.float64)
        top = 2.0 ** (64 if a.dtype.kind == "u" else 63)  # which the largest integers become, and which none of them is
        if a.dtype.itemsize == 8 and ((converted >= top).any() or not np.array_equal(converted.astype(a.dtype), a)):
            raise ValueError("an integer of more than 53 bits is no float64; round it first as you want it rounded")
        return converted
    if a.dtype == np.float16 or a.dtype.name in ML_DTYPES:
        return a.astype(np.float32)
    raise TypeError(f"an array of {a.dtype}: give numbers of float64, float32, float16, integers or types of ml_dtypes")


def _result(shape: tuple[int, ...], dtype: Any, out: Optional[NDArray[Any]]) -> NDArray[Any]:
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or out.dtype not in _FLOATS:
        raise TypeError("out: give a NumPy array of float64 or float32")
    if out.shape != shape:
        raise ValueError(f"out: its shape is {out.shape} and the result's {shape}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError("out: give an array in C order that can be written")
    return out


def _apart(a: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
    """The operand, as a copy where writing the result would change what is still to be read of it. (Each element of the
    very array that is written is read before.)"""
    same = a.dtype == out.dtype and a.shape == out.shape and a.ctypes.data == out.ctypes.data
    return a if same or not np.may_share_memory(a, out) else a.copy()


def _laid_out(a: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """As the kernels read it: one number, or the whole shape in C order. A copy only where it has to be one."""
    if a.size == 1:
        return a.reshape(1)
    if a.shape != shape:
        a = np.broadcast_to(a, shape)
    return a if a.flags.c_contiguous else np.ascontiguousarray(a)


FixedFormat = Union[Format, WordFormat]


def _word_dtype(f: FixedFormat) -> Any:
    return np.int32 if isinstance(f, Format) and f.width <= 32 else np.int64


def _range(f: FixedFormat) -> str:
    least = f.min if isinstance(f, WordFormat) else -f.max - f.epsilon
    return f"does not fit {f}, whose words are {least:g} to {f.max:g}; scale the numbers or take a wider format"


def _check(f: WordFormat, code: int, what: str) -> None:
    """What WordUnit says of an array."""
    if code == 2 or (code == 1 and f.reports):
        reason = "has no word (a NaN, a quotient by zero, or an infinity that was to wrap)" if code == 2 else _range(f)
        raise OverflowError(f"{what} {reason}")


def _words(x: NDArray[Any], f: FixedFormat, seed: int = 0) -> NDArray[Any]:
    words = np.empty(x.shape, _word_dtype(f))
    a = np.asarray(x, np.float64, order="C")  # (ascontiguousarray makes an array of one element of a number)
    if isinstance(f, WordFormat):
        _check(f, _core.convert_to(f, a.reshape(-1), words.reshape(-1), seed, get_threads()), "a number")
    elif _core.to_words(f, a, words, get_threads()):
        raise OverflowError(f"a number {_range(f)}")
    return words


def _word_values(f: FixedFormat, words: NDArray[Any], to: NDArray[np.float64]) -> None:
    if isinstance(f, WordFormat):
        np.ldexp(words.astype(np.float64), -f.fraction_bits, out=to)
    else:
        _core.to_doubles(f, words, to, get_threads())


def _operate_words(operation: str, f: FixedFormat, words: list[NDArray[Any]], seed: int = 0) -> NDArray[Any]:
    """On words in C order, of one shape."""
    result = np.empty(words[0].shape, words[0].dtype)
    more: list[Any] = [*words[1:], None, None]
    if isinstance(f, WordFormat):
        flat: list[Any] = [w if w is None else w.reshape(-1) for w in (words[0], *more[:2])]
        code = _core.apply_to(f, operation, result.reshape(-1), flat[0], flat[1], flat[2], seed, get_threads())
        _check(f, code, f"{operation}: a result")
    elif _core.apply_words(f, operation, result, words[0], more[0], more[1], get_threads()):
        raise _overflowed(f, operation)
    return result


def _overflowed(f: FixedFormat, operation: str) -> OverflowError:
    return OverflowError(f"{operation}: a result {_range(f)}")


def _fixed(operation: str, f: FixedFormat, operands: list[NDArray[Any]], shape: tuple[int, ...],
           out: Optional[NDArray[Any]], seed: int) -> Any:
    if not f.as_double:
        raise ValueError(f"words of {f} have more than 53 bits and are no float64; use mantissa.array, which keeps words")
    words = [np.asarray(np.broadcast_to(_words(a, f, seed), shape), order="C") for a in operands]
    result = words[0] if operation == "convert" else _operate_words(operation, f, words, seed)
    to = _result(shape, np.float64, out)
    if to.dtype == np.float64:
        _word_values(f, result, to)
        return to
    values = np.empty(shape)
    _word_values(f, result, values)
    if f.width > 24:
        raise ValueError(f"out: words of {f} do not fit float32; give an array of float64")
    to[...] = values
    return to


def _seed_of(f: AnyFormat, seed: Optional[int]) -> int:
    stochastic = not isinstance(f, Format) and f.stochastic
    if stochastic and seed is None:
        raise ValueError(f"{f} rounds stochastically: give a seed, as seed=1")
    if seed is not None and not stochastic:
        raise ValueError(f"seed: {f} does not round stochastically; write {f}:sr or leave the seed out")
    return 0 if seed is None else whole(seed, "seed", 0, 2 ** 64 - 1)


def _apply(f: Union[Format, NarrowFormat], operation: str, out: NDArray[Any], operands: list[Any],
           seed: Optional[int] = None, values: bool = False) -> None:
    """A floating or a narrow format's operation, on operands as they lie."""
    a, b, c = (operands + [None, None])[:3]
    number = _seed_of(f, seed)
    if isinstance(f, NarrowFormat):
        _core.apply_narrow(f, operation, out, a, b, c, number, get_threads())
    else:
        _core.apply(f, operation, out, a, b, c, values, get_threads())


def _operate(operation: str, fmt: FormatLike, operands: list[Any], out: Optional[NDArray[Any]], dtype: Any = None,
             seed: Optional[int] = None) -> Any:
    f = format(fmt)
    arrays = [_as_operand(x) for x in operands]
    shape = arrays[0].shape
    if any(a.shape != shape for a in arrays):
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
    if isinstance(f, WordFormat) or (isinstance(f, Format) and f.is_fixed):
        return _fixed(operation, f, arrays, shape, out, _seed_of(f, seed))
    if dtype is None:
        dtype = np.float32 if f.single and all(a.dtype == np.float32 for a in arrays) else np.float64
    to = _result(shape, dtype, out)
    _apply(f, operation, to, [_apart(_laid_out(a, shape), to) for a in arrays], seed)
    return to


def round(x: Any, fmt: FormatLike, *, out: Optional[NDArray[Any]] = None, dtype: Any = None,
          seed: Optional[int] = None) -> NDArray[Any]:
    """x, each element rounded once into the format.

    dtype: of the result, float64 or float32; the latter only where the format fits it. By default as for the other
    operations. Raises OverflowError where a number does not fit a fixed-point format.
    """
    if dtype is not None and np.dtype(dtype) not in _FLOATS:
        raise ValueError(f"dtype {np.dtype(dtype)}: give float64 or float32")
    result: NDArray[Any] = _operate("convert", fmt, [x], out, dtype, seed)
    return result


def add(x: Any, y: Any, fmt: FormatLike, *, out: Optional[NDArray[Any]] = None,
        seed: Optional[int] = None) -> NDArray[Any]:
    """x + y, rounded once into the format."""
    result: NDArray[Any] = _operate("add", fmt, [x, y], out, None, seed)
    return result


def sub(x: Any, y: Any, fmt: FormatLike, *, out: Optional[NDArray[Any]] = None,
        seed: Optional[int] = None) -> NDArray[Any]:
    """x - y, rounded once into the format."""
    result: NDArray[Any] = _operate("sub", fmt, [x, y], out, None, seed)
    return result


def mul(x: Any, y: Any, fmt: FormatLike, *, out: Optional[NDArray[Any]] = None,
        seed: Optional[int] = None) -> NDArray[Any]:
    """x y, rounded once into the format."""
    result: NDArray[Any] = _operate("mul", fmt, [x, y], out, None, seed)
    return result


def div(x: Any, y: Any, fmt: FormatLike, *, out: Optional[NDArray[Any]] = None,
        seed: Optional[int] = None) -> NDArray[Any]:
    """x / y, rounded once into the format. Over zero: an infinity, or OverflowError in a fixed-point format."""
    result: NDArray[Any] = _operate("div", fmt, [x, y], out, None, seed)
    return result


def sqrt(x: Any, fmt: FormatLike, *, out: Optional[NDArray[Any]] = None,
        seed: Optional[int] = None) -> NDArray[Any]:
    """The square root of x, rounded once into a floating format; NaN below zero."""
    if format(fmt).is_fixed:
        raise ValueError(f"sqrt: {format(fmt)} is a fixed-point format, which has add, sub, mul, div and fma")
    result: NDArray[Any] = _operate("sqrt", fmt, [x], out, None, seed)
    return result


def fma(x: Any, y: Any, z: Any, fmt: FormatLike, *, out: Optional[NDArray[Any]] = None,
        seed: Optional[int] = None) -> NDArray[Any]:
    """x y + z, rounded once into the format."""
    result: NDArray[Any] = _operate("fma", fmt, [x, y, z], out, None, seed)
    return result


def encode(x: Any, fmt: FormatLike, *, seed: Optional[int] = None) -> NDArray[Any]:
    """x rounded into the format, as bit patterns: unsigned integers of 8, 16, 32 or 64 bits, whichever holds one.

    Words of a fixed-point format are in two's complement. Raises ValueError for a NaN or an infinity that the format has
    no pattern for.
    """
    f = format(fmt)
    size = next(bits for bits in (8, 16, 32, 64) if f.width <= bits)
    if isinstance(f, WordFormat) or (isinstance(f, Format) and f.is_fixed):
        a = _as_operand(x)
        words = _words(a, f, _seed_of(f, seed)).astype(np.int64).view(np.uint64)
        return (words & np.uint64(2 ** f.width - 1)).astype(f"uint{size}")
    values: NDArray[Any] = _operate("convert", f, [x], None, np.float64, seed)
    patterns = np.empty(values.size, np.uint64)
    _core.encode_values(f, values.reshape(-1), patterns)
    return patterns.reshape(values.shape).astype(f"uint{size}")


def decode(bits: Any, fmt: FormatLike) -> NDArray[Any]:
    """The values of bit patterns, as float64."""
    f = format(fmt)
    refuse_masks(bits, "bits")
    patterns = np.asarray(bits)
    if patterns.dtype.kind not in "iu":
        raise TypeError(f"an array of {patterns.dtype}: bit patterns are integers")
    if patterns.size and (int(patterns.min()) < 0 or int(patterns.max()) >= 2 ** f.width):
        raise ValueError(f"a bit pattern of {f} is 0 to {2 ** f.width - 1}")
    if not f.as_double:
        raise ValueError(f"values of {f} are no float64: decode them one by one, by its format")
    if f.width <= 16:
        return _all_values(f)[patterns.astype(np.int64)]
    return np.fromiter((f.decode(int(b)) for b in patterns.flat), np.float64, patterns.size).reshape(patterns.shape)


@lru_cache(maxsize=64)
def _all_values(f: AnyFormat) -> NDArray[Any]:
    return np.fromiter((f.decode(b) for b in range(2 ** f.width)), np.float64, 2 ** f.width)
