#!/usr/bin/env bash
# std_format.sh SOURCE INCLUDE-FOLDER BUILD-FOLDER COMPILER: compiles and runs SOURCE with the first compiler here that has
# std::format, COMPILER or clang with libc++. Exits with 77, saying so, where none has.
set -euo pipefail
source=$1 include=$2 folder=$3
shift 3
try() { # COMPILER OPTION...
  command -v "$1" >/dev/null || return 1
  printf '#include <version>\n#ifndef __cpp_lib_format\n#error none\n#endif\n' |
    "$@" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null || return 1
  echo "with $*"
  "$@" -std=c++20 -ffp-contract=off -I "$include" "$source" -o "$folder/std_format_test" || exit 1
  "$folder/std_format_test" || exit 1
  exit 0
}
try "$1" || true
for clang in clang++ clang++-{21..17}; do try "$clang" -stdlib=libc++ || true; done
echo "skipped: no compiler here has std::format (GCC 13, or clang 17 with libc++)"
exit 77
