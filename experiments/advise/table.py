#!/usr/bin/env python3
"""The table of docs/advise.md: what `mantissa solve --advise` proposes for many systems, and what then happens.

    experiments/advise/table.py PROGRAM [MATRIX.mtx ...]

With matrices: a row for each. Without: problems of the program's own and matrices that are made here, none of them a
published one. Prints Markdown; the end code is 1 when a proposal did not converge.
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile


def add(entries, i, j, value):
    """To a symmetric matrix: the lower half is kept."""
    key = (max(i, j), min(i, j))
    entries[key] = entries.get(key, 0.0) + value


def toeplitz(n, *by_distance):
    entries = {}
    for d, value in enumerate(by_distance):
        for i in range(d, n):
            add(entries, i, i - d, value)
    return entries


def network(edges, ground):
    """Conductances between nodes, and from every node to earth."""
    entries = {}
    for i, j, w in edges:
        add(entries, i, i, w)
        add(entries, j, j, w)
        add(entries, i, j, -w)
    for i, w in enumerate(ground):
        add(entries, i, i, w)
    return entries


def five_point(n, along, across):
    """n x n nodes, conductances along(x, y) to the east and across(x, y) to the north, edges held."""
    node = lambda x, y: y * n + x
    edges = [(node(x, y), node(x + 1, y), along(x, y)) for y in range(n) for x in range(n - 1)]
    edges += [(node(x, y), node(x, y + 1), across(x, y)) for y in range(n - 1) for x in range(n)]
    ground = [along(x, y) * ((x == 0) + (x == n - 1)) + across(x, y) * ((y == 0) + (y == n - 1))
              for y in range(n) for x in range(n)]
    return network(edges, ground)


def random_graph(n, degree, seed):
    rng = random.Random(seed)
    edges = [(i, j, 10 ** rng.uniform(-3, 3)) for i, j in ((rng.randrange(n), rng.randrange(n)) for _ in range(n * degree // 2))
             if i != j]
    return network(edges, [1e-1] * n)


def springs(points, neighbours, seed):
    """Points in space joined by springs of three decades: couplings of both signs, nearly rigid parts."""
    rng = random.Random(seed)
    at = [[rng.random() for _ in range(3)] for _ in range(points)]
    entries = {}
    for i in range(points):
        near = sorted(range(points), key=lambda j: sum((a - b) ** 2 for a, b in zip(at[i], at[j])))[1:neighbours + 1]
        for j in near:
            d = [a - b for a, b in zip(at[i], at[j])]
            length = math.sqrt(sum(x * x for x in d))
            k = 10 ** rng.uniform(-1, 2)
            for s in range(3):
                for t in range(3):
                    value = k * d[s] * d[t] / length ** 2
                    if s >= t:
                        add(entries, 3 * i + s, 3 * i + t, value)
                        add(entries, 3 * j + s, 3 * j + t, value)
                    add(entries, 3 * i + s, 3 * j + t, -value)
    for i in range(3 * points):
        add(entries, i, i, 1e-3)
    return entries


def badly_scaled(entries, decades, seed):
    rng = random.Random(seed)
    size = 1 + max(i for i, _ in entries)
    s = [10 ** rng.uniform(-decades, decades) for _ in range(size)]
    return {(i, j): value * s[i] * s[j] for (i, j), value in entries.items()}


def rotated(n, decades, rounds, seed):
    """Eigenvalues 10^-decades .. 1, mixed by plane rotations: the condition before scaling is known."""
    rng = random.Random(seed)
    rows = [{i: 10 ** (-decades * i / (n - 1))} for i in range(n)]
    for _ in range(rounds * n):
        i, j = rng.sample(range(n), 2)
        c, s = math.cos(1.1), math.sin(1.1)
        for k in set(rows[i]) | set(rows[j]):
            a, b = rows[i].get(k, 0.0), rows[j].get(k, 0.0)
            rows[i][k], rows[j][k] = c * a + s * b, c * b - s * a
        for row in rows:
            if i in row or j in row:
                a, b = row.get(i, 0.0), row.get(j, 0.0)
                row[i], row[j] = c * a + s * b, c * b - s * a
    return {(i, j): rows[i][j] for i in range(n) for j in rows[i] if j <= i and rows[i][j] != 0}


def made():
    rng = random.Random(3)
    fields = [10 ** rng.gauss(0, 0.9) for _ in range(64 * 64)]
    blocks = [10 ** (6 * rng.randrange(2)) for _ in range(64)]
    jump = lambda x, y: blocks[y // 8 * 8 + x // 8]
    log_normal = lambda x, y: fields[y * 64 + x]
    one = lambda x, y: 1.0
    return {
        "path of 1000": toeplitz(1000, 2, -1),
        "consistent mass, 3000": toeplitz(3000, 4, 1),
        "beam of 30": toeplitz(30, 6, -4, 1),
        "beam of 200": toeplitz(200, 6, -4, 1),
        "five points, 1000 : 1": five_point(60, lambda x, y: 1000.0, one),
        "five points, jumps of 10^6": five_point(64, jump, jump),
        "five points, log-normal": five_point(64, log_normal, log_normal),
        "random network": random_graph(3000, 6, 4),
        "springs in space": springs(300, 8, 11),
        "badly scaled, rhs scaled along": badly_scaled(five_point(40, one, one), 1, 5),
        "rotated, 10^4": rotated(300, 4, 2, 6),
        "rotated, 10^6": rotated(300, 6, 2, 7),
    }


GRIDS = ["poisson2d:level=6", "poisson2d:level=8", "poisson2d:level=9", "poisson2d:level=7,anisotropy=1000",
         "diffusion2d:level=6", "diffusion2d:level=6,field=jump,contrast=10000",
         "diffusion2d:level=6,field=checker,contrast=1000", "poisson3d:level=5"]


def write_matrix(path, entries):
    """A symmetric MatrixMarket file of the lower half."""
    size = 1 + max(i for i, _ in entries)
    lines = [f"{i + 1} {j + 1} {value!r}" for (i, j), value in sorted(entries.items())]
    path.write_text(f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(lines)}\n" + "\n".join(lines) + "\n")


def json_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def solved(program, text, proposal):
    command = [program, "solve", "--problem", text, "--jacobi", "--scheme", proposal["scheme"], "--inner",
               str(proposal["inner"]), "--spec", proposal["spec"], "--tolerance", str(proposal["tolerance"]), "--threads", "1", "--json"]
    if proposal["headroom"] is not None:
        command += ["--headroom", str(proposal["headroom"])]
    if proposal["max_iterations"]:
        command += ["--max-iterations", str(proposal["max_iterations"])]
    return json_of(command)


def row(program, name, text):
    """Prints a row; True when all that was proposed converged."""
    advice = json_of([program, "solve", "--problem", text, "--advise", "--threads", "1", "--json"])
    m = advice["measured"]
    print(f"| {name} | {m['unknowns']} | {m['longest_row']} | {m['lambda_min']:.2e} | {m['lambda_max']:.2f} | "
          f"{m['condition']:.1e} | {m['double_iterations']}{'' if m['double_reached'] else ', not reached'} | ", end="")
    if not advice["found"]:
        print(f"none: floor {m['defect_floor']:.1e} | |", flush=True)
        return True
    good, cells = True, []
    for which in ("advised", "fewest"):
        result = solved(program, text, advice[which])
        good &= result["status"] == "converged"
        count = result["inner_iterations"] if result["status"] == "converged" else result["status"]
        cells.append(f"`{advice[which]['spec']}` {count}")
    print(" | ".join(cells), "|", flush=True)
    return good


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, matrices = sys.argv[1], sys.argv[2:]
    print("| system | unknowns | longest row | smallest eigenvalue | largest | condition | CG in double | advised, "
          "iterations | fewest bits, iterations |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    good = True
    if matrices:
        for path in matrices:
            good &= row(program, pathlib.Path(path).stem, f"mtx:{path}")
        return 0 if good else 1
    for text in GRIDS:
        good &= row(program, f"`{text}`", text)
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, entries) in enumerate(made().items()):
            path = pathlib.Path(folder) / f"{number}.mtx"
            write_matrix(path, entries)
            good &= row(program, name, f"mtx:{path}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
