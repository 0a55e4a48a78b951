#!/usr/bin/env bash
# Proof with yosys's SAT solver that the carry cells of the ECP5 which synthesis puts in fx_add's place do what it does.
# usage: prove_ecp5_add.sh SOURCE
set -euo pipefail
source=$1; log=$(mktemp); trap 'rm -f "$log"' EXIT

prove() { # FILE WITH THE CARRY CELLS
  yosys -q -p "
    read_verilog -sv $source/rtl/fixed/fx_add.sv
    hierarchy -top fx_add -chparam W 9; proc; flatten; rename -top gold; design -stash gold
    read_verilog +/ecp5/cells_sim.v
    read_verilog -sv $1
    hierarchy -top fx_add -chparam W 9; proc; flatten; rename -top gate; design -stash gate
    design -copy-from gold -as gold gold; design -copy-from gate -as gate gate
    miter -equiv -flatten gold gate miter; hierarchy -top miter; opt -full
    sat -verify -prove trigger 0 -set-def-inputs -timeout 100" >"$log" 2>&1
}
if ! prove "$source/experiments/synthesis/ecp5_add.sv"; then tail -20 "$log"; echo "not proved: ecp5_add.sv"; exit 1; fi
broken=$(mktemp --suffix .sv); trap 'rm -f "$log" "$broken"' EXIT
sed "s/0110_0101_0110_1010/0110_0110_0110_1010/" "$source/experiments/synthesis/ecp5_add.sv" >"$broken"
if prove "$broken"; then echo "broken carry cells were accepted, so the proof proves nothing"; exit 1; fi
grep -q "proof did fail" "$log" || { tail -20 "$log"; echo "the broken cells were not refuted"; exit 1; }
echo "proved: ecp5_add.sv"
