#!/usr/bin/env python3
"""Every point of four small spaces, solved: what the search of `mantissa tune` is judged by (ctest -R tune.Judge).

    experiments/tune/oracle.py MANTISSA FOLDER      # writes oracles.json beside this file; the stores stay in FOLDER

Three axes each, 306 to 510 points. A point's weight stands for area times the time of an iteration: the bits that an
element moves in an iteration (u, r, p and q in and out, its coefficients) times the iterations' number is the cost.
Points that did not converge have null iterations.
"""
import itertools
import json
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
    {"problem": "poisson2d:level=7", "axes": {"bits": [*range(8, 25)], "order": ["chain", "flux", "second-difference"],
                                              "inner": [*INNER]},
     "spec": lambda b, o, i: (f"s{b}e8,order={o}", 8 * (b + 9) + (b + 9) * {"c": 9, "f": 4, "s": 0}[o[0]])},
]


def main():
    mantissa, folder = sys.argv[1], Path(sys.argv[2])
    spaces = []
    for number, space in enumerate(SPACES):
        points = list(itertools.product(*space["axes"].values()))
        specs = [space["spec"](*p) for p in points]
        store = folder / f"oracle{number}.sqlite"
        grids = "".join(f'[[grid]]\nproblem = "{space["problem"]}"\nspec = "{s}"\ninner = {[*INNER]}\n'
                        for s in dict.fromkeys(s for s, _ in specs))
        (folder / f"oracle{number}.toml").write_text(f'store = "{store}"\n[defaults]\nmax_iterations = 4000\n' + grids)
        subprocess.run([mantissa, "sweep", str(folder / f"oracle{number}.toml")], check=True)
        listed = folder / f"oracle{number}.jsonl"
        subprocess.run([mantissa, "sweep", str(folder / f"oracle{number}.toml"), "--jsonl", str(listed)], check=True,
                       stdout=subprocess.DEVNULL)
        got = {}
        for line in listed.read_text().splitlines():
            row = json.loads(line)
            got[row["spec"], row["inner"]] = row["inner_iterations"] if row["status"] == "converged" else None
        names = {}
        for spec, _ in specs:  # as the store writes them
            names.setdefault(spec, None)
        canonical = list(dict.fromkeys(json.loads(line)["spec"] for line in listed.read_text().splitlines()))
        # The sweep stores points in any order; a spec's canonical text is asked of the program once.
        for spec in names:
            names[spec] = spec if spec in canonical else canonical_text(mantissa, spec)
        iterations = [got[names[s], p[-1]] for p, (s, _) in zip(points, specs)]
        spaces.append({"problem": space["problem"], "axes": space["axes"], "weights": [w for _, w in specs],
                       "iterations": iterations})
        print(space["problem"], len(points), "points,", sum(i is None for i in iterations), "did not converge")
    text = ",\n".join(json.dumps(s, separators=(",", ":")) for s in spaces)
    (HERE / "oracles.json").write_text('{"spaces": [\n%s\n]}\n' % text)


def canonical_text(mantissa, spec):
    done = subprocess.run([mantissa, "solve", "--problem", "poisson2d:level=3", "--spec", spec, "--max-iterations", "1",
                           "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["spec"]


if __name__ == "__main__":
    main()
