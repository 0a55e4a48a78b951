#!/usr/bin/env bash
# The ECP5's block memories that synthesis puts in ram_words' place do what it does, simulated by Icarus; and blocks without
# their output register do not.
# usage: ecp5_ram.sh SOURCE
set -euo pipefail
source=$1; here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
sed 's/^module ram_words/module ram_blocks/' "$source/experiments/synthesis/ecp5_ram.sv" >"$work/blocks.sv"
sed 's/"OUTREG"/"NOREG"/' "$work/blocks.sv" >"$work/broken.sv"

run() { # FILE W ADDRW
  iverilog -g2012 -o "$work/run" -P "ecp5_ram_tb.W=$2" -P "ecp5_ram_tb.AddrW=$3" -s ecp5_ram_tb "$here/ecp5_ram_tb.sv" \
    "$source/rtl/core/ram_words.sv" "$1" && vvp -n "$work/run"
}
for shape in "36 10" "40 10" "20 11" "9 12" "5 13" "36 8"; do
  # shellcheck disable=SC2086
  run "$work/blocks.sv" $shape
done
if run "$work/broken.sv" 36 10; then echo "blocks without their register were accepted"; exit 1; fi
echo "blocks without their register are found"
