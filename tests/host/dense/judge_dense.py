#!/usr/bin/env python3
"""Judges the verdicts of `mantissa solve --dense` by exact rationals.

judge_dense.py PROGRAM [--systems N] [--seed S]

Random and targeted small systems (condition to 1e15 and singular ones, up to 40 unknowns, entries and right-hand sides to
the ends of the range of double precision) go through several arithmetics and refinements. Of the solution that is written
the exact backward error ||b - A x|| / (||A|| ||x|| + ||b||), in largest norms, is formed; n 2^-53 is the tolerance.
    "converged" is wrong where the error is above it, anything else where the error is not (and x is written);
    "the matrix is singular" is wrong of one that is not, by elimination in rationals;
    a solution that is not finite is wrong, and so is exit code 0 without "converged".
Prints the counts; exit code 1 when one is wrong.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import judging

ARITHMETICS = [[], ["--lu", "lu:s10e5,acc=fixed[15:-34]"], ["--lu", "lu:half"], ["--lu", "lu:s23e8"],
               ["--lu", "lu:double"], ["--lu", "lu:s7e8", "--refine", "ir"], ["--lu", "lu:double", "--refine", "none"],
               ["--lu", "lu:s23e8,pivot=full", "--unscaled"]]


def turned(rng, n, condition):
    """A matrix of about this condition: a diagonal between two random reflections."""
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        a[i][i] = condition ** (-i / max(1, n - 1))
    for side in range(2):
        v = [rng.gauss(0, 1) for _ in range(n)]
        vv = sum(x * x for x in v)
        for i in range(n):
            s = 2 * sum((a[i][k] if side else a[k][i]) * v[k] for k in range(n)) / vv
            for k in range(n):
                if side:
                    a[i][k] -= s * v[k]
                else:
                    a[k][i] -= s * v[k]
    return a


def scaled(rng, a, low, high, symmetric=False):
    n = len(a)
    rows = [rng.randint(low, high) for _ in range(n)]
    columns = rows if symmetric else [rng.randint(low, high) for _ in range(n)]
    return [[math.ldexp(a[i][k], rows[i] + columns[k]) for k in range(n)] for i in range(n)]


def system(rng):
    kind = rng.choice(["turned", "turned", "whole", "singular", "graded", "far", "huge", "tiny", "hilbert"])
    n = rng.randint(25, 40) if rng.random() < 0.05 else rng.randint(1, 12)
    if kind in ("turned", "huge", "tiny"):
        a = turned(rng, n, 10 ** rng.uniform(0, 15 if kind == "turned" else 5))
        shift = {"turned": 0, "huge": 1022, "tiny": -1040}[kind]
        a = [[math.ldexp(x, shift) for x in row] for row in a]
    elif kind == "hilbert":
        n = min(n, 12)
        a = [[1.0 / (i + k + 1) for k in range(n)] for i in range(n)]
    elif kind in ("whole", "singular"):
        a = [[float(rng.randint(-3, 3)) for _ in range(n)] for _ in range(n)]
        if kind == "singular":
            a[-1] = [sum(a[i][k] for i in range(n - 1)) for k in range(n)]
    else:
        reach = 15 if kind == "graded" else 250
        a = scaled(rng, turned(rng, n, 10 ** rng.uniform(0, 4)), -reach, reach)
    form = rng.choice(["made", "random", "tiny", "huge", "mixed"])
    b = None if form == "made" else [rng.gauss(0, 1) for _ in range(n)]
    if form == "tiny":
        b = [math.ldexp(x, rng.randint(-1060, -900)) for x in b]
    elif form == "huge":
        b = [math.ldexp(x, 1020) for x in b]
    elif form == "mixed":
        b = [math.ldexp(x, rng.randint(-500, 500)) for x in b]
    return a, b, f"{kind} {n} {form}"


def write(path, columns):
    """Columns of numbers as a MatrixMarket array."""
    with open(path, "w", encoding="ascii") as f:
        f.write(f"%%MatrixMarket matrix array real general\n{len(columns[0])} {len(columns)}\n")
        f.writelines(f"{v!r}\n" for column in columns for v in column)


def singular(a):
    """By elimination in rationals."""
    w = [[Fraction(x) for x in row] for row in a]
    n = len(w)
    for k in range(n):
        p = next((i for i in range(k, n) if w[i][k]), None)
        if p is None:
            return True
        w[k], w[p] = w[p], w[k]
        for i in range(k + 1, n):
            if w[i][k]:
                f = w[i][k] / w[k][k]
                w[i] = [x - f * y for x, y in zip(w[i], w[k])]
    return False


def exactly_reached(a, b, x):
    """Is the exact backward error at most n 2^-53?"""
    exact = [[Fraction(v) for v in row] for row in a]
    y = [Fraction(v) for v in x]
    defect = max(abs(Fraction(c) - sum(v * w for v, w in zip(row, y) if v)) for row, c in zip(exact, b))
    whole = max(sum(abs(v) for v in row) for row in exact) * max(abs(v) for v in y) + max(abs(Fraction(c)) for c in b)
    return defect <= whole * Fraction(len(b), 2 ** 53)


def made_right_side(a):
    """As the program makes it: A (1, ..., 1), or of the first 2^-k whose sums are in range."""
    each = 1.0
    while True:
        b = []
        for row in a:
            total = 0.0
            for v in row:
                total += each * v
            b.append(total)
        if all(math.isfinite(v) for v in b):
            return b
        each /= 2


def run(program, folder, a, b, arithmetic):
    matrix, right, solution = (os.path.join(folder, name) for name in ("a.mtx", "b.mtx", "x.mtx"))
    write(matrix, [list(column) for column in zip(*a)])
    text = f"file={matrix}"
    if b is not None:
        write(right, [b])
        text += f",rhs=file:{right}"
    if os.path.exists(solution):
        os.remove(solution)
    done = subprocess.run([program, "solve", "--dense", text, *arithmetic, "--json", "--solution", solution, "--threads",
                           "1"], capture_output=True, text=True, check=False)
    x = None
    if os.path.exists(solution):
        with open(solution, encoding="ascii") as f:
            x = [float(line) for line in [k for k in f if not k.startswith("%")][1:]]
    return done, x


def judge(program, seed):
    rng = random.Random(seed)
    a, b, name = system(rng)
    if any(not math.isfinite(v) for row in a for v in row) or any(not math.isfinite(v) for v in b or []):
        return [], [], 0
    faults, statuses, refused = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for arithmetic in rng.sample(ARITHMETICS, 4):
            what = f"{name}, seed {seed}, {' '.join(arithmetic) or 'default'}"
            done, x = run(program, folder, a, b, arithmetic)
            if done.returncode == 2:
                refused += 1
                if len(done.stderr.strip().splitlines()) != 1:
                    faults.append(f"{what}: {done.stderr!r}")
                continue
            if done.returncode not in (0, 1):
                faults.append(f"{what}: exit code {done.returncode}: {done.stderr[:200]!r}")
                continue
            answer = json.loads(done.stdout)
            status = answer["status"]
            statuses.append(status)
            if (done.returncode == 0) != (status == "converged"):
                faults.append(f"{what}: exit code {done.returncode} with {status}")
            if x is not None and any(not math.isfinite(v) for v in x):
                faults.append(f"{what}: a solution that is not finite")
            elif x is not None:
                reached = exactly_reached(a, b if b is not None else made_right_side(a), x)
                if reached != (status == "converged"):
                    faults.append(f"{what}: {status}, and exactly {'reached' if reached else 'not'}")
            elif status == "converged":
                faults.append(f"{what}: converged without a solution")
            if "the matrix is singular" in answer.get("reason", "") and not singular(a):
                faults.append(f"{what}: called singular")
    return faults, statuses, refused


if __name__ == "__main__":
    sys.exit(judging.run(judge, __doc__, 120, lambda systems: systems))
