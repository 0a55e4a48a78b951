#!/bin/sh
# Proof with yosys's SAT solver that what synthesis for UltraScale+ puts in sp_pick's place chooses the same word.
# prove_pick.sh YOSYS RTL RECIPE LOG: of 2^LOG words of two bits.
set -eu
out=$("$1" -q -Q -p "
  read_verilog -sv $2/sparse/sp_pick.sv
  chparam -set W 2 -set Log $4 sp_pick
  hierarchy -top sp_pick; proc; opt; rename -top gold; design -stash gold
  read_verilog +/xilinx/cells_sim.v
  read_verilog -sv -overwrite $3/xcup_pick.sv
  chparam -set W 2 -set Log $4 sp_pick
  hierarchy -top sp_pick; proc; flatten; opt; rename -top gate; design -stash gate
  design -copy-from gold -as gold gold
  design -copy-from gate -as gate gate
  miter -equiv -flatten -make_outputs gold gate miter
  hierarchy -top miter
  tee -a /dev/stdout sat -verify -prove trigger 0 miter" 2>&1) || { echo "$out"; exit 1; }
case $out in *SUCCESS*) echo "proved for 2^$4 words" ;; *) echo "$out"; exit 1 ;; esac
