#!/usr/bin/env bash
# Runs the core under Icarus against the emulated engine's bits.
# usage: icarus.sh RTL_FOLDER VECTORS_PROGRAM SPEC ROW ROWS PASSES PARAMETER=VALUE... [-DMACRO...]
set -euo pipefail
rtl=$(realpath "$1"); program=$(realpath "$2"); here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
parameters=(); macros=()
for word in "${@:7}"; do if [[ $word == -D* ]]; then macros+=("$word"); else parameters+=("$word"); fi; done
"$program" "$3" "$4" "$5" "$6" "$work" "${parameters[@]}"
cd "$work"
# "sorry: constant selects" only says that a sensitivity list is wider than it need be.
iverilog -g2012 "${macros[@]}" -I"$rtl" -I. $(cat defines.txt) -s core_icarus_tb -o tb.vvp \
  "$rtl"/operators/*.sv "$rtl"/core/*.sv "$rtl"/fixed/*.sv "$here/core_icarus_tb.sv" 2>&1 | { grep -v 'sorry: constant selects' || true; }
vvp -n tb.vvp | tee out.txt
grep -q '^PASSED' out.txt
