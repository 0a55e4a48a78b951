#!/usr/bin/env python3
"""BiCGStab and GMRES(30) in double precision beside SciPy's: the table "Beside SciPy" of docs/nonsymmetric.md.

    experiments/nonsymmetric_peers.py    # in a Python that has the package mantissa and SciPy

Ten nonsymmetric systems to 1e-8: iterations of both, and the true residual of what ours returns. SciPy counts no
iteration that ends half way.
"""
import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import bicgstab, gmres

import mantissa as mt

TOLERANCE = 1e-8
RESTART = 30
LIMIT = 20000
GENERATED = [
    "convection2d:n=63,peclet=10",
    "convection2d:n=63,peclet=100",
    "convection2d:n=63,peclet=1000",
    "convection2d:n=63,peclet=60,difference=central",
    "convection2d:n=63,peclet=100,wind=recirculating",
    "convection3d:n=15,peclet=100",
    "convection3d:n=15,peclet=300,wind=recirculating",
]


def scattered(n, entries, diagonal):
    """Normal numbers at random places, some a row, with more on the diagonal."""
    numbers = np.random.default_rng(n + 1).standard_normal
    return sparse.random(n, n, density=entries / n, random_state=np.random.default_rng(n), data_rvs=numbers) + diagonal * sparse.eye(n)


def systems():
    for text in GENERATED:
        problem = mt.problem(text + ",rhs=known")
        yield f"`{text}`", problem, problem.matrix(), problem.b
    grcar = sparse.diags([-1.0, 1.0, 1.0, 1.0, 1.0], [-1, 0, 1, 2, 3], shape=(300, 300))
    for name, a in (("random", scattered(2000, 6, 4)), ("random", scattered(3000, 12, 5.5)), ("Grcar", grcar)):
        a, b = a.tocsr(), np.ones(a.shape[0])
        yield name, mt.problem(a, b), a, b


def theirs(method, a, b, **options):
    steps = []
    _, fault = method(a, b, rtol=TOLERANCE, callback=steps.append, **options)
    return str(len(steps)) if fault == 0 else f"not in {len(steps)}"


def ours(problem, a, b, recurrence):
    result = mt.solve(problem, format="double", recurrence=recurrence, tolerance=TOLERANCE, max_iterations=LIMIT)
    residual = np.linalg.norm(b - a @ result.solution) / np.linalg.norm(b)
    if (result.status == "converged") != (residual <= TOLERANCE):
        raise SystemExit(f"{problem.name}: {recurrence} says {result.status}, and the true residual is {residual:.2e}")
    return str(result.inner_iterations) if result.status == "converged" else result.status, residual


def main():
    print("| matrix | unknowns | BiCGStab: SciPy | Mantissa | residual | GMRES(30): SciPy | Mantissa | residual |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, problem, a, b in systems():
        cells = [name, str(a.shape[0])]
        for method, recurrence, options in ((bicgstab, "bicgstab", {"maxiter": LIMIT}),
                                            (gmres, f"gmres({RESTART})",
                                             {"restart": RESTART, "maxiter": LIMIT // RESTART, "callback_type": "pr_norm"})):
            count, residual = ours(problem, a, b, recurrence)
            cells += [theirs(method, a, b, **options), count, f"{residual:.1e}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
