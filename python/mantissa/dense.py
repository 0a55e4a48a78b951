"""Dense systems: LU factors in any format, refined to double accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import doubles, plain, word
from ._options import DenseOptions
from ._results import Compared
from .options import threads_of_call

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, eq=False)
class DenseResult(Compared):
    """What came of a dense solve. Norms are maximum norms."""

    problem: str
    spec: str
    unknowns: int
    status: str
    """"converged", "stagnated", "step limit" or "no factors"."""
    end: str
    """How the factorisation ended, and at which column where it failed."""
    column: int
    steps: int
    """Refinement steps after the first substitution."""
    krylov_steps: int
    """GMRES steps in all."""
    backward_error: Optional[float]
    """||b - A x|| / (||A|| ||x|| + ||b||). Like all that follows of the solution and of the factors None where there are no
    factors."""
    hpl_residual: Optional[float]
    forward_error: Optional[float]
    """||x - 1|| where the solution is all ones, as that of problems made from a text; None beside a right-hand side of
    your own."""
    growth: Optional[float]
    condition: Optional[float]
    """A lower estimate, from the factors; as growth and factor_error no number (nan) where a device's own arithmetic
    (lu="lu:double,sum=free", "tensor:half-pair") formed them."""
    condition_in_sight: Optional[bool]
    """Whether factors in such words can tell it: else the condition is about `condition` or more, or their rounding alone.
    None where there is no estimate."""
    factor_error: Optional[float]
    """||P A - L U|| / ||A||."""
    factor_seconds: float
    refine_seconds: float
    history: list[tuple[int, float]]
    """GMRES steps and backward error, after the substitution and after each step."""
    solution: Optional[NDArray[np.float64]]

    @property
    def converged(self) -> bool:
        return self.status == "converged"


def solve_dense(a: Any, b: Any = None, *, threads: Optional[int] = None, engine: str = "emulated",
                **options: Unpack[DenseOptions]) -> DenseResult:
    """Solves A x = b: factors in the arithmetic `lu`, refined in double precision.

    a: a square NumPy array, or a problem's text, as "n=256,kind=randsvd,kappa=1e6,seed=1" (docs/lu.md). b: the right-hand
    side; by default A (1, ..., 1). engine: which forms the factors, "emulated" or "gpu".

    The other keywords are the options of `mantissa solve --dense`, in docs/options.md; None stands for the default. lu: the
    arithmetic, as "lu:s10e5,acc=fixed[15:-34]"; by default "lu:s10e5:rne", and with engine="gpu" the fastest that the
    device has. refine: "none", "ir" or "gmres-ir". gmres_tolerance is 1e-4 here, and GMRES ends there alone.
    """
    if isinstance(a, str):
        if b is not None:
            raise ValueError("b: a dense problem of a text has its own right-hand side; leave it out")
        problem = _core.make_dense_problem(a)
    else:
        matrix = np.ascontiguousarray(doubles(a, "a"))
        if matrix.ndim != 2:
            raise ValueError(f"a: an array of shape {matrix.shape}; give a square matrix")
        right = matrix.sum(axis=1) if b is None else np.ascontiguousarray(doubles(b, "b")).reshape(-1)
        problem = _core.dense_problem_of("a matrix of Python", matrix, right, b is None)
    asked = {name: plain(value) for name, value in options.items()}
    return DenseResult(**_core.solve_dense(problem, asked, threads_of_call(threads), word(engine, "engine")))


def dense_matrix(text: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The matrix and the right-hand side of a dense problem's text."""
    problem = _core.make_dense_problem(text)
    return problem.a().reshape(problem.unknowns, problem.unknowns), problem.b()
