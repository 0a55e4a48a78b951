"""Arrays that stay in a format: operators, NumPy's functions, slices, DLPack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core, sums
from ._arguments import refuse_masks
from .arithmetic import (_FLOATS, FixedFormat, _apply, _as_operand, _operate_words, _overflowed, _word_dtype,
                         _word_values, _words, round)
from .formats import AnyFormat, Format, FormatLike, WordFormat, format
from .options import get_threads

_OPERATIONS = {np.add: "add", np.subtract: "sub", np.multiply: "mul", np.divide: "div", np.sqrt: "sqrt"}
#: Functions whose result is exact, so that they need no rounding: they work on the carrier.
_EXACT = {np.negative, np.positive, np.absolute, np.fabs, np.maximum, np.minimum, np.fmax, np.fmin, np.copysign}
_TESTS = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.isnan, np.isinf, np.isfinite,
          np.signbit}


class Array(np.lib.mixins.NDArrayOperatorsMixin):
    """An array whose elements are values of one format; made by mantissa.array().

    Operators and numpy.add, subtract, multiply, divide, sqrt, square, matmul, add.reduce (sum), comparisons, negative,
    absolute, maximum and minimum give the exact result rounded once into the format. A number or a plain array beside it
    is rounded into the format first; an Array of another format is refused, because it is for the caller to say who is
    rounded. numpy.exp and its like have no definition in reduced formats: mantissa.round(numpy.exp(a.values), a.format).

    numpy.asarray(a) and a.values are the values, and share memory with a floating array. `words` are the words of a
    fixed-point one.
    """

    __slots__ = ("_data", "_format")
    __array_priority__ = 100

    def __init__(self, data: NDArray[Any], fmt: AnyFormat) -> None:
        self._data = data
        self._format = fmt

    @property
    def format(self) -> AnyFormat:
        """The format of every element."""
        return self._format

    @property
    def values(self) -> NDArray[Any]:
        """The values: of a floating array its own memory, of a fixed one new float64."""
        if not self._format.is_fixed:
            return self._data
        out = np.empty(self._data.shape)
        _word_values(self._format, np.asarray(self._data, order="C"), out)
        return out

    @property
    def words(self) -> NDArray[Any]:
        """The words of a fixed-point array, int32 or int64; its own memory."""
        if not self._format.is_fixed:
            raise ValueError(f"words: an array of {self._format}, which is a floating format, has none; see values")
        return self._data

    @property
    def bits(self) -> NDArray[Any]:
        """The bit patterns, as integers; of words in two's complement, their low bits."""
        f = self._format
        if f.is_fixed:
            return self._data.astype(np.int64).view(np.uint64) & np.uint64(2 ** f.width - 1)
        patterns = np.empty(self._data.size, np.uint64)
        _core.encode_values(f, np.ascontiguousarray(self._data, np.float64).reshape(-1), patterns)
        return patterns.reshape(self._data.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """As of a NumPy array."""
        return self._data.shape

    @property
    def ndim(self) -> int:
        """As of a NumPy array."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """As of a NumPy array."""
        return self._data.size

    @property
    def T(self) -> "Array":
        """Transposed; shares memory."""
        return Array(self._data.T, self._format)

    def __len__(self) -> int:
        return len(self._data)

    def __bool__(self) -> bool:
        return bool(self.values)  # (of several elements NumPy's ValueError)

    def __repr__(self) -> str:
        return f"mantissa.array({np.array2string(self.values, separator=', ')}, '{self._format}')"

    def __getitem__(self, index: Any) -> "Array":
        return Array(np.asarray(self._data[index]), self._format)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._data[index] = self._like(value)._data

    def __float__(self) -> float:
        return float(self.values)

    def __copy__(self) -> "Array":
        return self.copy()

    def __reduce__(self) -> Any:
        return Array, (self._data, self._format)

    def reshape(self, *shape: Any) -> "Array":
        """As of a NumPy array."""
        return Array(self._data.reshape(*shape), self._format)

    def copy(self) -> "Array":
        """As of a NumPy array."""
        return Array(self._data.copy(), self._format)

    def astype(self, fmt: FormatLike) -> "Array":
        """Rounded into another format."""
        f = format(fmt)
        if isinstance(f, Format) and f.is_fixed and isinstance(self._format, Format) and self._format.is_fixed:
            out = np.empty(self.shape, _word_dtype(f))
            if _core.convert_words(self._format, f, np.asarray(self._data, order="C"), out):
                raise _overflowed(f, "astype")
            return Array(out, f)
        if f.is_fixed and not self._format.as_double:
            raise ValueError(f"astype: words of {self._format} have more than 53 bits, and {f} rounds float64")
        return array(self.values, f)

    def sum(self, axis: sums.Axis = None, *, acc: Optional[FormatLike] = None, keepdims: bool = False) -> "Array":
        """mantissa.sum() of it, as an Array; keepdims as in NumPy."""
        f = self._format
        if f.is_fixed:
            total = self._of_words(sums._word_sum(f, sums._last(self._data, axis)))
        else:
            total = Array(np.asarray(sums.sum(self._data, f, axis=axis, acc=acc), self._data.dtype), f)
        if not keepdims:
            return total
        summed = range(self.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        return total.reshape([1 if k in {a % self.ndim for a in summed} else n for k, n in enumerate(self.shape)])

    def dot(self, other: Any) -> "Array":
        """The product of matrices or vectors, numpy.matmul of both."""
        return self.__matmul__(other)

    if TYPE_CHECKING:  # NumPy's mixin has these, and says Any of what they return

        def __add__(self, other: Any) -> "Array": ...
        def __radd__(self, other: Any) -> "Array": ...
        def __sub__(self, other: Any) -> "Array": ...
        def __rsub__(self, other: Any) -> "Array": ...
        def __mul__(self, other: Any) -> "Array": ...
        def __rmul__(self, other: Any) -> "Array": ...
        def __truediv__(self, other: Any) -> "Array": ...
        def __rtruediv__(self, other: Any) -> "Array": ...
        def __matmul__(self, other: Any) -> "Array": ...
        def __rmatmul__(self, other: Any) -> "Array": ...
        def __neg__(self) -> "Array": ...
        def __abs__(self) -> "Array": ...

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        values = self.values
        if dtype is not None and np.dtype(dtype) != values.dtype:
            return values.astype(dtype)
        return values.copy() if copy else values

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if method == "reduce" and ufunc is np.add and out is None:
            axis = kwargs.get("axis", 0)
            if set(kwargs) <= {"axis", "dtype", "keepdims"} and kwargs.get("dtype") is None:
                return inputs[0].sum(axis, keepdims=bool(kwargs.get("keepdims")))
        if method != "__call__" or kwargs:
            return NotImplemented
        first = next(x for x in (*inputs, *(out or ())) if isinstance(x, Array))
        if ufunc in _TESTS:
            return ufunc(*(_as_operand(x) for x in inputs))
        operands = [first._like(x) for x in inputs]
        if ufunc in _OPERATIONS:
            result = first._operate(_OPERATIONS[ufunc], operands)
        elif ufunc is np.square:
            result = first._operate("mul", operands * 2)
        elif ufunc is np.matmul:
            result = first._matmul(*operands)
        elif ufunc in _EXACT:
            result = first._exact(ufunc, operands)
        else:
            return NotImplemented
        if out is None:
            return result
        if not isinstance(out[0], Array) or out[0]._format != first._format:
            raise TypeError(f"out: give a mantissa.Array of {first._format}")
        out[0]._data[...] = result._data
        return out[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function is np.sum:
            return args[0].sum(*args[1:], **kwargs)
        if function is np.dot:
            return args[0] @ args[1] if isinstance(args[0], Array) else args[1]._like(args[0]) @ args[1]
        if function in (np.reshape, np.transpose, np.ravel, np.concatenate, np.stack):
            return self._moved(function, args, kwargs)
        if function in (np.shape, np.size, np.ndim, np.array_equal, np.allclose, np.array2string, np.array_repr):
            return function(*(_as_operand(a) if isinstance(a, Array) else a for a in args), **kwargs)
        return NotImplemented

    def __dlpack__(self, **kwargs: Any) -> Any:
        """The memory itself. Of a read-only array (JAX's are) a copy, for those who cannot be told that it is: they ask
        without max_version."""
        data = self._data
        if not data.flags.writeable and kwargs.get("max_version") is None:
            data = data.copy()
        return data.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._data.__dlpack_device__()

    # What they are made of

    def _moved(self, function: Any, args: Any, kwargs: Any) -> "Array":
        if function in (np.concatenate, np.stack):
            return Array(function([self._like(a)._data for a in args[0]], *args[1:], **kwargs), self._format)
        return Array(function(self._data, *args[1:], **kwargs), self._format)

    def _like(self, x: Any) -> "Array":
        """x as an Array of this one's format and carrier."""
        if isinstance(x, Array):
            if x._format != self._format:
                raise ValueError(f"arrays of {self._format} and of {x._format}: say which is rounded into the other, as "
                                 f"with b.astype('{self._format}')")
            if x._data.dtype == self._data.dtype:
                return x
            return Array(x._data.astype(self._data.dtype), self._format)
        return array(x, self._format, dtype=None if self._format.is_fixed else self._data.dtype)

    def _of_words(self, words: NDArray[Any]) -> "Array":
        return Array(np.asarray(words, _word_dtype(self._fixed())), self._format)

    def _fixed(self) -> FixedFormat:
        f = self._format
        assert f.is_fixed
        return f

    def _operate(self, operation: str, operands: list["Array"]) -> "Array":
        f = self._format
        shape = np.broadcast_shapes(*(a.shape for a in operands))
        flat = [np.asarray(np.broadcast_to(a._data, shape), order="C") for a in operands]
        if f.is_fixed:
            if operation == "sqrt":
                raise ValueError(f"sqrt: {f} is a fixed-point format, which has add, sub, mul, div and fma")
            if isinstance(f, WordFormat) and f.stochastic:
                raise ValueError(f"{f} rounds stochastically, and operators have no seed; use mantissa.{operation}")
            return Array(_operate_words(operation, f, flat), f)
        out = np.empty(shape, self._data.dtype)
        _apply(f, operation, out, flat, values=True)
        return Array(out, f)

    def _matmul(self, a: "Array", b: "Array") -> "Array":
        if not self._format.is_fixed:
            return Array(np.asarray(sums.matmul(a._data, b._data, self._format), self._data.dtype), self._format)
        if a.ndim not in (1, 2) or b.ndim not in (1, 2) or a.shape[-1] != b.shape[0]:
            raise ValueError(f"matmul: shapes {a.shape} and {b.shape}; give matrices or vectors that match")
        left, right = np.atleast_2d(a._data), b._data if b.ndim == 2 else b._data[:, None]
        product = sums._word_matmul(self._format, left, right)
        return self._of_words(product.reshape(a.shape[:-1] + b.shape[1:]))

    def _exact(self, ufunc: Any, operands: list["Array"]) -> "Array":
        f = self._format
        if f.is_fixed and ufunc in (np.negative, np.absolute, np.fabs, np.copysign):
            if ufunc is np.copysign:
                raise ValueError(f"copysign: {f} is a fixed-point format, whose zero has no sign")
            if ufunc is np.negative and isinstance(f, WordFormat):
                return Array(_operate_words("sub", f, [np.zeros_like(operands[0]._data), operands[0]._data]), f)
            smallest = -(2 ** (f.width - 1))
            if (operands[0]._data == smallest).any():
                raise _overflowed(f, ufunc.__name__)
            ufunc = np.absolute if ufunc is np.fabs else ufunc
        return Array(np.asarray(ufunc(*(a._data for a in operands))), f)


def array(x: Any, fmt: FormatLike, *, dtype: Any = None) -> Array:
    """x rounded into the format, as an Array of it.

    dtype: how values of a floating format are kept, float64 or float32 (where the format fits it; half the memory and
    twice the speed). By default float32 where x is, else float64. Words of a fixed-point format are kept as int32, or as
    int64 above 32 bits; a number that does not fit raises OverflowError.
    """
    f = format(fmt)
    if isinstance(x, Array):
        if x.format.is_fixed and f.is_fixed and x.format != f:
            return x.astype(f)
        if x.format == f:
            return x.copy()
        x = x.values
    if f.is_fixed:
        if dtype is not None:
            raise ValueError(f"dtype: words of {f} are kept as {np.dtype(_word_dtype(f)).name}; leave it out")
        return Array(_words(_as_operand(x), f), f)
    if dtype is not None and np.dtype(dtype) not in _FLOATS:
        raise ValueError(f"dtype {np.dtype(dtype)}: give float64 or float32")
    return Array(round(x, f, dtype=dtype), f)


def from_words(words: Any, fmt: FormatLike) -> Array:
    """An Array of a fixed-point format from its words, integers. OverflowError where one has too many bits."""
    f = format(fmt)
    if not f.is_fixed:
        raise ValueError(f"from_words: {f} is a floating format; give a fixed-point one, as fx18.16")
    refuse_masks(words, "words")
    given = np.asarray(words)
    if given.dtype.kind not in "iu":
        raise TypeError(f"from_words: an array of {given.dtype}; give integers")
    least, most = (f.min_word, f.max_word) if isinstance(f, WordFormat) else (-2 ** (f.width - 1), 2 ** (f.width - 1) - 1)
    if given.size and (int(given.max()) > most or int(given.min()) < least):
        raise OverflowError(f"from_words: a word has more than the {f.width} bits of {f}")
    return Array(given.astype(_word_dtype(f)), f)


def from_dlpack(x: Any, fmt: FormatLike) -> Array:
    """An Array from what speaks DLPack on the processor: a torch or a JAX array, say. Memory is shared where x holds
    float64 or float32 values of the format already; else they are rounded, into new memory."""
    given = x if isinstance(x, np.ndarray) else np.from_dlpack(x)  # which NumPy 1 makes read-only
    f = format(fmt)
    if not f.is_fixed and given.dtype in _FLOATS and (given.dtype == np.float64 or f.single):
        rounded = round(given, f, dtype=given.dtype)
        same = np.array_equal(rounded, given, equal_nan=True)
        return Array(given if same else rounded, f)
    return array(given, f)
