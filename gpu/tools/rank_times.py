"""CG in double over processes with a GPU each: times of an iteration, and whether bits are those of processors.

    rank_times.py RESULT.json --program mantissa [--mpirun "mpirun -np 2"] [--times PROBLEM...] [--bits PROBLEM...]

A problem is SCHEME:PROBLEM, as direct:poisson2d:level=11 or jacobi-pcg:mtx:FILE. The times are differences of whole
solves with two limits of iterations, so that reading and loading drop out. --bits compares the solution file, the
iterations and the true residual of each solve with those of `--parts 1 --engine emulated`. Writes one JSON object; ends
with exit code 1 where bits differ.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WAYS = {"one": ["--engine", "gpu", "--parts", "1"], "nccl": ["--engine", "gpu", "--exchange", "nccl"],
        "mpi": ["--engine", "gpu", "--exchange", "mpi"]}


def solve(arguments, way, problem, more):
    """The answer of one solve, and the command that gave it."""
    scheme, name = problem.split(":", 1)
    ranks = arguments.mpirun.split() if way in ("nccl", "mpi") else []
    command = ranks + [arguments.program, "solve", "--json", "--format", "double", "--scheme", scheme, "--problem", name]
    command += WAYS.get(way, ["--parts", "1"]) + more
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):  # (1: the limit of iterations came first)
        sys.exit(f"rank_times.py: {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def times(arguments, problem):
    """Microseconds of an iteration, each way: the least difference of some pairs of solves."""
    entry = {"problem": problem, "limits": arguments.limits, "repeats": arguments.repeats}
    for way in WAYS:
        low, high = ([] for _ in range(2))
        for _ in range(arguments.repeats):
            for limit, seconds in zip(arguments.limits, (low, high)):
                answer = solve(arguments, way, problem, ["--tolerance", "1e-300", "--max-iterations", str(limit)])
                if answer["inner_iterations"] != limit:
                    sys.exit(f"rank_times.py: {problem}: ended after {answer['inner_iterations']} iterations")
                seconds.append(answer["seconds"])
                entry["unknowns"] = answer["unknowns"]
        steps = arguments.limits[1] - arguments.limits[0]
        entry[f"{way}_us"] = round(1e6 * (min(high) - min(low)) / steps, 2)
    return entry


def numbers(path):
    """The solution file without its comments, which name the command."""
    return [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith("%")]


def bits(arguments, problem):
    """Whether each way has the bits of one process without a GPU."""
    entry = {"problem": problem}
    with tempfile.TemporaryDirectory() as folder:
        answers = {}
        for way in ["processor", *WAYS]:
            path = f"{folder}/{way}.mtx"
            answer = solve(arguments, way, problem, ["--solution", path])
            answers[way] = (answer["status"], answer["inner_iterations"], answer["true_residual"], numbers(path))
    entry["status"], entry["iterations"], entry["true_residual"], _ = answers["processor"]
    entry["same_bits"] = all(answer == answers["processor"] for answer in answers.values())
    return entry


def device():
    """Names and driver of the GPUs."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    lines = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()
    names = [line.split(",")[0].strip() for line in lines]
    return names, lines[0].split(",")[1].strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result")
    parser.add_argument("--program", default="mantissa")
    parser.add_argument("--mpirun", default="mpirun -np 2")
    parser.add_argument("--times", nargs="*", default=[])
    parser.add_argument("--bits", nargs="*", default=[])
    parser.add_argument("--limits", nargs=2, type=int, default=[1000, 6000])
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    names, driver = device()
    result = {"device": names[0], "driver": driver, "kind": "rank_gpus", "gpus": len(names), "hosts": 1,
              "command": "rank_times.py " + " ".join(sys.argv[1:]),
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
              "commit": os.environ.get("COMMIT", ""), "times": [], "bits": []}
    for problem in arguments.times:
        result["times"].append(times(arguments, problem))
        print(json.dumps(result["times"][-1]), flush=True)
    for problem in arguments.bits:
        result["bits"].append(bits(arguments, problem))
        print(json.dumps(result["bits"][-1]), flush=True)
        pathlib.Path(arguments.result).write_text(json.dumps(result, indent=2) + "\n")
    pathlib.Path(arguments.result).write_text(json.dumps(result, indent=2) + "\n")
    return 0 if all(entry["same_bits"] for entry in result["bits"]) else 1


if __name__ == "__main__":
    sys.exit(main())
