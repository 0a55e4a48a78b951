#!/usr/bin/env python3
"""The shortest words that solve a system, by brute force: what the advice of `mantissa solve --advise` is held against.

    experiments/advise/shortest_words.py PROGRAM WORK [FOLDER] [--only NAME ...] [--threads N]

FOLDER holds the twelve matrices of docs/advise.md (MANTISSA_DATA/matrices where it is left out); the twenty other
systems are those of table.py. WORK takes the matrices and a results file: a run that was stopped goes on there. Writes
shortest.json beside this script, an entry for each system.

The solve is the advice's: residual guided, ten inner iterations a step, Jacobi scaling, a tolerance of 1e-10. `limit`
is 1.5 times the iterations of CG in double precision. Three searches, each over every word from the shortest on until
one converges within the limit without a step lost to overflow; what is not searched is long:

    vector       r, p and q in words fxW.(W-2), with each of three headrooms: H, H - 1 and H + 1
    coefficient  coefficients in words fxW.(W-1)
    iterate      u in words fxW.F with as many bits before the point as a long u used, or one more

H is the least headroom (-8 to 12) at which words of 32 bits lose no step. Long means: r, p, q and coefficients of 32
bits, the most that a core has, u of 53, alpha and beta with 23 fraction bits. Bits before the point and headroom do the
same to r, p and q, so that one of them is searched. Where words of 32 bits do not converge within the limit, `limit` is
1.25 times what they take, `raised` is true, and they may take 10 times the iterations of double precision. Where they
do not converge then either, or CG in double precision does not, `why_not` says so.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import table

HERE = pathlib.Path(__file__).parent
MATRICES = ["LFAT5", "bcsstk03", "1138_bus", "msc01440", "shallow_water1", "wathen100", "gyro_m", "bcsstk18", "bcsstk17",
            "ex9", "s3rmt3m3", "G2_circuit"]
TIMES, RAISED, SLOWER = 1.5, 1.25, 10
LONG, LONG_U, LONG_U_FRACTION = 32, 53, 33
HEADROOMS = range(-8, 13)
BATCH = 4


def spec(vector=LONG, coefficient=LONG, iterate=f"fx{LONG_U}.{LONG_U_FRACTION}"):
    return f"fx{vector}.{vector - 2},coef=fx{coefficient}.{coefficient - 1},u={iterate},operand=s23e11"


class Sweeps:
    """Solves as sweeps into one results file, which answers what it has."""

    def __init__(self, program, work, threads):
        self.program, self.work, self.threads = str(program), work, threads

    def run(self, problem, most, specs, headrooms):
        """Results by (spec, headroom); `most` iterations."""
        points = self._sweep(problem, {"scheme": "residual-guided", "inner": 10, "max_iterations": most,
                                       "spec": specs, "headroom": headrooms})
        return {(p["spec"], p["headroom"]): p for p in points}

    def double_iterations(self, problem):
        point, = self._sweep(problem, {"scheme": "direct", "format": "double", "max_iterations": 30000})
        return point["inner_iterations"] if point["status"] == "converged" else None

    def _sweep(self, problem, keys):
        file, out = self.work / "now.toml", self.work / "now.jsonl"
        keys = {"problem": problem, "engine": "emulated", "tolerance": 1e-10, "jacobi": True, **keys}
        file.write_text('store = "shortest.sqlite"\n[[grid]]\n' +
                        "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items()))
        store = self.work / "shortest.sqlite"
        done = subprocess.run([self.program, "sweep", file.name, "--threads", str(self.threads), "--jsonl", out.name],
                              cwd=self.work, capture_output=True, text=True, check=False)
        if done.returncode == 2 or not store.exists():
            sys.exit(f"{problem}: {done.stderr}")
        wanted = {key: keys[key] for key in ("scheme", "max_iterations", "tolerance")}
        points = [json.loads(line) for line in out.read_text().splitlines()]
        return [p for p in points if p["problem"].split(",")[0] == problem.split(",")[0] and same(p, wanted)
                and named(p["problem"], problem)]


def same(point, wanted):
    return all(point[key] == value for key, value in wanted.items())


def named(stored, asked):
    """The store has a problem's text in full, defaults included."""
    return set(asked.split(",")) <= set(stored.split(","))


def lost(point):
    return json.loads(point["words"]).get("overflows", 0)


def good(point, limit):
    return point["status"] == "converged" and not lost(point) and point["inner_iterations"] <= limit


class Search:
    def __init__(self, sweeps, problem):
        self.sweeps, self.problem = sweeps, problem

    def run(self, most, specs, headrooms):
        results = self.sweeps.run(self.problem, most, specs, headrooms)
        # A spec is stored in its shortest form: asked for by what it says, in order.
        return {key: p for key, p in results.items()}

    def entry(self):
        double = self.sweeps.double_iterations(self.problem)
        if double is None:
            return {"why_not": "conjugate gradients in double precision do not reach the tolerance"}
        limit = max(int(TIMES * double), 10)
        found = {"double_iterations": double, "limit": limit, "raised": False}
        long_runs = self.run(limit + 10, [spec()], list(HEADROOMS))
        kept = [p for p in long_runs.values() if not lost(p)]
        if not kept:
            return {**found, "why_not": "words of 32 bits lose a step with every headroom"}
        headroom = min(p["headroom"] for p in kept)
        near = [headroom - 1, headroom, headroom + 1]
        if not any(good(p, limit) for p in kept):
            most = SLOWER * double
            slow = [p for p in self.run(most, [spec()], near).values() if good(p, most)]
            if not slow:
                return {**found, "why_not": "words of 32 bits do not converge"}
            limit = int(RAISED * min(p["inner_iterations"] for p in slow))
            found.update(limit=limit, raised=True)
            kept = slow
        found["headroom"] = headroom
        before = max(json.loads(p["words"])["bits"]["u"] for p in kept if p["headroom"] in near) - LONG_U_FRACTION
        found["vector"] = self.first(limit, near, lambda w: [spec(vector=w)], 4, LONG)
        found["coefficient"] = self.first(limit, near, lambda w: [spec(coefficient=w)], 2, LONG)
        found["iterate"] = self.first(limit, near, lambda w: [spec(iterate=f"fx{w}.{w - i}") for i in (before, before + 1)
                                                              if 0 <= w - i], max(before, 2), LONG_U)
        return found

    def first(self, limit, headrooms, specs_of, low, high):
        """The shortest word of low..high that converges, with the fewest iterations that it takes."""
        for start in range(low, high + 1, BATCH):
            words = range(start, min(start + BATCH, high + 1))
            asked = {w: [canonical(s) for s in specs_of(w)] for w in words}
            results = self.run(limit + 10, [s for w in words for s in specs_of(w)], headrooms)
            for w in words:
                counts = [p["inner_iterations"] for (s, _), p in results.items()
                          if canonical(s) in asked[w] and good(p, limit)]
                if counts:
                    return {"bits": w, "iterations": min(counts)}
        return None


def canonical(text):
    """A spec without the fields that equal the vectors' format, which the store leaves out."""
    first, *fields = text.split(",")
    return (first, tuple(sorted(f for f in fields if not f.endswith("=" + first))))


def systems(work, folder):
    """Name and problem, the matrices put into `work`."""
    listed = []
    for name in MATRICES:
        if folder is not None and (folder / f"{name}.mtx").exists():
            if not (work / f"{name}.mtx").exists():
                shutil.copy(folder / f"{name}.mtx", work / f"{name}.mtx")
            listed.append((name, f"mtx:{name}.mtx"))
    listed += [(text, text) for text in table.GRIDS]
    for name, entries in table.made().items():
        file = re.sub(r"[^a-z0-9]+", "_", name.lower()) + ".mtx"
        table.write_matrix(work / file, entries)
        listed.append((name, f"mtx:{file}"))
    return listed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--threads", type=int, default=0)
    args = parser.parse_args()
    folder = args.folder
    if folder is None and "MANTISSA_DATA" in os.environ:
        folder = pathlib.Path(os.environ["MANTISSA_DATA"]) / "matrices"
    args.work.mkdir(parents=True, exist_ok=True)
    record = HERE / "shortest.json"
    entries = json.loads(record.read_text()) if record.exists() else {}
    sweeps = Sweeps(args.program.resolve(), args.work, args.threads)
    for name, problem in systems(args.work, folder):
        if args.only and name not in args.only:
            continue
        entries[name] = {"problem": problem, **Search(sweeps, problem).entry()}
        print(name, json.dumps(entries[name]), flush=True)
        record.write_text(json.dumps(entries, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
