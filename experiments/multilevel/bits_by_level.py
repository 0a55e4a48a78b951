#!/usr/bin/env python3
"""Which bits each level of a multilevel cycle needs: for the words of r (w), f, e and the coefficients (c).

    experiments/multilevel/bits_by_level.py PROGRAM [FOLDER] [--only NAME ...]    measures and keeps bits_by_level.json
    experiments/multilevel/bits_by_level.py --table                               prints the record as Markdown
    experiments/multilevel/bits_by_level.py PROGRAM --check                       holds small systems to the record

A word is long enough while the solve takes at most 1.25 times the iterations of the cycle in double precision (one more
at least). For every field and level two numbers are found, by solves to a true residual of 1e-10:

    alone      the fewest bits of that field on that level, all others as long as a cycle has them (w=16,f=24,e=24,c=16)
    together   all lists shortened at once: four bits, then two, then one in turn, the finest level first, which has the
               most words, and w before c, f and e, until no single bit less on any level does (or four are left, the fewest
               that there are)

CG keeps one direction, so that what words round away shows in the count.

FOLDER holds matrices (MANTISSA_DATA/matrices where it is left out); without it they are left out. The end code is 1 when
--check finds the record wrong: a list that takes other iterations, or that does with a bit less.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

RECORD = pathlib.Path(__file__).with_name("bits_by_level.json")
LONGEST = {"w": 16, "f": 24, "e": 24, "c": 16}
FIELDS = ("w", "c", "f", "e")
FEWEST = 4
#: Name, problem, shape of the cycle. Those that --check solves are small.
SYSTEMS = (
    ("Poisson, level 6", "poisson2d:level=6", "v11"),
    ("Poisson, level 8", "poisson2d:level=8", "v11"),
    ("Poisson, level 8, cycles alone", "poisson2d:level=8", "b2"),
    ("Poisson, level 10", "poisson2d:level=10", "v11"),
    ("jumps of 100, level 6", "diffusion2d:level=6,field=jump,contrast=100", "v11"),
    ("jumps of 100, level 8", "diffusion2d:level=8,field=jump,contrast=100", "v11"),
    ("3-D, 31 nodes a side", "poisson3d:level=5", "v11"),
    ("G2_circuit", "mtx:G2_circuit.mtx", "v11"),
    ("wathen100", "mtx:wathen100.mtx", "v22"),
)
CHECKED = ("Poisson, level 6", "jumps of 100, level 6", "3-D, 31 nodes a side")


class Solves:
    """Solves of one problem with cycles of one shape; each spec once."""

    def __init__(self, program, problem, shape, folder):
        self.program, self.problem, self.shape, self.folder = program, problem, shape, folder
        self.known = {}

    def iterations(self, cycle, limit=0):
        """Until it has converged; None where it does not within `limit`."""
        if cycle not in self.known:
            command = [self.program, "solve", "--problem", self.problem, "--preconditioner", f"multilevel:{cycle}", "--json"]
            if self.shape.startswith("v"): # (CG stands around these)
                command += ["--directions", "1"]
            done = subprocess.run(command + (["--max-iterations", str(limit)] if limit else []), cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            if done.returncode == 2:
                sys.exit(f"{self.problem}, {cycle}: {done.stderr}")
            solved = json.loads(done.stdout)
            self.known[cycle] = solved["inner_iterations"] if solved["status"] == "converged" else None
        return self.known[cycle]

    def works(self, lists, limit):
        found = self.iterations(text(self.shape, lists), limit)
        return found is not None and found <= limit


def text(shape, lists):
    """The cycle; an interpolation has the coefficients' bits."""
    fields = {**lists, "p": lists["c"]} if "c" in lists else lists
    return shape + "".join(f",{field}=" + "/".join(map(str, fields[field])) for field in sorted(fields))


def with_bits(lists, field, level, bits):
    changed = list(lists[field])
    changed[level] = bits
    return {**lists, field: changed}


def levels_of(program, problem, shape, folder):
    """How many levels a cycle in words has: a constant stencil goes down to one unknown, others as the advice says."""
    if (grid := re.match(r"poisson2d:level=(\d+)$", problem)):
        return int(grid[1])
    done = subprocess.run([program, "solve", "--problem", problem, "--advise", "--preconditioner", f"multilevel:{shape}",
                           "--json"], cwd=folder, capture_output=True, text=True, check=False)
    return len(json.loads(done.stdout)["levels"]["unknowns"])


def alone(solves, longest, limit):
    fewest = {}
    for field in longest:
        fewest[field] = []
        for level in range(len(longest[field])):
            fails, holds = FEWEST - 1, LONGEST[field]
            while holds - fails > 1:
                middle = (fails + holds) // 2
                if solves.works(with_bits(longest, field, level, middle), limit):
                    holds = middle
                else:
                    fails = middle
            fewest[field].append(holds)
    return fewest


def together(solves, longest, limit):
    lists = longest
    for step in (4, 2, 1):
        lowered = True
        while lowered:
            lowered = False
            for level in range(len(lists["w"])):
                for field in FIELDS:
                    if field not in lists or lists[field][level] - step < FEWEST:
                        continue
                    shorter = with_bits(lists, field, level, lists[field][level] - step)
                    if solves.works(shorter, limit):
                        lists, lowered = shorter, True
    return lists


def measure(program, problem, shape, folder):
    solves = Solves(program, problem, shape, folder)
    double = solves.iterations(f"{shape},w=double")
    limit = max(double + 1, double * 5 // 4)
    levels = levels_of(program, problem, shape, folder)
    fields = [f for f in FIELDS if f != "c" or not problem.startswith("poisson2d")]   # (there: integers)
    longest = {field: [LONGEST[field]] * levels for field in fields}
    if not solves.works(longest, limit):
        sys.exit(f"{problem}: the longest words take {solves.known}, not {limit}")
    lists = together(solves, longest, limit)
    return {"problem": problem, "shape": shape, "double_iterations": double, "most": limit,
            "alone": alone(solves, longest, limit), "together": lists,
            "iterations": solves.iterations(text(shape, lists))}


def check(program, record):
    wrong = 0
    for name in CHECKED:
        entry = record[name]
        solves = Solves(program, entry["problem"], entry["shape"], None)
        lists = entry["together"]
        found = solves.iterations(text(entry["shape"], lists))
        if found != entry["iterations"] or not found <= entry["most"]:
            print(f"{name}: {text(entry['shape'], lists)} takes {found} iterations, the record says {entry['iterations']}")
            wrong += 1
        for field, bits in lists.items():
            for level, now in enumerate(bits):
                if now > FEWEST and solves.works(with_bits(lists, field, level, now - 1), entry["most"]):
                    print(f"{name}: {field} of {now - 1} bits on level {level} does as well")
                    wrong += 1
    print(f"{len(CHECKED)} systems, {wrong} faults")
    return 1 if wrong else 0


def table(record):
    print("| system | cycle | double | field | alone | together |")
    print("|---|---|---:|---|---|---|")
    for name, entry in record.items():
        for k, field in enumerate(f for f in "wfec" if f in entry["together"]):
            first = f"{name} | {entry['shape']} | {entry['double_iterations']}" if k == 0 else " | | "
            print(f"| {first} | {field} | {' '.join(map(str, entry['alone'][field]))} | "
                  f"{' '.join(map(str, entry['together'][field]))} |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if args.table:
        return table(record)
    if args.program is None:
        parser.error("give the program, or --table")
    program = str(pathlib.Path(args.program).resolve())
    if args.check:
        return check(program, record)
    folder = args.folder
    if folder is None and "MANTISSA_DATA" in os.environ:
        folder = pathlib.Path(os.environ["MANTISSA_DATA"]) / "matrices"
    for name, problem, shape in SYSTEMS:
        if (args.only and name not in args.only) or (problem.startswith("mtx:") and folder is None):
            continue
        found = measure(program, problem, shape, folder)
        record = {**(json.loads(RECORD.read_text()) if RECORD.exists() else {}), name: found}
        order = [n for n, _, _ in SYSTEMS]
        record = {n: record[n] for n in order if n in record}
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
        print(name, json.dumps(record[name]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
