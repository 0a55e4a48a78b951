"""Preconditioners in short words for solvers of one's own: what SciPy takes as a LinearOperator."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arguments import doubles, word
from .arithmetic import mul, round
from .formats import AnyFormat, FormatLike, format
from .problems import Problem, problem
from .options import threads_of_call

Vector = NDArray[np.float64]


class _Preconditioner:
    """An approximate inverse that is applied to vectors.

    It has what SciPy looks for in a LinearOperator (shape, dtype, matvec; rmatvec where it is its own transpose), and
    a @ x. SciPy itself is not needed.
    """

    dtype = np.dtype(np.float64)
    ndim = 2

    def __init__(self, size: int) -> None:
        self.shape = (size, size)
        """As of a matrix."""

    def _apply(self, x: Vector) -> Vector:
        raise NotImplementedError

    def matvec(self, x: ArrayLike) -> Vector:
        """The preconditioner times a vector of shape (unknowns,) or (unknowns, 1). ValueError for other shapes, and for
        numbers that are not finite."""
        given = _finite(x)
        if given.shape not in ((self.shape[0],), (self.shape[0], 1)):
            raise ValueError(f"an array of shape {given.shape} beside {self.shape[0]} unknowns; give a vector")
        return self._apply(np.ascontiguousarray(given.reshape(-1))).reshape(given.shape)

    def matmat(self, x: ArrayLike) -> Vector:
        """matvec() of each column."""
        given = _finite(x)
        if given.ndim != 2 or given.shape[0] != self.shape[0]:
            raise ValueError(f"an array of shape {given.shape} beside {self.shape[0]} unknowns; give columns")
        out = np.empty(given.shape)
        for k in range(given.shape[1]):
            out[:, k] = self._apply(np.ascontiguousarray(given[:, k]))
        return out

    def __matmul__(self, x: ArrayLike) -> Vector:
        given = doubles(x, "x")
        return self.matvec(given) if given.ndim == 1 else self.matmat(given)

    def __call__(self, x: ArrayLike) -> Vector:
        return self @ x


class MultilevelPreconditioner(_Preconditioner):
    """One multilevel cycle, from zero; made by mantissa.multilevel()."""

    def __init__(self, system: Problem, spec: str, threads: int) -> None:
        super().__init__(system.unknowns)
        self._cycle = _core.make_cycle(system._core, spec, threads)
        self._made_of = (system, spec, threads)

    def __reduce__(self) -> Any:
        """What a pickle is read into is made anew."""
        return MultilevelPreconditioner, self._made_of

    @property
    def spec(self) -> str:
        """The cycle in words."""
        return self._cycle.spec

    @property
    def description(self) -> str:
        """Its levels, in words."""
        return self._cycle.description

    def _apply(self, x: Vector) -> Vector:
        return self._cycle.correct(x)

    def __repr__(self) -> str:
        return f"mantissa.multilevel({self.shape[0]} unknowns, '{self.spec}': {self.description})"


def _finite(x: ArrayLike) -> Vector:
    given = doubles(x, "x")
    if not np.isfinite(given).all():
        raise ValueError("x: some of its numbers are not finite; give finite ones")
    return given


def _scaled(x: Vector) -> tuple[Vector, int]:
    """x over a power of two, so that its largest magnitude is in [1, 2), and the power's exponent."""
    exponent = int(np.frexp(np.abs(x).max(initial=0.0))[1]) - 1
    return np.ldexp(x, -exponent), exponent


class JacobiPreconditioner(_Preconditioner):
    """The inverse of the diagonal in a format; made by mantissa.jacobi()."""

    def __init__(self, inverse: Vector, fmt: AnyFormat) -> None:
        super().__init__(len(inverse))
        scaled, self._exponent = _scaled(inverse)
        self._inverse = np.asarray(round(scaled, fmt), np.float64)
        self.format = fmt

    @property
    def inverse_diagonal(self) -> Vector:
        """1 / a_ii, rounded into the format."""
        return np.ldexp(self._inverse, self._exponent)

    def _apply(self, x: Vector) -> Vector:
        scaled, exponent = _scaled(x)
        return np.ldexp(np.asarray(mul(scaled, self._inverse, self.format), np.float64), exponent + self._exponent)

    rmatvec = _Preconditioner.matvec

    def __repr__(self) -> str:
        return f"mantissa.jacobi({self.shape[0]} unknowns, '{self.format}')"


def multilevel(matrix: Union[str, Problem, Any], spec: str = "", *, threads: Union[int, None] = None) -> MultilevelPreconditioner:
    """A multilevel cycle in short words on a symmetric positive definite matrix, as a preconditioner: M in
    scipy.sparse.linalg.cg(A, b, M=mantissa.multilevel(A, "w=10")).

    matrix: what mantissa.problem() takes, or a Problem. spec: a cycle, as "v11,w=10" (docs/multilevel.md); without a shape
    it is v11, which is symmetric but for the words' rounding, as a preconditioner of CG should be. "w=double" is the same
    cycle in double.

    A cycle in words is not exactly linear: a CG with the usual beta loses steps once the residual's reduction asks for
    more than the words hold. Then take more bits, or mantissa.solve(..., preconditioner=spec), whose beta is the flexible
    one. The result depends on neither threads nor processor.

    Raises ValueError, one line, for a spec that is none and for a matrix that has no hierarchy.
    """
    system = matrix if isinstance(matrix, Problem) else problem(matrix)
    if not system.symmetric:
        raise ValueError("multilevel: the matrix is not symmetric, so there are no levels of it; solve() has GMRES for such "
                         "ones")
    text = word(spec, "spec").strip()
    if not text or "=" in text.split(",")[0]:
        text = "v11" + ("," + text if text else "")
    return MultilevelPreconditioner(system, text, threads_of_call(threads))


def jacobi(matrix: Union[str, Problem, Any], fmt: FormatLike = "double") -> JacobiPreconditioner:
    """The inverse of a matrix's diagonal in a floating format, as a preconditioner: 1 / a_ii is rounded into the format
    once, and each product x_i / a_ii once. The inverse and each x are scaled by a power of two, so that the largest
    magnitude is in [1, 2): a format of few exponent bits, as s10e5, holds any residual.

    matrix: what mantissa.problem() takes, or a Problem. Raises ValueError, one line, for a fixed-point format, which has no
    place for a vector of any size, and for a diagonal entry that is zero or has no inverse in double precision.
    """
    f = format(fmt)
    if f.is_fixed:
        raise ValueError(f"jacobi: {f} is a fixed-point format; give a floating one, as s10e5")
    system = matrix if isinstance(matrix, Problem) else problem(matrix)
    data, indices, indptr = system.csr()
    row = np.repeat(np.arange(system.unknowns), np.diff(indptr))
    diagonal = np.where(np.diff(indptr) == 0, 1.0, 0.0)  # (Dirichlet nodes of a stencil have empty rows)
    on = row == indices
    np.add.at(diagonal, row[on], data[on])
    if not diagonal.all():
        raise ValueError(f"jacobi: row {int(np.flatnonzero(diagonal == 0)[0]) + 1} has no diagonal entry, so it has no "
                         "inverse; give another preconditioner")
    with np.errstate(over="ignore"):
        inverse = 1.0 / diagonal
    if not np.isfinite(inverse).all():
        raise ValueError(f"jacobi: the diagonal entry of row {int(np.flatnonzero(~np.isfinite(inverse))[0]) + 1} is so small "
                         "that its inverse is beyond double precision; scale the matrix")
    return JacobiPreconditioner(inverse, f)
