#!/usr/bin/env bash
# Proof with yosys's SAT solver that shifts in hard blocks (fx_blocks) are those of the ring (fx_scale), for every product and word
# added to, position by position from the least at which a product may fit to the highest.
# usage: prove_blocks.sh SOURCE WORD_MULTIPLIED WORD_ADDED_TO LONGEST_MULTIPLIED LONGEST_ADDED_TO NEGATE
set -euo pipefail
source=$(realpath "$1"); from=$2 out=$3 from_most=$4 out_most=$5 negate=$6
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
rtl=$source/rtl
cp "$rtl/fixed/fx_blocks.sv" "$work"
base=$((out_most / 2)) least=$(( -((out - 15) / 2) ))
# The registers are wires, so that one step shows all.
read="read_verilog -sv -DLEAN_LANES -I$rtl $work/fx_blocks.sv $rtl/fixed/fx_move.sv $rtl/fixed/fx_scale.sv $rtl/fixed/fx_term.sv $rtl/fixed/fx_add.sv \
  $rtl/operators/sig_mul_tile.sv $source/tests/rtl/prove_blocks.sv"
prove() { # POSITIONS
  for position in "$@"; do
    for blocks in 0 1; do
      echo "design -reset
        $read
        hierarchy -check -top prove_blocks -chparam FromW $from -chparam OutW $out -chparam FromMost $from_most \
          -chparam OutMost $out_most -chparam Negate $negate -chparam Position $position -chparam Blocks $blocks
        proc; flatten; techmap -map $source/experiments/synthesis/no_registers.v; opt -full
        rename -top side$blocks; design -save side$blocks"
    done
    echo "design -reset; design -copy-from side0 -as side0 side0; design -copy-from side1 -as side1 side1
      miter -equiv -flatten side0 side1 miter; hierarchy -top miter; opt -full
      sat -verify -prove trigger 0 -set-def-inputs -timeout 100"
  done >"$work/run.ys"
  yosys -q "$work/run.ys" >"$work/log" 2>&1
}
# shellcheck disable=SC2046
if ! prove $(seq $((base + least)) $((base + 17))); then tail -20 "$work/log"; echo "not proved: shifts in blocks"; exit 1; fi
# A shift by 16 has its half in the low product.
sed -i 's/high\[15\] | low\[31\]/high[15]/' "$work/fx_blocks.sv"
if prove $((base + 8)); then echo "a lost half was accepted, so the proof proves nothing"; exit 1; fi
grep -q "proof did fail" "$work/log" || { tail -20 "$work/log"; echo "the lost half was not refuted"; exit 1; }
echo "proved: shifts in blocks"
