#!/usr/bin/env python3
"""cg, chronopoulos-gear and ghysels-vanroose in double precision beside what Chen and Carson published.

    experiments/chen_carson.py run MANTISSA MATRICES [--csv CSV]
    experiments/chen_carson.py table CSV [--docs FOLDER [--check]]

b is A 1 / sqrt(N) and u begins at zero. For each matrix of experiments/paper/chen_carson.csv, MATRICES/NAME.mtx, run
writes the iterations after which the true residual is below 1e-8 of b's norm, and the true residual of the iterate that
a solve gives back which is asked for 1e-16 within as many iterations as theirs. Matrices that are not in MATRICES are
named and left out. table prints both side by side, or writes them between the marker lines of FOLDER/recurrences.md;
with --check it ends with 1 where the page has others. Python's standard library only.

The published figures are those of their runs: the residuals that github.com/tchen01/new_cg_variants keeps
(predict_and_recompute/numerical_experiments/data, commit 2f1ec599, MIT licence).
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import page_tables

HERE = pathlib.Path(__file__).resolve().parent
PUBLISHED = HERE / "paper" / "chen_carson.csv"
BEGIN, END = "<!-- table: chen_carson.py writes this -->", "<!-- end of table -->"
FIELDS = ("matrix", "unknowns", "limit", "recurrence", "iterations", "best")
FEWER, WORSE = 0.02, 3  # how far ours may be off


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def entries_of(matrix):
    """N and the entries (i, j, value) of a real MatrixMarket file, both of each symmetric pair."""
    with open(matrix) as file:
        _, _, form, kind, symmetry = file.readline().lower().split()
        lines = (line for line in file if line.strip() and not line.startswith("%"))
        n = int(next(lines).split()[0])
        if (kind, form) == ("real", "coordinate"):
            entries = [(int(i) - 1, int(j) - 1, float(v)) for i, j, v in map(str.split, lines)]
        elif (kind, form) == ("real", "array"):
            first = (lambda j: j) if symmetry == "symmetric" else (lambda j: 0)
            places = ((i, j) for j in range(n) for i in range(first(j), n))
            entries = [(i, j, float(v)) for (i, j), v in zip(places, lines)]
        else:
            sys.exit(f"{matrix}: {kind} {form}; give a real matrix")
    if symmetry == "symmetric":
        entries += [(j, i, v) for i, j, v in entries if i != j]
    return n, entries


def write_system(matrix, folder):
    """The matrix by its entries and A 1 / sqrt(N), as MatrixMarket files; the problem that they are."""
    a, b = folder / f"{matrix.stem}.mtx", folder / f"{matrix.stem}.rhs"
    if not b.exists():
        n, entries = entries_of(matrix)
        terms = [[] for _ in range(n)]
        for i, _, v in entries:
            terms[i].append(v / math.sqrt(n))
        lower = [(i, j, v) for i, j, v in entries if i >= j]
        a.write_text(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {len(lower)}\n" +
                     "".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in lower))
        b.write_text(f"%%MatrixMarket matrix array real general\n{n} 1\n" +
                     "".join(f"{math.fsum(row)!r}\n" for row in terms))
    return f"mtx:{a},rhs=file:{b}"


def solved(program, problem, recurrence, tolerance, limit):
    command = [program, "solve", "--problem", problem, "--recurrence", recurrence, "--outer-loop", "none", "--spec",
               "double", "--tolerance", tolerance, "--max-iterations", limit, "--threads", "1", "--json"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def run(arguments):
    made, absent = [], set()
    with tempfile.TemporaryDirectory(prefix="mantissa_chen_carson_") as folder:
        for row in rows_of(PUBLISHED):
            matrix = arguments.matrices / f"{row['matrix']}.mtx"
            if not matrix.exists():
                absent.add(row["matrix"])
                continue
            problem = write_system(matrix, pathlib.Path(folder))
            reached = solved(arguments.program, problem, row["recurrence"], "1e-8", row["limit"])
            most = solved(arguments.program, problem, row["recurrence"], "1e-16", row["limit"])
            count = reached["inner_iterations"] if reached["status"] == "converged" else ""
            made.append({**row, "iterations": count, "best": f"{most['true_residual']:.3e}"})
            print(f"{row['matrix']} {row['recurrence']}: {count or 'not reached'}, {made[-1]['best']}", file=sys.stderr)
    if absent:
        print(f"not in {arguments.matrices}: {', '.join(sorted(absent))}", file=sys.stderr)
    with open(arguments.csv, "w", newline="") if arguments.csv else sys.stdout as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)


def table_of(path):
    """The table as Markdown, and in how many lines ours is within FEWER and WORSE."""
    published = {(row["matrix"], row["recurrence"]): row for row in rows_of(PUBLISHED)}
    lines = ["| matrix | N | recurrence | iterations to 1e-8 | published | best residual | published | within |",
             "|---|---:|---|---:|---:|---:|---:|---|"]
    counts = bests = both = 0
    for ours in rows_of(path):
        theirs = published[ours["matrix"], ours["recurrence"]]
        same = theirs["iterations"] == "" or (
            ours["iterations"] != "" and
            int(ours["iterations"]) <= math.ceil((1 + FEWER) * int(theirs["iterations"])))
        good = float(ours["best"]) <= WORSE * float(theirs["best"])
        counts, bests, both = counts + same, bests + good, both + 1
        word = "yes" if same and good else "no: " + " and ".join(
            name for name, holds in (("iterations", same), ("residual", good)) if not holds)
        lines.append(f"| {ours['matrix']} | {ours['unknowns']} | {ours['recurrence']} | {ours['iterations'] or '-'} | "
                     f"{theirs['iterations'] or '-'} | {ours['best']} | {theirs['best']} | {word} |")
    return "\n".join(lines) + (f"\n\nIterations are at most 2 % above the published ones, or theirs do not get there, in {counts} of {both} lines, the "
                               f"residual at most three times theirs in {bests}.\n")


def table(arguments):
    page_tables.put(table_of(arguments.csv), arguments, "recurrences.md", (BEGIN, END),
                    "experiments/chen_carson.py table")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("program")
    runs.add_argument("matrices", type=pathlib.Path)
    runs.add_argument("--csv")
    runs.set_defaults(action=run)
    tables = commands.add_parser("table")
    page_tables.add_arguments(tables)
    tables.set_defaults(action=table)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
