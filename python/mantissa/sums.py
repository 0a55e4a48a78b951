"""Sums, dot products and matrix products with a defined order of their additions.

`acc` says how terms are added, in the words of a datapath's dot=:

    "s23e8"          in that format, one after the other, from +0
    "s52e11/16"      in that format with 16 partial sums: term k goes to partial sum k mod 16; they are closed by halving,
                     s[j] += s[j + 8], then s[j + 4], ...
    "fixed[13:-50]"  exactly, in a fixed-point window; each term is truncated to multiples of 2^-50. Beyond 2^13:
                     OverflowError

A datapath's "exact" is for words: in a fixed-point format every sum is exact and rounded once, with acc="exact" or
without. For floating terms an exact sum wants a window that holds them all, as "fixed[20:-40]".

By default sums are in the format itself, one term after the other. `product` is the format that a product is rounded into
before it is added ("exact": not rounded, so that product and sum round once); by default the format. The sum is rounded
into `result`, by default the format. In a fixed-point format sums are exact and rounded once.
"""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import format_text
from .arithmetic import FixedFormat, _as_operand, _check, _overflowed, _words
from .formats import AnyFormat, Format, FormatLike, NarrowFormat, WordFormat, format
from .options import get_threads

Axis = Union[int, tuple[int, ...], None]


def _accumulator(f: FixedFormat, acc: Optional[FormatLike]) -> str:
    text = str(f) if acc is None else format_text(acc)
    if text == "exact":
        raise ValueError(f"acc 'exact': terms of {f} are floating and have no common last bit; give a window that holds "
                         "them all, as 'fixed[20:-40]', or a fixed-point format, whose sums are exact")
    return text if text.startswith("fixed[") or "/" in text else text + "/1"


def _format(fmt: FormatLike) -> FixedFormat:
    f: AnyFormat = format(fmt)
    if isinstance(f, WordFormat) and f.stochastic:
        raise ValueError(f"sums in {f}: they round once, without a seed; take another rounding")
    if isinstance(f, NarrowFormat):
        raise ValueError(f"sums in {f}: there are none; round the operands with mantissa.round, and give the format of the "
                         "sums here, as in matmul(a, b, 's23e8:rne', product='exact')")
    return f


def _texts(f: FixedFormat, acc: Any, product: Any, result: Any) -> tuple[str, str, Format]:
    chosen = format(result) if result is not None else f
    if chosen.is_fixed:
        raise ValueError(f"result {chosen}: give a floating format, as {f} is one")
    if isinstance(chosen, NarrowFormat):
        raise ValueError(f"result {chosen}: sums are not rounded into it; leave result out, and give what comes to "
                         "mantissa.round")
    return _accumulator(f, acc), format_text(product) if product is not None else str(f), chosen


def _fixed_only(f: FixedFormat, acc: Any, product: Any, result: Any) -> None:
    if (acc is not None and format_text(acc) != "exact") or product is not None or result is not None:
        raise ValueError(f"{f} is a fixed-point format: its sums are exact and rounded once; leave out acc, product and "
                         "result")
    if not f.as_double:
        raise ValueError(f"words of {f} have more than 53 bits and are no float64; use mantissa.array, which keeps words")


def _word_sum(f: FixedFormat, words: NDArray[Any]) -> NDArray[Any]:
    """Over the last axis."""
    out = np.empty(words.shape[:-1], np.int64)
    terms = np.ascontiguousarray(words, np.int64)
    if isinstance(f, WordFormat):
        _check(f, _core.sums_to(f, terms.reshape(-1), None, out.reshape(-1), words.shape[-1], 0), "sum: a result")
    elif _core.word_products(f, terms, None, out, words.shape[-1]):
        raise _overflowed(f, "sum")
    return out


def _word_matmul(f: FixedFormat, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Of two matrices."""
    out = np.empty((a.shape[0], b.shape[1]), np.int64)
    x, y = np.ascontiguousarray(a, np.int64), np.ascontiguousarray(b, np.int64)
    if isinstance(f, WordFormat):
        _check(f, _core.sums_to(f, x.reshape(-1), y.reshape(-1), out.reshape(-1), a.shape[1], 0), "matmul: a result")
    elif _core.word_products(f, x, y, out, a.shape[1]):
        raise _overflowed(f, "matmul")
    return out


def _doubles_of(f: FixedFormat, words: NDArray[Any]) -> NDArray[Any]:
    values: NDArray[Any] = np.ldexp(words.astype(np.float64), -f.fraction_bits)
    return values


def _last(a: NDArray[Any], axis: Axis) -> NDArray[Any]:
    """The axes to be summed, as one at the end, in C order."""
    if axis is None:
        return a.reshape(-1)
    if isinstance(axis, int):
        return np.moveaxis(a, axis, -1)
    a = np.moveaxis(a, axis, range(-len(axis), 0))
    return a.reshape(*a.shape[:a.ndim - len(axis)], -1)


def sum(x: Any, fmt: FormatLike, *, axis: Axis = None, acc: Optional[FormatLike] = None,
        result: Optional[FormatLike] = None) -> Any:
    """The sum of x over an axis or several (over all elements, in C order, where axis is None). The terms are x as they
    are."""
    f = _format(fmt)
    a = _last(_as_operand(x), axis)
    if f.is_fixed:
        _fixed_only(f, acc, None, result)
        return _doubles_of(f, _word_sum(f, _words(a, f)))[()]
    accumulator, product, chosen = _texts(f, acc, None, result)
    out = np.empty(a.shape[:-1])
    _core.rows(f, accumulator, product, chosen, np.ascontiguousarray(a, np.float64), None, out, a.shape[-1],
               get_threads())
    return out[()]


def dot(x: Any, y: Any, fmt: FormatLike, *, acc: Optional[FormatLike] = None, product: Optional[FormatLike] = None,
        result: Optional[FormatLike] = None) -> Any:
    """The dot product of two vectors; of arrays with more axes, one for each row of the last axis."""
    f = _format(fmt)
    a, b = _as_operand(x), _as_operand(y)
    if a.shape != b.shape or a.ndim == 0:
        raise ValueError(f"dot: shapes {a.shape} and {b.shape}; give two arrays of one shape")
    if f.is_fixed:
        _fixed_only(f, acc, product, result)
        if a.ndim != 1:
            raise ValueError("dot: in a fixed-point format give two vectors")
        return _doubles_of(f, _word_matmul(f, _words(a, f)[None, :], _words(b, f)[:, None]))[0, 0]
    accumulator, term, chosen = _texts(f, acc, product, result)
    out = np.empty(a.shape[:-1])
    _core.rows(f, accumulator, term, chosen, np.ascontiguousarray(a, np.float64), np.ascontiguousarray(b, np.float64),
               out, a.shape[-1], get_threads())
    return out[()]


def matmul(a: Any, b: Any, fmt: FormatLike, *, acc: Optional[FormatLike] = None, product: Optional[FormatLike] = None,
           result: Optional[FormatLike] = None) -> NDArray[Any]:
    """The product of two matrices, or of a matrix and a vector. Each element is a dot product as above."""
    f = _format(fmt)
    x, y = _as_operand(a), _as_operand(b)
    if x.ndim not in (1, 2) or y.ndim not in (1, 2) or x.shape[-1] != y.shape[0]:
        raise ValueError(f"matmul: shapes {x.shape} and {y.shape}; give matrices or vectors that match")
    left, right = np.atleast_2d(x), y if y.ndim == 2 else y[:, None]
    shape = x.shape[:-1] + y.shape[1:]
    if f.is_fixed:
        _fixed_only(f, acc, product, result)
        return _doubles_of(f, _word_matmul(f, _words(left, f), _words(right, f))).reshape(shape)[()]
    accumulator, term, chosen = _texts(f, acc, product, result)
    out = np.empty((left.shape[0], right.shape[1]))
    if right.shape[1] == 1:  # rows by one vector: a dot product each
        rows = np.ascontiguousarray(left, np.float64)
        column = np.ascontiguousarray(np.broadcast_to(right[:, 0], rows.shape), np.float64)
        _core.rows(f, accumulator, term, chosen, rows, column, out[:, 0], rows.shape[1], get_threads())
    else:
        _core.matmul(f, accumulator, term, chosen, np.ascontiguousarray(left, np.float64),
                     np.ascontiguousarray(right, np.float64), out, left.shape[1], get_threads())
    return out.reshape(shape)[()]
