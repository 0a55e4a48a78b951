#!/usr/bin/env python3
"""`mantissa solve --engine gpu` beside `mantissa bench gpu`, microseconds per iteration, in one run on one machine.

    native_times.py run RESULT.json --program mantissa --levels 8 13 --matrix FILE...
    native_times.py table RESULT.json

`run` solves poisson2d of each level and each matrix natively (`--format double`: with nothing given cycles would be
taken), then lets `bench gpu` time the same grids and matrices, and adds what it finds to RESULT.json (rows of the same
system are replaced). `table` prints docs/gpu.md's table.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOLERANCE = "1e-8"  # of the matrices, as bench gpu's


def solved(program, problem, *options):
    command = [program, "solve", "--problem", problem, "--engine", "gpu", "--format", "double", *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def row(name, result, bench, what, stamp):
    native = result["native"]
    ours = 1e6 * native["seconds"] / max(1, result["inner_iterations"])
    return {"system": name, "plan": native["plan"], "why": native["why"], "solve_us": ours, "bench_us": bench,
            "ratio": ours / bench, "bench_is": what, "iterations": result["inner_iterations"],
            "status": result["status"], "true_residual": result["true_residual"],
            "device_seconds": native["seconds"], "wall_seconds": result["seconds"], **stamp}


def run(program, levels, matrices):
    first, last = levels
    # Whole solves to level 12; passes alone beyond, which need no more than a few hundred.
    grids = {level: solved(program, f"poisson2d:level={level}", *(["--max-iterations", "400"] if level > 12 else []))
             for level in range(first, last + 1)}
    files = {pathlib.Path(m).stem: solved(program, f"mtx:{m}", "--tolerance", TOLERANCE) for m in matrices}
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "bench.json"
        command = [program, "bench", "gpu", "--levels", str(first), str(last), "--output", str(output)]
        # (Without --matrix the bench takes what is in $MANTISSA_DATA.)
        here = {name: value for name, value in os.environ.items() if name != "MANTISSA_DATA"}
        subprocess.run([*command, *(["--matrix", *matrices] if matrices else [])], check=True, env=here)
        bench = json.loads(output.read_text())
    stamp = {key: bench[key] for key in ("device", "driver", "date", "commit")}
    rows = []
    for level in bench["poisson"]:
        whole = [s for s in level["solves"] if s["arithmetic"] == "double"]
        passes = [p for p in level["passes"] if p["arithmetic"] == "double"]
        rows.append(row(f"poisson2d:level={level['level']}", grids[level["level"]],
                        (whole or passes[-1:])[0]["us_per_pass"], "whole solve" if whole else "passes", stamp))
    for matrix in bench["matrices"]:
        chosen = [c for c in matrix["jacobi_cg"] if c["format"] == "chosen"][0]
        rows.append(row(matrix["name"], files[matrix["name"]], 1e6 * chosen["seconds"] / chosen["iterations"],
                        "whole solve", stamp))
    return rows


def table(rows):
    yield "| system | plan | iterations | `solve`, us | `bench gpu`, us | ratio | wall, s |"
    yield "|---|---|---|---|---|---|---|"
    for r in rows:
        yield (f"| {r['system']} | {r['plan']} | {r['iterations']} | {r['solve_us']:.2f} | {r['bench_us']:.2f} | "
               f"{r['ratio']:.3f} | {r['wall_seconds']:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--program", default="mantissa")
    parser.add_argument("--levels", type=int, nargs=2, default=[8, 13])
    parser.add_argument("--matrix", nargs="*", default=[])
    given = parser.parse_args()
    document = json.loads(given.result.read_text()) if given.result.exists() else {"kind": "native", "rows": []}
    if given.what == "run":
        fresh = run(given.program, given.levels, given.matrix)
        names = {r["system"] for r in fresh}
        document["rows"] = [r for r in document["rows"] if r["system"] not in names] + fresh
        given.result.write_text(json.dumps(document, indent=1) + "\n")
    print("\n".join(table(document["rows"])))


if __name__ == "__main__":
    main()
