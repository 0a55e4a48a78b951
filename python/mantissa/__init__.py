"""Mantissa: number formats, exact reduced-precision arithmetic, and solvers that use it.

    import mantissa as mt

    mt.round(x, "s17e8")                   # a NumPy array, each element rounded once into the format
    mt.matmul(a, b, "s10e5", acc="s23e8")  # products in one format, sums in another
    a = mt.array(x, "fx18.16")             # an array that stays in its format: a * b + c, numpy.sqrt(a), a @ b

docs/python.md is the guide.
"""

from .arithmetic import add, div, fma, mul, round, sqrt, sub
from .array import Array, array, from_dlpack, from_words
from .formats import Format, format
from .options import get_threads, set_threads
from .sums import dot, matmul, sum

__version__ = "0.1.0"

__all__ = [
    "Array", "Format", "add", "array", "div", "dot", "fma", "format", "from_dlpack", "from_words", "get_threads",
    "matmul", "mul", "round", "set_threads", "sqrt", "sub", "sum",
]
