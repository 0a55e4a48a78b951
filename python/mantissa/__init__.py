"""Mantissa: number formats, exact reduced-precision arithmetic, and solvers that use it.

    import mantissa as mt

    mt.round(x, "s17e8")                   # a NumPy array, each element rounded once into the format
    mt.matmul(a, b, "s10e5", acc="s23e8")  # products in one format, sums in another
    a = mt.array(x, "fx18.16")             # an array that stays in its format: a * b + c, numpy.sqrt(a), a @ b

docs/python.md is the guide.
"""

import os as _os

from . import plots
from .arithmetic import add, decode, div, encode, fma, mul, round, sqrt, sub
from .array import Array, array, from_dlpack, from_words
from .blocks import Blocks, blocks
from .dense import DenseResult, dense_matrix, solve_dense
from .formats import Format, NarrowFormat, WordFormat, format
from .operators import JacobiPreconditioner, MultilevelPreconditioner, jacobi, multilevel
from .options import get_threads, set_threads
from .problems import Problem, problem
from .solving import Advice, CycleAdvice, Hardware, History, SolveResult, Widths, advise, advise_cycles, engines, solve, solve_all, spec
from .sums import dot, matmul, sum
from .sweeps import SweepResult, frame, read_store, sweep
from .tools import Simulation, Synthesis, simulate, synthesize
from .tuning import Area, Trial, Tuned, area, tune

__version__ = "0.1.0"

# The RTL and the devices' figures that the package holds, for who has no repository.
_sources = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "sources")
if _os.path.isdir(_sources):
    _os.environ.setdefault("MANTISSA_SOURCE", _sources)

__all__ = [
    "Advice", "Area", "Array", "Blocks", "DenseResult", "Format", "Hardware", "History", "JacobiPreconditioner",
    "MultilevelPreconditioner", "NarrowFormat", "Problem", "Simulation", "SolveResult", "SweepResult", "Synthesis",
    "Trial", "Tuned", "Widths", "WordFormat", "add", "advise", "advise_cycles", "area", "array", "blocks", "decode", "dense_matrix",
    "div", "dot", "encode", "engines", "fma", "format", "frame", "from_dlpack", "from_words", "get_threads", "jacobi",
    "matmul", "mul", "multilevel", "plots", "problem", "read_store", "round", "set_threads", "simulate", "solve", "solve_all", "solve_dense", "spec",
    "sqrt", "sub", "sum", "sweep", "synthesize", "tune",
]
