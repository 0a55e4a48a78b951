#!/usr/bin/env python3
"""Prints a sweep's inner iterations as tables: a row for each datapath, a column for each problem. Solves of another
scheme, stopping rule, tolerance or scaling stand in a table of their own, under what they share; engines that disagree
are shown side by side. Where a solve ended at one limit of iterations and converged under another, the latter counts.

    mantissa sweep FILE.toml --csv results.csv && experiments/iterations.py results.csv
"""
import csv
import sys

# What a table shares, beside the problem and the datapath; of these a table's title names those that have a value.
SHARED = ("scheme", "inner", "digits", "recurrence", "middle", "middle_digits", "tolerance", "jacobi")


def title(key):
    values = dict(zip(SHARED, key))
    words = [values["scheme"]]
    words += [f"{name.replace('_', ' ')} {values[name]}" for name in SHARED[1:-2] if values[name]]
    words.append(f"to {values['tolerance']}")
    if values["jacobi"] not in ("", "0"):
        words.append("Jacobi")
    return ", ".join(words)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: iterations.py results.csv (from mantissa sweep ... --csv results.csv)")
    tables, unknowns = {}, {}
    try:
        with open(sys.argv[1], newline="") as file:
            for row in csv.DictReader(file):
                cells = tables.setdefault(tuple(row[name] for name in SHARED), {})
                cell = row["inner_iterations"] if row["status"] == "converged" else row["status"].replace("_", " ")
                cells.setdefault((row["spec"], row["problem"]), {}).setdefault(cell, []).append(row["engine"])
                unknowns[row["problem"]] = int(row["unknowns"])
    except (OSError, KeyError, ValueError, csv.Error) as fault:
        sys.exit(f"iterations.py: {sys.argv[1]}: {fault}; give a file that mantissa sweep --csv wrote")
    if not tables:
        sys.exit(f"iterations.py: {sys.argv[1]}: no solves in it; run mantissa sweep FILE.toml --csv {sys.argv[1]}")
    for key, cells in tables.items():
        problems = sorted({problem for _, problem in cells}, key=lambda p: (unknowns[p], p))
        specs = list(dict.fromkeys(spec for spec, _ in cells))
        for by_cell in cells.values():
            if any(cell.isdigit() for cell in by_cell):
                for cell in [cell for cell in by_cell if not cell.isdigit()]:
                    del by_cell[cell]
        text = {at: " / ".join(f"{cell} ({', '.join(engines)})" if len(by_cell) > 1 else cell
                               for cell, engines in by_cell.items()) for at, by_cell in cells.items()}
        # The costliest datapath first: by its count on the largest problem; what did not converge before all.
        specs.sort(key=lambda s: -int(c) if (c := text.get((s, problems[-1]), "")).isdigit() else -10**9)
        head = "inner iterations"
        width = max(len(head), *(len(s) for s in specs))
        columns = [max(18, len(p) + 2, *(len(text.get((s, p), "")) + 2 for s in specs)) for p in problems]
        if len(tables) > 1:
            print(title(key))
        print(head.ljust(width) + "".join(p.rjust(w) for p, w in zip(problems, columns)))
        for spec in specs:
            print(spec.ljust(width) + "".join(text.get((spec, p), "").rjust(w) for p, w in zip(problems, columns)))
        if len(tables) > 1:
            print()


if __name__ == "__main__":
    main()
