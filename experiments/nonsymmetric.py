#!/usr/bin/env python3
"""The table of docs/nonsymmetric.md from what a sweep wrote.

    experiments/nonsymmetric.py CSV [--docs FOLDER [--check]]

CSV is of `mantissa sweep experiments/nonsymmetric.toml --csv CSV`. Prints the table, or writes it between the marker
lines of FOLDER/nonsymmetric.md; with --check it ends with 1 where the page has another. Python's standard library only.

A count of bits is the fewest fraction bits from which on every format converges in at most 1.5 times the iterations of
double precision.
"""
import argparse
import csv
import re
import sys

import page_tables

BEGIN, END = "<!-- table: nonsymmetric.py writes this -->", "<!-- end of table -->"
SLOWER = 1.5
SOLVERS = ("cg", "bicgstab", "gmres")


def solver_of(row):
    """Which of SOLVERS a point ran."""
    name = (row["recurrence"] or row["scheme"]).partition("(")[0]
    return name if name in SOLVERS else "cg"


def points_of(path):
    """{(problem, solver, refined): {fraction bits: iterations, None where not converged}}"""
    points = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            bits = re.match(r"s(\d+)e", row["spec"])
            if bits is None:
                sys.exit(f"{path}: the datapath {row['spec']} is not floating; give the sweep's own file")
            at = row["problem"], solver_of(row), row["scheme"] == "defect-correction"
            converged = row["status"] == "converged"
            points.setdefault(at, {})[int(bits[1])] = int(row["inner_iterations"]) if converged else None
    return points


def fewest(iterations):
    """Fraction bits from which on all formats keep up with the longest; None where that did not converge."""
    longest = iterations[max(iterations)]
    found = None
    for bits in sorted(iterations, reverse=True):
        if longest is None or iterations[bits] is None or iterations[bits] > SLOWER * longest:
            break
        found = bits
    return found


def order(problem):
    """Grids before cubes, then by wind, differences and Peclet number."""
    peclet = re.search(r"peclet=([^,]+)", problem)
    return (problem.split(":")[0], "recirculating" in problem, "central" in problem,
            float(peclet[1]) if peclet else 0, problem)


def table(points):
    """The table as Markdown."""
    problems = sorted({problem for problem, _, _ in points}, key=order)
    lines = ["| problem | solver | alone to 1e-5: iterations in double | bits | refined to 1e-10: iterations in double "
             "| bits |", "|---|---|---:|---:|---:|---:|"]
    for problem in problems:
        for solver in SOLVERS:
            cells = []
            for refined in (False, True):
                iterations = points.get((problem, solver, refined))
                if iterations is None:
                    continue
                bits = fewest(iterations)
                longest = iterations[max(iterations)]
                cells += ["not reached" if longest is None else str(longest), "" if bits is None else str(bits)]
            if cells:
                name = problem.removesuffix(",rhs=random,seed=1").replace("difference=upwind,", "").replace(
                    ",wind=constant", "")
                lines.append(f"| `{name}` | {solver} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    page_tables.add_arguments(parser)
    arguments = parser.parse_args()
    page_tables.put(table(points_of(arguments.csv)), arguments, "nonsymmetric.md", (BEGIN, END), "experiments/nonsymmetric.py")


if __name__ == "__main__":
    main()
