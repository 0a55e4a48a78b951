#!/usr/bin/env python3
"""Netlists of operators, from which mt.area() takes its figures.

    experiments/tune/operators.py run MANTISSA STORE     # synthesise them; what is stored is not run again
    experiments/tune/operators.py keep MANTISSA STORE    # python/mantissa/operators.json
"""
import json
import subprocess
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "python/mantissa/operators.json"
OPERATORS = ["add", "mul"]
TARGETS = ["xcup"]
SPECS = [f"s{f}e8" for f in (5, 8, 11, 14, 17, 20, 23)]


def main():
    what, mantissa, store = sys.argv[1:] if len(sys.argv) == 4 else sys.exit(__doc__)
    command = [mantissa, "synthesize", "--store", store, "--json"]
    for flag, values in (("--spec", SPECS), ("--operator", OPERATORS), ("--target", TARGETS)):
        for value in values:
            command += [flag, value]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    if what == "keep":
        fields = {"operator": "part", "format": "spec", "target": "target", "multiplier": "multiplier", "luts": "luts",
                  "memory_luts": "memory_luts", "flip_flops": "flip_flops", "multipliers": "multipliers",
                  "slices": "slices_estimate", "clock_mhz": "clock_mhz", "tool": "tool"}
        rows = [{k: row[v] for k, v in fields.items()} for row in json.loads(done.stdout)]
        TABLE.write_text('{"operators": [\n%s\n]}\n' % ",\n".join("  " + json.dumps(r) for r in rows))


if __name__ == "__main__":
    main()
