# Sourced by quickstart.sh and test.sh: installs what is missing, configures and builds. Quick when nothing is missing.
# Debian 12; as root or with sudo.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

BUILD_PACKAGES=(g++ cmake ninja-build ccache pkg-config git python3
                libfmt-dev libboost1.81-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libsqlite3-dev zlib1g-dev libmetis-dev libjs-vega)
RTL_PACKAGES=(verilator iverilog yosys make zlib1g-dev libsystemc-dev python3-venv)
TEST_PACKAGES=(libgtest-dev libmpfr-dev liblapack-dev libbenchmark-dev libeigen3-dev chromium libpython3.11
               libopenmpi-dev openmpi-bin clang-tidy python3-dev doxygen debootstrap)
CROSS_PACKAGES=(g++-aarch64-linux-gnu qemu-user googletest libfmt-dev:arm64 libmpfr-dev:arm64)

say() { printf '== %s\n' "$*" >&2; }

# need PACKAGE...: installs those that dpkg does not list as installed.
need() {
  local missing=() p
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "packages are missing (${missing[*]}) and there is neither root nor sudo: install them and run again" >&2; exit 2; }
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# need_arm64 PACKAGE...: for the tests that are cross-built for 64-bit Arm, packages of this machine and, with :arm64, of
# that one. Where they cannot be had (no root, a mirror without arm64), it says so, leaves apt as it was, and those tests
# skip.
need_arm64() {
  local p missing=() as_root=() added=no
  for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  if ! dpkg --print-foreign-architectures | grep -qx arm64; then
    "${as_root[@]}" dpkg --add-architecture arm64 && added=yes
  fi
  if "${as_root[@]}" apt-get update -qq &&
     "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
    return 0
  fi
  say "no packages for arm64 here: the tests that are cross-built for it will be skipped"
  if [ $added = yes ]; then "${as_root[@]}" dpkg --remove-architecture arm64 && "${as_root[@]}" apt-get update -qq || true; fi
}

# python_packages FILE: installs what FILE lists from PyPI into .venv, once a version of FILE. Without a network the tests
# that want them skip.
python_packages() {
  cmp -s "$1" .venv/installed.txt && return 0
  say "installing Python packages into .venv"
  if python3 -m venv .venv && .venv/bin/pip install -q --disable-pip-version-check -r "$1"; then
    cp "$1" .venv/installed.txt
  else
    say "PyPI cannot be reached: the tests that want $1 will be skipped"
  fi
}

# without_kernels: for quickstart.sh in a new build folder without a GPU: kernels, half of the compiler's work, would
# never run there.
without_kernels() {
  [ -e build/CMakeCache.txt ] || [ -e /dev/nvidiactl ] || echo -DMANTISSA_CUDA=OFF
}

# quick_kernels: for test.sh in a build folder that has no kernels yet, without a GPU: they are compiled and never run.
quick_kernels() {
  [ -e /dev/nvidiactl ] || grep -qs '^MANTISSA_CUDA:BOOL=ON' build/CMakeCache.txt || echo -DMANTISSA_QUICK_CUDA=ON
}

# build CMAKE_OPTION... -- TARGET...
build() {
  local options=()
  # A new folder is built whole: several sources a unit. One that is there keeps what it was configured with.
  [ -e build/CMakeCache.txt ] || options+=(-DMANTISSA_LARGE_UNITS=ON)
  # Where a GPU runs the kernels they are compiled in full, also in a folder that was made without one.
  [ -e /dev/nvidiactl ] && options+=(-DMANTISSA_CUDA=ON -DMANTISSA_QUICK_CUDA=OFF)
  while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
  [ $# -gt 0 ] && shift
  say "building (the first time takes a few minutes)"
  case " ${options[*]} " in
    *" -DMANTISSA_CUDA=OFF "*) say "no GPU here, so no CUDA kernels: cmake build -DMANTISSA_CUDA=ON builds them" ;;
  esac
  # Names of files in the compiler's cache begin here: what the tests build of the same sources elsewhere is in it too.
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}"
  cmake --preset default "${options[@]}" >build.log 2>&1 || { cat build.log >&2; rm -f build.log; echo "configuring failed, see above" >&2; exit 1; }
  rm -f build.log
  cmake --build build --parallel "$(nproc)" ${1:+--target "$@"} >&2
}
