"""What a caller gave, as the library takes it: numbers, arrays of real numbers, options. ValueError, one line, for the
rest."""

from __future__ import annotations

import math
import numbers
import operator
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .formats import ML_DTYPES, format

_MASKED = "no number is there; fill them, as with x.filled(0)"


def refuse_masks(x: Any, what: str) -> None:
    """Raises for an array of numpy.ma with masked elements: numpy.asarray would take what lies behind the mask."""
    for part in x if isinstance(x, (list, tuple)) else (x,):
        hidden = int(np.sum(np.ma.getmaskarray(part))) if isinstance(part, np.ma.MaskedArray) else 0
        if hidden:
            raise ValueError(f"{what}: {hidden} of its elements are masked, so {_MASKED}")


def _is_complex(a: NDArray[Any]) -> bool:
    return a.dtype.kind == "c" or (a.dtype.kind == "O" and any(isinstance(v, (complex, np.complexfloating)) for v in a.flat))


def doubles(x: Any, what: str) -> NDArray[np.float64]:
    """x as float64. A complex type is refused, whatever its imaginary parts are: that a call is right must not hang on
    the numbers."""
    refuse_masks(x, what)
    a = array_of(x, what)
    if _is_complex(a):
        raise ValueError(f"{what}: its numbers are complex, and systems here are real; give its real part, or the real "
                         "system of twice the size, [[Re A, -Im A], [Im A, Re A]]")
    if a.dtype.kind not in "biufO" and a.dtype.name not in ML_DTYPES:
        raise ValueError(f"{what}: an array of {a.dtype}; give real numbers")
    try:
        return np.asarray(a, np.float64)
    except (TypeError, ValueError):  # objects that are no numbers
        raise ValueError(f"{what}: {shown(x)} is no array of numbers; give one") from None
    except OverflowError:  # a whole number of Python
        raise ValueError(f"{what}: one of its numbers is beyond double precision; scale them") from None


def array_of(x: Any, what: str) -> NDArray[Any]:
    """x as an array of NumPy, which has a line of its own for lists of different lengths."""
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError(f"{what}: {shown(x)} has rows of different lengths; give equal ones") from None


def integers(x: Any, what: str) -> NDArray[np.int64]:
    """x as int64."""
    refuse_masks(x, what)
    a = array_of(x, what)
    if a.size and a.dtype.kind not in "iu":
        raise ValueError(f"{what}: an array of {a.dtype}; give integers")
    return np.asarray(a, np.int64)


def whole(value: Any, name: str, low: int, high: Optional[int] = None, beside: str = "") -> int:
    """A whole number of Python or NumPy from `low` to `high`. `beside`: what else the name takes, for the message."""
    is_truth = isinstance(value, (bool, np.bool_))
    if not is_truth and hasattr(value, "__index__"):
        try:
            number = operator.index(value)
        except TypeError:  # (an array that is no one number has the method, too)
            number = low - 1
        if number >= low and (high is None or number <= high):
            return number
    upto = f"from {low} on" if high is None else f"from {low} to {_power(high)}"
    raise ValueError(f"{name} {shown(value)}: give a whole number {upto}{beside}")


def _power(high: int) -> str:
    return f"2^{high.bit_length()} - 1" if high > 10 ** 9 and high & (high + 1) == 0 else str(high)


def number(value: Any, name: str) -> float:
    """A real number of Python or NumPy. What it may be is for the library to say."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ValueError(f"{name} {shown(value)}: give a number")
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def returned(value: Any, what: str) -> float:
    """What a caller's function gave: all that is a real number, of one element arrays too."""
    try:
        if isinstance(value, (str, complex, np.complexfloating)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{what} {shown(value)}: give a number") from None


def truth(value: Any, name: str) -> bool:
    """True or False, of Python or NumPy."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} {shown(value)}: give True or False")
    return bool(value)


def function(value: Any, name: str) -> Any:
    """What can be called."""
    if not callable(value):
        raise ValueError(f"{name} {shown(value)}: give a function")
    return value


def word(value: Any, name: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ValueError(f"{name} {shown(value)}: give a text")
    return value


def shown(value: Any) -> str:
    """A value in a message: one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def plain(value: Any) -> Any:
    """An option's value in Python's own types: NumPy's scalars as Python's, dtypes as formats, also in lists."""
    if isinstance(value, (np.dtype, type)):
        return str(format(value))
    if isinstance(value, np.floating):  # (a long double's tolist() is one again)
        return float(value)
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def given(**options: Any) -> dict[str, Any]:
    """Those that have a value."""
    return {name: plain(value) for name, value in options.items() if value is not None}


def given_beside(options: Any, **own: Any) -> dict[str, Any]:
    """Those of a call: what it says itself, and a caller's options, which may not be among these."""
    for name in own:
        if name in options:
            raise TypeError(f"there is no option '{name}' in this call; leave it out")
    return given(**own, **options)


def format_text(fmt: Any) -> str:
    """The text of a format or of a datapath."""
    return str(plain(fmt))
