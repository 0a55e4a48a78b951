#!/usr/bin/env bash
# All tests on a fresh Debian 12 machine: installs what is missing, builds, runs CTest.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

need "${BUILD_PACKAGES[@]}" "${RTL_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
need_arm64 "${CROSS_PACKAGES[@]}"
python_packages tests/requirements.txt
build $(quick_kernels) -DMANTISSA_CUDA=ON -DMANTISSA_TESTS=ON -DMANTISSA_BENCHMARKS=ON
say "testing"
ctest --test-dir build --parallel "$(nproc)" --output-on-failure "$@"
