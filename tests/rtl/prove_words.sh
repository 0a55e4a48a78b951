#!/usr/bin/env bash
# Proof with yosys's SAT solver that what is simulated by words (BY_WORDS of mantissa.svh) is what is synthesised.
# usage: prove_words.sh SOURCE OPERAND_FRACTION WORD_MULTIPLIED WORD_ADDED_TO LONGEST_MULTIPLIED LONGEST_ADDED_TO DOWN
set -euo pipefail
source=$(realpath "$1"); work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
rtl=$source/rtl
read="read_verilog -sv -I$rtl"
files="$work/fx_scale.sv $rtl/fixed/fx_move.sv $source/tests/rtl/prove_move.sv"
# The registers are wires, so that one step shows all.
top="hierarchy -check -top prove_move -chparam M $2 -chparam FromW $3 -chparam OutW $4 -chparam FromMost $5 \
     -chparam OutMost $6 -chparam Down $7; proc; flatten; techmap -map $source/experiments/synthesis/no_registers.v; opt"
prove() {
  yosys -q -p "
    $read $files; $top; rename -top gold; design -stash gold
    $read -DBY_WORDS $files; $top; rename -top gate; design -stash gate
    design -copy-from gold -as gold gold; design -copy-from gate -as gate gate
    miter -equiv -flatten gold gate miter; hierarchy -top miter; opt -full
    sat -verify -prove trigger 0 -set-def-inputs -timeout 100" >"$work/log" 2>&1
}
cp "$rtl/fixed/fx_scale.sv" "$work"
if ! prove; then tail -20 "$work/log"; echo "not proved: moves by words"; exit 1; fi
sed 's/>= least;/> least;/' "$rtl/fixed/fx_scale.sv" >"$work/fx_scale.sv"
if prove; then echo "a wrong comparison was accepted, so the proof proves nothing"; exit 1; fi
grep -q "proof did fail" "$work/log" || { tail -20 "$work/log"; echo "the wrong comparison was not refuted"; exit 1; }
echo "proved: moves by words"
