#!/usr/bin/env python3
"""Judges the verdicts of `mantissa solve` by exact rationals.

judge_verdicts.py PROGRAM [--systems N] [--seed S]

Random and targeted small symmetric systems (condition to 1e15, up to 50 unknowns, entries and right-hand sides to the
ends of the range of double precision) go through every scheme. Of each answer the exact residual is formed, and
    "converged" is wrong where it is not below the tolerance (with the slack of mantissa/reached.hpp),
    anything else is wrong where it is,
    the residual that is printed is to be the exact one to 1e-5, and exit code 0 means "converged".
A refusal (exit code 2, one line) is no answer and is counted apart. Prints the counts; exit code 1 when one is wrong.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

import judging

SCHEMES = {name: ["--format", "double", "--scheme", name] for name in (
    "direct", "pipelined", "chronopoulos-gear", "ghysels-vanroose", "defect-correction", "residual-guided", "inexact-pcg",
    "jacobi-pcg")} | {cycle: ["--preconditioner", cycle] for cycle in (
        "multilevel:v11,w=8", "multilevel:b2,w=10", "multilevel:v22,w=double")}
SLACK = 1e-3


def spectral(rng, n, condition):
    """A symmetric matrix of this condition: a diagonal, turned by three reflections, rounded to double."""
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        a[i][i] = condition ** (-i / max(1, n - 1))
    for _ in range(3):
        v = [rng.gauss(0, 1) for _ in range(n)]
        vv = sum(x * x for x in v)
        w = [2 * sum(a[i][k] * v[k] for k in range(n)) / vv for i in range(n)]
        c = sum(v[i] * w[i] for i in range(n)) / vv
        a = [[a[i][k] - v[i] * w[k] - w[i] * v[k] + 2 * c * v[i] * v[k] for k in range(n)] for i in range(n)]
    return [[a[max(i, k)][min(i, k)] for k in range(n)] for i in range(n)]


def nearly_singular(rng, n):
    """Blocks (1, 1 - e; 1 - e, 1) on the diagonal: a right-hand side along (1, -1) makes products cancel."""
    a = [[0.0] * n for _ in range(n)]
    for i in range(0, n - 1, 2):
        e = 10 ** rng.uniform(-15.5, -8)
        a[i][i] = a[i + 1][i + 1] = 1.0
        a[i][i + 1] = a[i + 1][i] = 1 - e
    if n % 2:
        a[n - 1][n - 1] = 1.0
    return a


def hilbert(n):
    return [[1.0 / (i + k + 1) for k in range(n)] for i in range(n)]


def scaled_by_powers(rng, a, low, high):
    n = len(a)
    s = [rng.randint(low, high) for _ in range(n)]
    return [[math.ldexp(a[i][k], s[i] + s[k]) for k in range(n)] for i in range(n)]


def system(rng):
    """Matrix, right-hand side and a name."""
    kind = rng.choice(["spectral", "spectral", "nearly singular", "nearly singular", "hilbert", "graded", "far"])
    if kind == "spectral":
        a = spectral(rng, rng.randint(2, 50 if rng.random() < 0.2 else 12), 10 ** rng.uniform(0, 15))
    elif kind == "nearly singular":
        a = nearly_singular(rng, rng.randint(2, 8))
    elif kind == "hilbert":
        a = hilbert(rng.randint(2, 12))
    else:
        a = spectral(rng, rng.randint(2, 10), 10 ** rng.uniform(0, 6))
        reach = 20 if kind == "graded" else 400
        a = scaled_by_powers(rng, a, -reach, reach)
    n = len(a)
    form = rng.choice(["random", "ones", "alternating", "image", "tiny", "huge", "mixed"])
    if form == "ones":
        b = [1.0] * n
    elif form == "alternating":
        b = [(-1.0) ** i for i in range(n)]
    elif form == "image":
        x = [rng.gauss(0, 1) for _ in range(n)]
        b = [sum(a[i][k] * x[k] for k in range(n)) for i in range(n)]
    else:
        b = [rng.gauss(0, 1) for _ in range(n)]
        if form == "tiny":
            shift = rng.randint(-1060, -480)
            b = [math.ldexp(x, shift) for x in b]
        elif form == "huge":
            b = [math.ldexp(x, 990) for x in b]
        elif form == "mixed":
            b = [math.ldexp(x, rng.randint(-300, 300)) for x in b]
    return a, b, f"{kind} {n} {form}"


def write(folder, a, b):
    n = len(a)
    entries = [(i, k, a[i][k]) for k in range(n) for i in range(k, n) if a[i][k] != 0]
    matrix, right = os.path.join(folder, "a.mtx"), os.path.join(folder, "b.txt")
    with open(matrix, "w", encoding="ascii") as f:
        f.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {len(entries)}\n")
        f.writelines(f"{i + 1} {k + 1} {v!r}\n" for i, k, v in entries)
    with open(right, "w", encoding="ascii") as f:
        f.write(f"%%MatrixMarket matrix array real general\n{n} 1\n")
        f.writelines(f"{v!r}\n" for v in b)
    return matrix, right


def exact_squares(a, b, x):
    """||b - A x||^2 and ||b||^2 as rationals."""
    a = [[Fraction(v) for v in row] for row in a]
    x = [Fraction(v) for v in x]
    b = [Fraction(v) for v in b]
    d = [b[i] - sum(v * w for v, w in zip(a[i], x) if v) for i in range(len(b))]
    return sum(v * v for v in d), sum(v * v for v in b)


def root(q):
    """The square root of a rational as a double, its exponent taken out first."""
    if q == 0:
        return 0.0
    shift = (q.numerator.bit_length() - q.denominator.bit_length()) // 2
    scaled = q / Fraction(4) ** shift
    try:
        return math.ldexp(math.sqrt(scaled), shift)
    except OverflowError:
        return math.inf


def solve(program, folder, a, b, scheme, tolerance):
    matrix, right = write(folder, a, b)
    solution = os.path.join(folder, "x.txt")
    if os.path.exists(solution):
        os.remove(solution)
    run = subprocess.run([program, "solve", "--problem", f"mtx:{matrix},rhs=file:{right}",
                          *SCHEMES[scheme], "--tolerance", repr(tolerance), "--threads", "1", "--json",
                          "--max-iterations", "400", "--solution", solution], capture_output=True, text=True, check=False)
    if run.returncode == 2 or not run.stdout.strip():
        return run.returncode, None, run.stderr.strip()
    if not os.path.exists(solution):
        return run.returncode, json.loads(run.stdout), run.stderr.strip()
    with open(solution, encoding="ascii") as f:
        lines = [line for line in f if not line.startswith("%")]
    return run.returncode, json.loads(run.stdout), [float(v) for v in lines[1:]]


def faults_of(code, answer, x, a, b, tolerance):
    status, said = answer["status"], answer["true_residual"]
    said = math.inf if said is None else float(said)
    found = []
    if isinstance(x, str):
        return [f"no solution is written ({x}) with status {status}"] if status == "converged" else []
    if (code == 0) != (status == "converged"):
        found.append(f"exit code {code} with status {status}")
    if any(not math.isfinite(v) for v in x):
        return found + (["converged with a solution that is not finite"] if status == "converged" else [])
    dd, bb = exact_squares(a, b, x)
    limit = Fraction(tolerance * (1 + SLACK))
    below = dd < limit * limit * bb or dd == 0
    exact = root(dd / bb) if bb else (0.0 if dd == 0 else math.inf)
    if below != (status == "converged"):
        found.append(f"status {status} with the exact residual {exact:.6e} beside {tolerance:.6e}")
    if not (abs(said - exact) <= 1e-5 * exact or said == exact):
        found.append(f"residual {said:.6e} where {exact:.6e} is exact")
    return found


def judge(program, seed):
    """The faults, statuses and refusals of one system."""
    rng = random.Random(seed)
    a, b, name = system(rng)
    if not any(b) or any(not math.isfinite(v) for row in a for v in row) or any(not math.isfinite(v) for v in b):
        return [], [], 0
    faults, statuses, refused = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for scheme in SCHEMES:
            tolerance = 10 ** rng.uniform(-15, -4)
            for again in range(2):
                code, answer, x = solve(program, folder, a, b, scheme, tolerance)
                if answer is None:
                    refused += 1
                    if code != 2 or len(x.splitlines()) != 1:
                        faults.append(f"{name}, seed {seed}, {scheme}: exit code {code} and {x!r}")
                    break
                statuses.append(answer["status"])
                faults += [f"{name}, seed {seed}, {scheme}: {fault}"
                           for fault in faults_of(code, answer, x, a, b, tolerance)]
                # Once more with a tolerance that lies just beside what was reached: there the rounding of a verdict shows.
                reached = answer["true_residual"]
                if again or reached is None or not 1e-15 < float(reached) < 1e-2:
                    break
                tolerance = float(reached) / (1 + SLACK) * (1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-15, -6))
    return faults, statuses, refused


if __name__ == "__main__":
    sys.exit(judging.run(judge, __doc__, 60, lambda systems: systems // 2))
