#!/usr/bin/env python3
"""The cores that the area model of `mantissa tune` is fitted to, and their netlists.

    experiments/tune/cores.py list COUNT                                   # specifications, one a line
    experiments/tune/cores.py run MANTISSA STORE TARGET BANDS FIRST COUNT  # synthesise COUNT of them from FIRST on
    experiments/tune/cores.py keep MANTISSA STORE                          # cores.json, with the clocks of a pass

BANDS is constant, streamed, sparse (cores of sparse rows), or cycle (cores of multilevel cycles, with rows for level 10). The words are points of a sequence that fills the space
evenly (golden ratios), so that any first part of it covers the space too: words of r, p and q from 10 to 26 bits (30 for
sparse rows), u longer by 3 to 10, alpha and beta of 10 to 17 fraction bits, scalars of 15 to 23, one, two or four lanes
(one, four or sixteen for sparse rows). `run` synthesises them one after the other into STORE; what is stored is not run
again. For grids the model is fitted to
the first ten points alone; other netlists of the store, further points and winners of `mantissa tune` among them, are marked
"judge": they tell its error. `keep` takes the netlists of STORE of the newest RTL in it, and leaves those of other targets
and BANDS in cores.json, and, where STORE has not made them again, those of the same RTL, judges, and cores of cycles of
any RTL: one of 32 lanes takes ten minutes, and until all are made again the answer says that some are of other RTL. The
clocks of a pass are counted by solves of the timed SystemC model, whose counts are the RTL core's.
"""
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIGURES = ["luts", "memory_luts", "flip_flops", "paired", "carries", "multipliers", "memory_bits", "depth"]
FITTED = 10  # points of the sequence; what else a store has judges the model
LEVEL = 5  # of the problem whose clocks are counted


def fractions(n, axes=6):
    """Point n of the sequence: `axes` numbers in [0, 1)."""
    root = 1.5
    for _ in range(60):
        root = (1 + root) ** (1 / (axes + 1))
    return [(0.5 + (n + 1) * root ** -(k + 1)) % 1 for k in range(axes)]


def specification(n, bands="constant"):
    """Words of point n as `--spec` takes them."""
    x = fractions(n)
    sparse = bands == "sparse"
    word = 10 + int(x[0] * (21 if sparse else 17))
    fraction = word - (4 if sparse else 2)
    u_longer = 3 + int(x[1] * 8)
    lanes = {"constant": (1, 1, 1, 2, 4), "streamed": (1,), "sparse": (1, 4, 16)}[bands]
    lanes = lanes[int(x[4] * len(lanes))]
    u_fraction = fraction + min(5, u_longer)
    text = f"fx{word}.{fraction},u=fx{word + u_longer}.{u_fraction},operand=s{10 + int(x[2] * 8)}e8"
    if bands != "constant":
        coefficient = 8 + int(x[5] * (17 if sparse else 13))
        text += f",coef=fx{coefficient}.{coefficient - 1}"
    text += f",scalar=s{15 + int(x[3] * 9)}e8:rne"
    return text + (f",lanes={lanes}" if lanes > 1 else "")


def cycle(n):
    """Cycle and lanes of point n."""
    x = fractions(n, 4)
    shape = ("b1", "b2", "b3", "v11", "v12", "v22")[int(x[0] * 6)]
    word = 6 + int(x[1] * 9)
    return f"{shape},w={word},f={word + 4 + int(x[2] * 4)}", (1, 1, 2, 4)[int(x[3] * 4)]


def run(mantissa, store, target, bands, first, count):
    for n in range(int(first), int(first) + int(count)):
        if bands == "cycle":
            spec, lanes = cycle(n)
            core = ["--operator", "cycle", "--cycle", spec, "--lanes", str(lanes)]
        else:
            core = ["--operator", "sparse"] if bands == "sparse" else ["--bands", bands]
            core += ["--spec", specification(n, bands)]
        subprocess.run([mantissa, "synthesize", "--store", store, "--target", target, *core], check=False)


def fixed_clocks(mantissa, entry, known={}):
    """Clocks of a pass besides (elements + a row) / lanes; None where the core has no such solve."""
    problem = f"poisson2d:level={LEVEL}" if entry["bands"] == "constant" else f"diffusion2d:level={LEVEL}"
    key = (entry["spec"], problem)
    if key not in known:
        # (Few passes are enough: clocks do not depend on the data, and a solve need not converge.)
        done = subprocess.run([mantissa, "solve", "--problem", problem, "--engine", "systemc", "--spec", entry["spec"],
                               "--max-iterations", "20", "--json"], capture_output=True, text=True)
        answer = json.loads(done.stdout) if done.stdout else {}
        known[key] = None
        if answer.get("cycles") and answer.get("inner_iterations"):
            row = 2 ** LEVEL + 1
            lanes = int(entry["spec"].split("lanes=")[1].split(",")[0]) if "lanes=" in entry["spec"] else 1
            known[key] = round(answer["cycles"] / answer["inner_iterations"] - (row * row + row) / lanes, 2)
    return known[key]


def canonical(mantissa, spec):
    """A specification as stores have it."""
    done = subprocess.run([mantissa, "solve", "--problem", "poisson2d:level=3", "--spec", spec, "--max-iterations", "1", "--json"],
                          capture_output=True, text=True)
    return json.loads(done.stdout)["spec"]


def keep(mantissa, store):
    database = sqlite3.connect(store)
    database.row_factory = sqlite3.Row
    # (Each kind of core has a hash of its own RTL.)
    kind = "part || (spec LIKE 'fx%')"
    newest = dict(database.execute(f"SELECT {kind}, sources FROM netlist WHERE part IN ('core', 'sparse', 'cycle') ORDER BY date"))
    fitted = {canonical(mantissa, specification(n)) for n in range(FITTED)}
    cores = []
    fields = ["spec", "target", "multiplier", "bands", *FIGURES, "model_mhz"]
    for row in database.execute(f"SELECT *, {kind} AS kind FROM netlist WHERE part IN ('core', 'sparse', 'cycle')"):
        if row["sources"] != newest[row["kind"]]:
            continue
        entry = {"sources": row["sources"], **{f: row[f] for f in fields}, "tool": row["tool"],
                 "commit": row["commit_id"][:12]}
        if row["part"] != "core":
            entry["bands"] = row["part"]
        if entry["bands"] == "constant" and entry["spec"] not in fitted:
            entry["judge"] = True
        cores.append(entry)
    for entry in cores:
        clocks = None if entry["bands"] in ("sparse", "cycle") else fixed_clocks(mantissa, entry)
        if clocks is not None:
            entry["fixed_clocks"] = clocks
    made = {(c["target"], c["bands"]) for c in cores}
    file = HERE / "cores.json"
    again = {(c["target"], c["bands"], c["spec"]) for c in cores}
    cores += [c for c in json.loads(file.read_text())["cores"]
              if (c["target"], c["bands"]) not in made
              or ((c.get("judge") or c["bands"] == "cycle" or c["sources"] in newest.values())
                  and (c["target"], c["bands"], c["spec"]) not in again)]
    cores.sort(key=lambda c: (c["target"], c["bands"], c["spec"]))
    lines = ",\n".join("  " + json.dumps(c) for c in cores)
    file.write_text('{"cores": [\n%s\n]}\n' % lines)


def main():
    what, *rest = sys.argv[1:] or ["help"]
    if what == "list" and len(rest) == 1:
        print("\n".join(specification(n) for n in range(int(rest[0]))))
    elif what == "run" and len(rest) == 6:
        run(*rest)
    elif what == "keep" and len(rest) == 2:
        keep(*rest)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
