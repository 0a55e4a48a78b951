#!/usr/bin/env bash
# The numerics on another processor than this one's: cross-built, and run under QEMU's user-mode emulation.
#
#     run.sh build FOLDER PROGRAM...        configures and builds the programs in FOLDER
#     run.sh run FOLDER PROGRAM [ARG...]    runs one of them
#
# Exits with 77, saying why, where there is no cross compiler, emulator or library for that processor.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
action=$1 folder=$2
shift 2

skip() { echo "skipped: $*"; exit 77; }
command -v aarch64-linux-gnu-g++ >/dev/null || skip "no aarch64-linux-gnu-g++ (package g++-aarch64-linux-gnu)"
command -v qemu-aarch64 >/dev/null || skip "no qemu-aarch64 (package qemu-user)"
[ -d /usr/src/googletest ] || skip "no /usr/src/googletest (package googletest)"
for library in fmt mpfr; do
  [ -e /usr/lib/aarch64-linux-gnu/lib$library.so ] || skip "no lib$library for arm64 (package lib$library-dev:arm64)"
done

case $action in
build)
  cmake -S "$here/project" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -DNDEBUG" \
        -DCMAKE_TOOLCHAIN_FILE="$here/aarch64.cmake" >"$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
  cmake --build "$folder" --parallel "$(nproc)" --target "$@"
  ;;
run)
  program=$1
  shift
  exec qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/bin/$program" "$@"
  ;;
*)
  echo "run.sh $action: write build or run" >&2
  exit 2
  ;;
esac
