#!/usr/bin/env bash
# The tests on a fresh Debian 12 machine: installs what is missing, builds, runs CTest.
# usage: ./test.sh [--all] [OPTION OF CTEST...]
# --all runs those with label long too: what shorter ones see as well, at sizes that take minutes; and judges operations on
# four times as many operands.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

need "${BUILD_PACKAGES[@]}" "${RTL_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
need_arm64 "${CROSS_PACKAGES[@]}"
chosen=(--label-exclude '^long$')
if [ "${1:-}" = --all ]; then
  chosen=()
  shift
else
  # A quarter of a million operands for each operation, class and rounding, of the million.
  export MANTISSA_JUDGE_BLOCKS="${MANTISSA_JUDGE_BLOCKS:-62}"
  # Models that run for seconds (docs.tutorial has them as users do).
  export MANTISSA_MODEL_FLAGS="${MANTISSA_MODEL_FLAGS:--O1}"
fi
python_packages tests/requirements.txt
build $(quick_kernels) -DMANTISSA_CUDA=ON -DMANTISSA_TESTS=ON -DMANTISSA_BENCHMARKS=ON
say "testing"
rm -f build/tests.xml
failed=0
ctest --test-dir build --parallel "$(nproc)" --output-on-failure --output-junit "$PWD/build/tests.xml" "${chosen[@]}" "$@" || failed=$?
times >build/processor_times.txt # (in a subshell it would see that one's alone)
say "processor time of the build and the tests, user and system: $(tail -n 1 build/processor_times.txt)"
[ ! -s build/tests.xml ] || python3 tests/summary.py build/tests.xml
exit $failed
