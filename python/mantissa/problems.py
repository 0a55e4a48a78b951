"""Systems to solve: from a text, or from one's own matrix."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import doubles, integers, word

_NAME = "a matrix of Python"


def _read_only(a: NDArray[np.float64]) -> NDArray[np.float64]:
    a.flags.writeable = False
    return a


@dataclass(frozen=True, eq=False)
class Problem:
    """A linear system in double precision; made by mantissa.problem()."""

    name: str
    """The text that makes it, or what the caller named his matrix."""
    unknowns: int
    kind: str
    """How the matrix is kept: "stencil", "bands", "sparse" or "symmetric"."""
    _core: _core.Problem = field(repr=False, compare=False)
    _text: Optional[str] = field(default=None, repr=False, compare=False)
    """What made it; None of a matrix in memory."""

    @property
    def right_hand_sides(self) -> int:
        """How many: more than one where b was a matrix, or the file of rhs=file: has columns. solve_all() takes them."""
        return self._core.right_hand_sides

    @cached_property
    def b(self) -> NDArray[np.float64]:
        """The right-hand side, the first of several."""
        return _read_only(self._core.b(0))

    @cached_property
    def exact(self) -> Optional[NDArray[np.float64]]:
        """The continuous solution at every unknown, where it is known."""
        found = self._core.exact()
        return None if found is None else _read_only(found)

    @cached_property
    def origin(self) -> NDArray[np.float64]:
        """What is to be added to a solution: where the mesh of lscm: and dsi: lies, which is solved from its middle on.
        Zeros for other problems."""
        return _read_only(self._core.origin())

    @property
    def note(self) -> str:
        """A line about the input, as that a matrix was symmetric up to rounding errors only; else empty."""
        return self._core.note

    @property
    def symmetric(self) -> bool:
        """Is the matrix symmetric to the last bit? CG takes no other."""
        return self._core.symmetric

    def __eq__(self, other: object) -> bool:
        """Are both the same system: of one text, or of equal rows and right-hand sides?"""
        if not isinstance(other, Problem):
            return NotImplemented
        if self._core is other._core:
            return True
        if (self.name, self.unknowns, self.kind, self._text) != (other.name, other.unknowns, other.kind, other._text):
            return False
        if self._text is not None:
            return True
        mine, theirs = ([*p.csr(), *(p._core.b(k) for k in range(p.right_hand_sides))] for p in (self, other))
        return len(mine) == len(theirs) and all(np.array_equal(a, b) for a, b in zip(mine, theirs))

    def __hash__(self) -> int:
        return hash((self.name, self.unknowns, self.kind, self._text))

    def __copy__(self) -> Problem:
        return self  # (nothing of it changes)

    def __deepcopy__(self, memo: Any) -> Problem:
        return self

    def __reduce__(self) -> Any:
        """What a pickle is read into is made anew: from the text, or from the rows."""
        if self._text is not None:
            return problem, (self._text,)
        columns = [self._core.b(k) for k in range(self.right_hand_sides)]
        return _problem_of_rows, (self.name, *self.csr(), np.concatenate(columns))

    def csr(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """The matrix in compressed rows: data, indices, indptr, as scipy.sparse.csr_matrix takes them. Rows of Dirichlet
        nodes of a stencil are empty."""
        indptr, indices, data = self._core.rows()
        return data, indices, indptr

    def matrix(self) -> Any:
        """The matrix as scipy.sparse.csr_matrix. Raises ImportError without SciPy; csr() needs none."""
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return csr_matrix(self.csr(), shape=(self.unknowns, self.unknowns))


def problem(what: Union[str, Any], b: Any = None, *, name: str = _NAME) -> Problem:
    """A system of a text, or of a matrix.

    what: a text, as "poisson2d:level=6", "diffusion2d:level=5,field=jump", "poisson3d:level=4" or "mtx:FILE.mtx"; or a
    matrix: a SciPy sparse matrix, a triple (data, indices, indptr) of compressed rows, or a square NumPy array whose
    zeros are left out. One that is not symmetric to the last bit (Problem.symmetric), or has a diagonal entry that is
    not above zero, is solved by what takes it: the recurrences bicgstab and gmres.
    Real: a complex type is refused, whatever its imaginary parts are, and so is a masked array with masked elements.
    b: the right-hand side of a matrix; ones by default. Of shape (unknowns, count): several, for solve_all(). A text has
    its own.

    Raises ValueError, one line, for a text or a matrix that is none.
    """
    if isinstance(what, str):
        if b is not None:
            raise ValueError("b: a problem of a text has its own right-hand side; write mtx:FILE,rhs=file:PATH for another")
        made = _core.make_problem(what)
    else:
        data, indices, indptr = _rows(what)
        right = np.ones(len(indptr) - 1) if b is None else doubles(b, "b")
        if right.ndim > 2 or (right.ndim == 2 and right.shape[0] != len(indptr) - 1):
            raise ValueError(f"b: an array of shape {right.shape} beside {len(indptr) - 1} rows; give (rows,) or (rows, count)")
        return _problem_of_rows(word(name, "name"), data, indices, indptr, right.reshape(-1, order="F"))
    return _problem_of(made, what)


def _problem_of(made: _core.Problem, text: Optional[str]) -> Problem:
    return Problem(made.name, made.unknowns, made.kind, made, text)


def _problem_of_rows(name: str, data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], b: NDArray[Any]) -> Problem:
    """b: its columns, one after the other."""
    return _problem_of(_core.problem_of_rows(name, indptr, indices, data, b), None)


def on_file(system: Problem, folder: str) -> Problem:
    """A system with one right-hand side, written into the folder and read from there: one that has a text."""
    data, indices, indptr = system.csr()
    row = np.repeat(np.arange(system.unknowns), np.diff(indptr))
    kept = row >= indices if system.symmetric else np.ones(len(row), bool)
    entries = np.rec.fromarrays([row[kept] + 1, indices[kept] + 1, data[kept]])
    matrix, b = os.path.join(folder, "matrix.mtx"), os.path.join(folder, "b.mtx")
    np.savetxt(matrix, entries, "%d %d %.17g", comments="", header=(
        f"%%MatrixMarket matrix coordinate real {'symmetric' if system.symmetric else 'general'}\n"
        f"{system.unknowns} {system.unknowns} {len(entries)}"))
    np.savetxt(b, system.b, "%.17g", comments="",
               header=f"%%MatrixMarket matrix array real general\n{system.unknowns} 1")
    return problem(f"mtx:{matrix},rhs=file:{b}")


def _rows(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    if hasattr(matrix, "tocsr"):
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"matrix: its shape is {matrix.shape}; give a square one")
        rows = matrix.tocsr(copy=True)
        rows.sum_duplicates()
        rows.sort_indices()
        parts = (rows.data, rows.indices, rows.indptr)
    elif isinstance(matrix, tuple) and len(matrix) == 3:
        parts = matrix
    else:
        dense = doubles(matrix, "matrix")
        if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
            raise ValueError(f"matrix: an array of shape {dense.shape}; give a square matrix, a SciPy sparse matrix or "
                             "(data, indices, indptr)")
        row, column = np.nonzero(dense)
        begin = np.searchsorted(row, np.arange(dense.shape[0] + 1))
        parts = (dense[row, column], column, begin)
    data, indices, indptr = doubles(parts[0], "matrix"), integers(parts[1], "indices"), integers(parts[2], "indptr")
    for part, name in ((data, "data"), (indices, "indices"), (indptr, "indptr")):
        if part.ndim != 1:
            raise ValueError(f"{name}: an array of shape {part.shape}; give one of one dimension")
    if not len(indptr):
        raise ValueError("indptr: it is empty; give an entry for each row, and the end")
    return np.ascontiguousarray(data), np.ascontiguousarray(indices), np.ascontiguousarray(indptr)
