#!/usr/bin/env bash
# Everything from a fresh Debian 12 machine to the main job: installs what is missing, builds, and solves a Poisson
# problem to double-precision accuracy in several reduced formats, the paper's iteration counts beside ours.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

need "${BUILD_PACKAGES[@]}"
build -DMANTISSA_TESTS=OFF -DMANTISSA_BENCHMARKS=OFF -- mantissa

say "one solve: 17 fraction bits inside, double outside"
build/bin/mantissa solve --problem poisson2d:level=8 --scheme residual-guided --inner 10 --format s17e8 --engine emulated
say "the paper's Table 4 at level 8, cell by cell"
build/bin/mantissa reproduce table4 --levels 8
say "a precision sweep: which bits matter (kept in build/quickstart.db; run again and it resumes)"
build/bin/mantissa sweep experiments/quickstart.toml --store build/quickstart.db --csv build/quickstart.csv
experiments/iterations.py build/quickstart.csv
say "done. Next: build/bin/mantissa --help, README.md and docs/which_bits.md"
