#!/usr/bin/env bash
# Proof with yosys's SAT solver that the cells of the ECP5 which synthesis puts in a module's place do what it does.
# usage: prove_ecp5.sh SOURCE MODULE CELLS RIGHT WRONG [PARAMETER VALUE]: rtl/fixed/MODULE.sv and experiments/synthesis/CELLS.sv; with WRONG for RIGHT,
# the contents of a LUT, the latter must be refuted. A parameter is one that there is with LEAN_LANES
set -euo pipefail
source=$1; module=$2; cells=$source/experiments/synthesis/$3.sv
parameter=${6:+-chparam $6 $7} define=${6:+-DLEAN_LANES}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; log=$work/log

prove() { # FILE WITH THE CELLS
  yosys -q -p "
    read_verilog -sv $define $source/rtl/fixed/$module.sv
    hierarchy -top $module -chparam W 9 $parameter; proc; flatten; rename -top gold; design -stash gold
    read_verilog +/ecp5/cells_sim.v
    read_verilog -sv $define $1
    hierarchy -top $module -chparam W 9 $parameter; proc; flatten; rename -top gate; design -stash gate
    design -copy-from gold -as gold gold; design -copy-from gate -as gate gate
    miter -equiv -flatten gold gate miter; hierarchy -top miter; opt -full
    sat -verify -prove trigger 0 -set-def-inputs -timeout 100" >"$log" 2>&1
}
if ! prove "$cells"; then tail -20 "$log"; echo "not proved: $3.sv"; exit 1; fi
sed "s/$4/$5/" "$cells" >"$work/broken.sv"
if prove "$work/broken.sv"; then echo "broken cells were accepted, so the proof proves nothing"; exit 1; fi
grep -q "proof did fail" "$log" || { tail -20 "$log"; echo "the broken cells were not refuted"; exit 1; }
echo "proved: $3.sv"
