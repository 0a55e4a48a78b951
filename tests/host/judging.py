"""What the judges of verdicts share: the command line, systems side by side, and the counts at the end."""
import argparse
import os
from concurrent.futures import ThreadPoolExecutor


def run(judge, description, systems, fewest_converged):
    """judge(program, seed) gives the faults, statuses and refusals of one system. fewest_converged(systems): below that the
    answers say little. The exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--systems", type=int, default=systems)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    faults, statuses, refused = [], [], 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for found, seen, no in pool.map(lambda k: judge(given.program, given.seed * 1000003 + k), range(given.systems)):
            faults += found
            statuses += seen
            refused += no
    for fault in faults:
        print("wrong:", fault)
    counts = ", ".join(f"{statuses.count(s)} {s}" for s in sorted(set(statuses)))
    print(f"{given.systems} systems, {len(statuses)} answers ({counts}), {refused} refused, {len(faults)} wrong")
    if statuses.count("converged") < fewest_converged(given.systems):
        print("too few converged for these systems to say much")
        return 1
    return 1 if faults else 0
