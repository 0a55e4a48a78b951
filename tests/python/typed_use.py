"""What users write, for mypy --strict: the types that the package says, and what it must refuse. Never run."""
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import mantissa as mt

x = np.array([0.1, 2.0])
assert_type(mt.round(x, "s7e8"), NDArray[Any])
assert_type(mt.fma(x, x, 1, mt.format("fx20.16"), out=x), NDArray[Any])
assert_type(mt.matmul(np.eye(2), np.ones((2, 2)), "s10e5", acc="s23e8"), NDArray[Any])
assert_type(mt.format("s17e8").max, float)

a = mt.array([0.5, 0.25], "fx18.16")
assert_type(a * a + 1, mt.Array)
assert_type(2 - a, mt.Array)
assert_type(-a @ a, mt.Array)
assert_type(a.T, mt.Array)
assert_type(a.shape, tuple[int, ...])
assert_type(mt.blocks(x, "mxfp8_e4m3").values, NDArray[np.float64])

problem = mt.problem("poisson2d:level=5")
assert_type(problem.b, NDArray[np.float64])
assert_type(problem.exact, Optional[NDArray[np.float64]])
assert_type(problem.csr(), tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]])


def watch(inner: int, outer: int, defect: float) -> bool:
    return defect > 1e-6


result = mt.solve(problem, mt.format("s17e8"), inner=10, middle=["s36e11", mt.format("s23e8")], progress=watch,
                  schedule=[(1, "s52e11"), (2e-3, mt.format("s23e8"))])
assert_type(result.status, str)
assert_type(result.history.relative_defect, NDArray[np.float64])
assert_type(result.solution, Optional[NDArray[np.float64]])
advised = mt.advise(problem).advised
if advised is not None:
    assert_type(advised.spec, str)
    mt.solve(problem, **advised.solve_options)
assert_type(mt.advise(problem, engine=["rtl", "hls"], device="alveo-u280").solve(tolerance=1e-6), mt.SolveResult)
assert_type(mt.advise(problem).hardware, Optional[mt.Hardware])
assert_type(mt.advise_cycles(problem, "v22").solve(threads=1), mt.SolveResult)
assert_type(mt.advise_cycles(problem).cycle, Optional[str])
assert_type(mt.multilevel(problem, "w=10") @ x, NDArray[np.float64])
assert_type(mt.jacobi(problem, "s10e5").shape, tuple[int, int])
mt.solve(problem, callback=watch)
assert_type(mt.solve_dense(np.eye(3)).krylov_steps, int)
assert_type(mt.dense_matrix("n=8,kind=uniform"), tuple[NDArray[np.float64], NDArray[np.float64]])
assert_type(mt.sweep(problem=["poisson2d:level=3"], format=["s10e8"]).rows, list[dict[str, Any]])
assert_type(mt.simulate(problem, "s17e8", inner=10).solve, mt.SolveResult)
assert_type(mt.synthesize("s17e8", "ecp5").luts, int)
engines: Mapping[str, str] = mt.engines()

# Each of these is an error: without one, the line's comment is, as unused.
mt.round(x, 7)  # type: ignore[arg-type]
mt.solve(problem, colour_depth=3)  # type: ignore[call-arg]
mt.solve(problem, inner="ten")  # type: ignore[arg-type]
mt.solve(problem, progress=lambda inner: None)  # type: ignore[arg-type,misc]
mt.advise(problem, engine=3)  # type: ignore[arg-type]
mt.multilevel(problem, w=10)  # type: ignore[call-arg]
mt.problem("poisson2d:level=5", nom="x")  # type: ignore[call-arg]
a.shape = (2, 1)  # type: ignore[misc]
