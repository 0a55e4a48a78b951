#!/usr/bin/env python3
"""Holds the advice of `mantissa solve --advise` to the shortest words that brute force found (shortest.json).

    experiments/advise/check.py PROGRAM [FOLDER] [--small] [--keep] [--only NAME ...]

FOLDER holds the matrices (MANTISSA_DATA/matrices where it is left out); without it they are left out. Of every system:
both proposals converge as they are printed, without a step lost to overflow; the cores in hardware take the advised one
(--engine, and what each says of it); each of its words, r, p, q, the coefficients and u, is at most three bits
longer than the shortest of the record; and the advice took at most the larger of ten seconds and three solves in double
precision, of processor time, the whole process with all its threads. Where nothing converges in time (`raised`), the record has the shortest of a
looser limit, and the advice need only converge.

--small takes only systems that a second or two solves. For the others advised.json beside this script, which --keep
writes, has what was advised and what came of it, and that is held to the record. The end code is 1 when anything is
missed.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

import shortest_words

HERE = pathlib.Path(__file__).parent
MORE = 3          # bits above the shortest
SECONDS, SOLVES = 10, 3
SMALL = 4e6       # unknowns times iterations in double
ENGINES = "hls,systemc"


def engines_here(program):
    listed = json.loads(subprocess.run([program, "engines", "--json"], capture_output=True, text=True, check=True).stdout)
    return {e["name"] for e in listed if not e.get("missing")}


def word(spec, vector):
    """Bits of a vector's word, or of the coefficients'."""
    fields = dict(f.split("=") for f in spec.split(",")[1:])
    return int(re.match(r"fx(\d+)", fields.get(vector, spec))[1])


def timed(command, work):
    """The finished process, and the processor seconds, user and system, that it took."""
    def used():
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime
    before = used()
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    return done, used() - before


def advised(program, work, problem, engines):
    command = [program, "solve", "--problem", problem, "--advise", "--threads", "1", "--json"]
    done, seconds = timed(command + (["--engine", ",".join(engines)] if engines else []), work)
    if done.returncode == 2:
        sys.exit(f"{problem}: {done.stderr}")
    advice = json.loads(done.stdout)
    if (late := seconds > SECONDS):
        late = seconds > SOLVES * timed([program, "solve", "--problem", problem, "--jacobi", "--scheme", "direct", "--format",
                                         "double", "--threads", "1"], work)[1]
    kept = {"seconds": round(seconds, 2), "late": late, "unknowns": advice["measured"]["unknowns"],
            "double_iterations": advice["measured"].get("double_iterations"), "found": advice["found"],
            "why_not": advice.get("why_not"), "trials": advice.get("trials"), "products": advice.get("products")}
    for which in ("advised", "fewest") if advice["found"] else ():
        arguments = shlex.split(advice[which]["command"])[1:] + ["--threads", "1", "--json"]
        result = json.loads(subprocess.run([program] + arguments, cwd=work, capture_output=True, text=True, check=False).stdout)
        kept[which] = {"spec": advice[which]["spec"], "tried": advice[which]["tried_iterations"] is not None,
                       "status": result["status"], "iterations": result["inner_iterations"],
                       "overflows": result.get("overflows", 0)}
    return kept


def faults(entry, kept):
    """Lines on what is missed."""
    list_ = [f"{kept['seconds']} s of processor time"] if kept["late"] else []
    if not kept["found"]:
        return list_ if "why_not" in entry else list_ + [f"nothing is advised ({kept['why_not']})"]
    for which in ("advised", "fewest"):
        run = kept[which]
        if run["status"] != "converged":
            list_.append(f"{which} {run['spec']}: {run['status']}")
        if run["tried"] and run["overflows"]:
            list_.append(f"{which} {run['spec']}: {run['overflows']} steps lost")
    if "why_not" in entry or entry["raised"]:
        return list_
    spec = kept["advised"]["spec"]
    for name, bits in (("vector", max(word(spec, v) for v in "rpq")), ("coefficient", word(spec, "coef")),
                       ("iterate", word(spec, "u"))):
        if entry[name] is not None and bits > entry[name]["bits"] + MORE:
            list_.append(f"advised {spec}: {name} of {bits} bits, the shortest has {entry[name]['bits']}")
    return list_


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--only", nargs="+")
    args = parser.parse_args()
    folder = args.folder
    if folder is None and "MANTISSA_DATA" in os.environ:
        folder = pathlib.Path(os.environ["MANTISSA_DATA"]) / "matrices"
    program = str(args.program.resolve())
    engines = [e for e in ENGINES.split(",") if e in engines_here(program)]
    record = json.loads((HERE / "shortest.json").read_text())
    file = HERE / "advised.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    missed = live = 0
    with tempfile.TemporaryDirectory() as work:
        for name, problem in shortest_words.systems(pathlib.Path(work), folder):
            if name not in record or (args.only and name not in args.only):
                continue
            entry = record[name]
            if args.small and name not in before:
                continue
            large = name in before and before[name]["large"]
            if args.small and large:
                kept = before[name]
            else:
                kept = advised(program, work, problem, engines)
                live += 1
                if args.keep:
                    before[name] = {**kept, "large": kept["unknowns"] * (kept["double_iterations"] or 0) > SMALL}
                    file.write_text(json.dumps(before, indent=1) + "\n")
            for line in faults(entry, kept):
                print(f"{name}: {line}", flush=True)
                missed += 1
            print(name, json.dumps(kept), flush=True)
    print(f"{live} systems advised here, {missed} missed")
    return 1 if missed or not live else 0


if __name__ == "__main__":
    sys.exit(main())
