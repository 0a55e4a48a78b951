#!/usr/bin/env bash
# Everything from a fresh Debian 12 machine to the main job in some eight minutes of two cores: installs what is
# missing, builds, solves a Poisson problem to double-precision accuracy in several reduced formats, simulates the
# hardware core, synthesises it, compares the designs, and writes a report.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

need "${BUILD_PACKAGES[@]}" "${RTL_PACKAGES[@]}"
build $(without_kernels) -DMANTISSA_TESTS=OFF -DMANTISSA_BENCHMARKS=OFF -- mantissa
results=build/quickstart.sqlite # run again and all of this resumes

say "one solve: 17 fraction bits inside, double outside"
build/bin/mantissa solve --problem poisson2d:level=8 --scheme residual-guided --inner 10 --format s17e8 --engine emulated
say "the paper's Table 4 at level 8, cell by cell"
build/bin/mantissa reproduce table4 --levels 8 --store "$results"
say "a precision sweep: which bits matter"
build/bin/mantissa sweep experiments/quickstart.toml --store "$results" --csv build/quickstart.csv
experiments/iterations.py build/quickstart.csv
say "a comparison: four formats, two devices, three cores synthesised (the first time takes some minutes) and three kept"
build/bin/mantissa compare experiments/quickstart_compare.toml --store "$results"
say "the report, and what it finds"
build/bin/mantissa report "$results" -o build/report.html
say "done: open build/report.html. Next: build/bin/mantissa --help, README.md and docs/"
