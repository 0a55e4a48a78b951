#!/usr/bin/env python3
"""Every point of four small spaces, solved: what the search of `mantissa tune` is judged by (ctest -R tune.Judge).

    experiments/tune/oracle.py MANTISSA FOLDER [NUMBER]  # writes oracles.json beside this file; the stores stay in FOLDER

With NUMBER, 0 to 3, that space alone; the others stay as they are.

Three axes each, 306 to 510 points. A point's weight stands for area times the time of an iteration: the bits that an
element moves in an iteration (u, r, p and q in and out, its coefficients) times the iterations' number is the cost.
Points that did not converge have null iterations. Of the floating space they are the geometric mean over four right-hand
sides, since a single count scatters by more than the best points differ.
"""
import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def fixed(bits, longer=7, factor=14, scalar=19, coef=None):
    spec = f"fx{bits}.{bits - 2},u=fx{bits + longer}.{bits - 2 + min(5, longer)},operand=s{factor}e8"
    spec += f",coef=fx{coef}.{coef - 1}" if coef else ""
    return spec + f",scalar=s{scalar}e8:rne", 8 * bits + 2 * longer + 4 * (coef or 0)


BITS, INNER = range(10, 27), (5, 7, 10, 14, 20, 28)
SPACES = [
    {"problem": "poisson2d:level=6", "axes": {"bits": [*BITS], "scalar": [15, 17, 19, 21, 23], "inner": [*INNER]},
     "spec": lambda b, s, i: fixed(b, scalar=s)},
    {"problem": "poisson2d:level=6,anisotropy=100",
     "axes": {"bits": [*BITS], "longer": [4, 7, 10], "inner": [*INNER]}, "spec": lambda b, w, i: fixed(b, longer=w)},
    {"problem": "diffusion2d:level=6,field=jump,contrast=100,seed=1",
     "axes": {"bits": [*BITS], "coef": [10, 12, 14, 16, 18], "inner": [*INNER]},
     "spec": lambda b, c, i: fixed(b, coef=c)},
    {"problem": "poisson2d:level=7", "sides": ["", *(f",rhs=random,seed={n}" for n in (1, 2, 3))], "axes": {"bits": [*range(8, 25)], "order": ["chain", "flux", "second-difference"],
                                              "inner": [*INNER]},
     "spec": lambda b, o, i: (f"s{b}e8,order={o}", 8 * (b + 9) + (b + 9) * {"c": 9, "f": 4, "s": 0}[o[0]])},
]


def main():
    mantissa, folder = sys.argv[1], Path(sys.argv[2])
    file = HERE / "oracles.json"
    spaces = json.loads(file.read_text())["spaces"] if len(sys.argv) > 3 else [None] * len(SPACES)
    for number in [int(sys.argv[3])] if len(sys.argv) > 3 else range(len(SPACES)):
        spaces[number] = solved(mantissa, folder, number)
    text = ",\n".join(json.dumps(s, separators=(",", ":")) for s in spaces)
    file.write_text('{"spaces": [\n%s\n]}\n' % text)


def solved(mantissa, folder, number):
    """A space with all its iterations."""
    space = SPACES[number]
    problem, sides = space["problem"], space.get("sides", [""])
    points = list(itertools.product(*space["axes"].values()))
    specs = [space["spec"](*p) for p in points]
    sweep, listed = folder / f"oracle{number}.toml", folder / f"oracle{number}.jsonl"
    grids = "".join(f'[[grid]]\nproblem = {json.dumps([problem + s for s in sides])}\nspec = "{s}"\n'
                    f'inner = {[*INNER]}\n' for s in dict.fromkeys(s for s, _ in specs))
    sweep.write_text(f'store = "{folder}/oracle{number}.sqlite"\n[defaults]\nmax_iterations = 4000\n' + grids)
    subprocess.run([mantissa, "sweep", str(sweep)], check=True)
    subprocess.run([mantissa, "sweep", str(sweep), "--jsonl", str(listed)], check=True, stdout=subprocess.DEVNULL)
    rows = [json.loads(line) for line in listed.read_text().splitlines()]
    got = {}
    for row in rows:
        taken = row["inner_iterations"] if row["status"] == "converged" else None
        got.setdefault((row["spec"], row["inner"]), []).append(taken)
    # The sweep stores points in any order; a spec's canonical text is asked of the program once.
    canonical = {row["spec"] for row in rows}
    names = {s: s if s in canonical else canonical_text(mantissa, s) for s in dict.fromkeys(s for s, _ in specs)}
    iterations = [mean(got[names[s], p[-1]], len(sides)) for p, (s, _) in zip(points, specs)]
    print(problem, len(points), "points,", sum(i is None for i in iterations), "did not converge")
    return {"problem": problem, **({"sides": len(sides)} if len(sides) > 1 else {}), "axes": space["axes"],
            "weights": [w for _, w in specs], "iterations": iterations}


def mean(counts, sides):
    """The geometric mean over right-hand sides; None where one did not converge."""
    assert len(counts) == sides
    if None in counts:
        return None
    return counts[0] if sides == 1 else round(math.exp(sum(map(math.log, counts)) / sides), 1)


def canonical_text(mantissa, spec):
    done = subprocess.run([mantissa, "solve", "--problem", "poisson2d:level=3", "--spec", spec, "--max-iterations", "1",
                           "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["spec"]


if __name__ == "__main__":
    main()
