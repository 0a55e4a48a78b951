#!/usr/bin/env python3
"""cg, chronopoulos-gear and ghysels-vanroose in double precision beside what Chen and Carson published.

    experiments/chen_carson.py run MANTISSA MATRICES [--csv CSV]
    experiments/chen_carson.py table CSV [--docs FOLDER [--check]]
    experiments/chen_carson.py spread MANTISSA MATRICES CSV [--runs N] [--csv SPREAD]
    experiments/chen_carson.py spread-table SPREAD [--docs FOLDER [--check]]

b is A 1 / sqrt(N) and u begins at zero. For each matrix of experiments/paper/chen_carson.csv, MATRICES/NAME.mtx, run
writes the iterations after which the true residual is below 1e-8 of b's norm, and the true residual of the iterate that
a solve gives back which is asked for 1e-16 within as many iterations as theirs. Matrices that are not in MATRICES are
named and left out. table prints both side by side, or writes them between the marker lines of FOLDER/recurrences.md;
with --check it ends with 1 where the page has others. spread makes N runs (100) of each line of CSV whose iterations are
more than 2 % from the published ones, each with the unknowns in another order, which is that of all sums, or with each
element of b another number of last places, -1 to 1, off: what rounding alone does to the count. Python's standard library
only.

The published figures are those of their runs: the residuals that github.com/tchen01/new_cg_variants keeps
(predict_and_recompute/numerical_experiments/data, commit 2f1ec599, MIT licence).
"""
import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import page_tables

HERE = pathlib.Path(__file__).resolve().parent
PUBLISHED = HERE / "paper" / "chen_carson.csv"
SPREAD_BEGIN, SPREAD_END = "<!-- table: chen_carson.py writes this spread -->", "<!-- end of spread -->"
SPREAD_FIELDS = ("matrix", "recurrence", "limit", "changed", "run", "iterations")
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


def right_hand_side(n, entries):
    """A 1 / sqrt(N), each row rounded once."""
    terms = [[] for _ in range(n)]
    for i, _, v in entries:
        terms[i].append(v / math.sqrt(n))
    return [math.fsum(row) for row in terms]


def written(stem, folder, entries, right):
    """A system as MatrixMarket files; the problem that they are."""
    a, b, n = folder / f"{stem}.mtx", folder / f"{stem}.rhs", len(right)
    lower = [(i, j, v) for i, j, v in entries if i >= j]
    a.write_text(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {len(lower)}\n" +
                 "".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in lower))
    b.write_text(f"%%MatrixMarket matrix array real general\n{n} 1\n" + "".join(f"{x!r}\n" for x in right))
    return f"mtx:{a},rhs=file:{b}"


def write_system(matrix, folder):
    """The matrix by its entries and A 1 / sqrt(N)."""
    n, entries = entries_of(matrix)
    return written(matrix.stem, folder, entries, right_hand_side(n, entries))


def changed_system(matrix, what, seed, folder):
    """The same with its unknowns in another order, or with last places of b off."""
    n, entries = entries_of(matrix)
    right, chance = right_hand_side(n, entries), random.Random(seed)
    if what == "order":
        place = list(range(n))
        chance.shuffle(place)
        entries = sorted((place[i], place[j], v) for i, j, v in entries)
        moved = [0.0] * n
        for i, x in enumerate(right):
            moved[place[i]] = x
        right = moved
    else:
        right = [x + chance.choice((-1, 0, 1)) * math.ulp(x) for x in right]
    return written("changed", folder, entries, right)


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


def reaches(ours, theirs):
    """Is the count at most FEWER above the published one, or is there none of that?"""
    return theirs == "" or (ours != "" and int(ours) <= math.ceil((1 + FEWER) * int(theirs)))


def spread(arguments):
    published = {(row["matrix"], row["recurrence"]): row for row in rows_of(PUBLISHED)}
    with tempfile.TemporaryDirectory(prefix="mantissa_chen_carson_") as folder, \
            open(arguments.csv, "w", newline="") if arguments.csv else sys.stdout as file:
        writer = csv.DictWriter(file, SPREAD_FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in rows_of(arguments.table):
            theirs = published[row["matrix"], row["recurrence"]]["iterations"]
            if theirs == "" or (row["iterations"] != "" and
                                abs(int(row["iterations"]) / int(theirs) - 1) <= FEWER):
                continue
            for what in ("order", "b"):
                for number in range(arguments.runs):
                    problem = changed_system(arguments.matrices / f"{row['matrix']}.mtx", what, number,
                                             pathlib.Path(folder))
                    done = solved(arguments.program, problem, row["recurrence"], "1e-8", row["limit"])
                    count = done["inner_iterations"] if done["status"] == "converged" else ""
                    writer.writerow({**{name: row[name] for name in SPREAD_FIELDS[:3]}, "changed": what, "run": number,
                                     "iterations": count})
                    file.flush()


def spread_table_of(path):
    """The least, the middle and the most of each line's runs; one that did not reach it counts as the most."""
    published = {(row["matrix"], row["recurrence"]): row for row in rows_of(PUBLISHED)}
    lines = ["| matrix | recurrence | changed | runs | reached 1e-8 | least | median | most | published | "
             "runs at most 2 % above |", "|---|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    groups = {}
    for row in rows_of(path):
        groups.setdefault((row["matrix"], row["recurrence"], row["changed"]), []).append(
            int(row["iterations"]) if row["iterations"] else math.inf)
    for (matrix, recurrence, changed), counts in groups.items():
        theirs = int(published[matrix, recurrence]["iterations"])
        shown = ["-" if math.isinf(x) else f"{x:g}" for x in (min(counts), statistics.median(counts), max(counts))]
        lines.append(f"| {matrix} | {recurrence} | {'the order of sums' if changed == 'order' else 'last places of b'} | "
                     f"{len(counts)} | {sum(map(math.isfinite, counts))} | {' | '.join(shown)} | {theirs} | "
                     f"{sum(x <= math.ceil((1 + FEWER) * theirs) for x in counts)} |")
    return "\n".join(lines) + "\n"


def spread_table(arguments):
    page_tables.put(spread_table_of(arguments.csv), arguments, "recurrences.md", (SPREAD_BEGIN, SPREAD_END),
                    "experiments/chen_carson.py spread-table")


def table_of(path):
    """The table as Markdown, and in how many lines ours is within FEWER and WORSE."""
    published = {(row["matrix"], row["recurrence"]): row for row in rows_of(PUBLISHED)}
    lines = ["| matrix | N | recurrence | iterations to 1e-8 | published | best residual | published | within |",
             "|---|---:|---|---:|---:|---:|---:|---|"]
    counts = bests = both = 0
    for ours in rows_of(path):
        theirs = published[ours["matrix"], ours["recurrence"]]
        same = reaches(ours["iterations"], theirs["iterations"])
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
    spreads = commands.add_parser("spread")
    spreads.add_argument("program")
    spreads.add_argument("matrices", type=pathlib.Path)
    spreads.add_argument("table", type=pathlib.Path)
    spreads.add_argument("--runs", type=int, default=100)
    spreads.add_argument("--csv")
    spreads.set_defaults(action=spread)
    spread_tables = commands.add_parser("spread-table")
    page_tables.add_arguments(spread_tables)
    spread_tables.set_defaults(action=spread_table)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
