#!/usr/bin/env python3
"""Prints a sweep's inner iterations as a table: a row for each datapath, a column for each problem.

    mantissa sweep FILE.toml --csv results.csv && experiments/iterations.py results.csv
"""
import csv
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: iterations.py results.csv (from mantissa sweep ... --csv results.csv)")
    cells, problems, specs = {}, [], []
    with open(sys.argv[1], newline="") as file:
        for row in csv.DictReader(file):
            if row["problem"] not in problems:
                problems.append(row["problem"])
            if row["spec"] not in specs:
                specs.append(row["spec"])
            done = row["status"] == "converged"
            cells[row["spec"], row["problem"]] = row["inner_iterations"] if done else row["status"]
    problems.sort()
    # The costliest datapath first: by its count on the largest problem.
    specs.sort(key=lambda s: -int(c) if (c := cells.get((s, problems[-1]), "")).isdigit() else -10**9)
    width = max(len(s) for s in specs)
    print("inner iterations".ljust(width), *(p.rjust(18) for p in problems))
    for spec in specs:
        print(spec.ljust(width), *(cells.get((spec, p), "").rjust(18) for p in problems))


if __name__ == "__main__":
    main()
