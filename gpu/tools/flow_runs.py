#!/usr/bin/env python3
"""Runs `mantissa flow` over sizes of cells on the GPU, on the processor and beside LAPACK, and writes one result file.

Usage: flow_runs.py MANTISSA -o RESULT.json [--unknowns 256 512 1024 2048] [--steps 10] [--cpu]

On the GPU: 32 x 32 cells, 154 of which a step solves, with and without pivoting, in float, tf32x3 and double. With --cpu
also the processor: `mantissa flow` on 2 x 2 cells, and LAPACK's gesv on a cell's float matrix, through NumPy where it is
here, with all cores on one matrix at a time. Shapes: gpu/results/README.md.
"""
import argparse
import datetime
import json
import subprocess
import sys
import time


def run(program, *options):
    command = [program, "flow", "--json", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    print(
        f"N {result['unknowns']:5d} {result['arithmetic']:7s} pivot {result['pivot']!s:5s} {result['where']}: "
        f"{1e3 * result['seconds_per_step']['total']:.3f} ms a step, {1e6 * result['seconds_per_cell']:.1f} us a cell"
    )
    return result


def lapack_seconds(unknowns):
    """Of one gesv in float with one right-hand side, the median of five; None without NumPy. A dense dominant matrix:
    the time does not depend on the values."""
    try:
        import numpy
    except ImportError:
        return None
    generator = numpy.random.default_rng(1)
    a = generator.uniform(-0.5, 0.5, (unknowns, unknowns)).astype(numpy.float32)
    a += unknowns * numpy.eye(unknowns, dtype=numpy.float32)
    b = numpy.ones(unknowns, dtype=numpy.float32)
    seconds = []
    for _ in range(6):
        start = time.perf_counter()
        numpy.linalg.solve(a, b)
        seconds.append(time.perf_counter() - start)
    return sorted(seconds[1:])[2]


def driver():
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--unknowns", type=int, nargs="+", default=[256, 512, 1024, 2048])
    parser.add_argument("--points", type=int, default=64, help="on each circle")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--cpu", action="store_true", help="the processor and LAPACK as well")
    args = parser.parse_args()
    runs, lapack = [], []
    for unknowns in args.unknowns:
        size = ["--unknowns", unknowns, "--bubbles", max(1, unknowns // args.points), "--steps", args.steps]
        for precision in ("float", "tf32x3", "double"):
            for pivot in ([], ["--pivot"]):
                runs.append(run(args.program, "--device", "gpu", "--precision", precision, *size, *pivot))
        if args.cpu:
            small = ["--cells", "2x2", "--refreshed", "1", "--steps", "1"]
            runs.append(run(args.program, "--precision", "float", *size[:4], *small))
            seconds = lapack_seconds(unknowns)
            if seconds is not None:
                lapack.append({"unknowns": unknowns, "arithmetic": "float", "seconds_per_cell": seconds})
                print(f"N {unknowns:5d} LAPACK gesv: {1e6 * seconds:.1f} us a cell")
    result = {
        "kind": "bubbly_flow",
        "device": runs[0]["where"],
        "driver": driver(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": runs[0]["commit"],
        "command": f"gpu/tools/flow_runs.py --steps {args.steps}" + (" --cpu" if args.cpu else ""),
        "runs": runs,
        "lapack": lapack,
    }
    with open(args.output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
