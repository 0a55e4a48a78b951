#!/usr/bin/env bash
# Simulates what yosys makes of a part of the core, cells of the xc2v, against the RTL (an operator) or the emulated
# engine's bits (the core).
# usage: netlist.sh SOURCE RECIPE_PROGRAM SPEC MULTIPLIER PART CLOCKS RESULTS
#        netlist.sh SOURCE RECIPE_PROGRAM SPEC MULTIPLIER core VECTORS_PROGRAM ROW ROWS PASSES
set -euo pipefail
source=$(realpath "$1"); recipe=$(realpath "$2"); spec=$3 multiplier=$4 part=$5; shift 5
here=$(cd "$(dirname "$0")" && pwd); rtl=$source/rtl
[ "$part" = core ] && vectors=$(realpath "$1")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$recipe" "$source" "$spec" xc2v "$multiplier" "$part" "$work"
cd "$work"
yosys -q run.ys >yosys.log 2>&1 || { tail -20 yosys.log; exit 1; }
cells=$(dirname "$(realpath "$(command -v yosys)")")/../share/yosys/xilinx/cells_sim.v # the models of the cells
if [ "$part" = core ]; then
  "$vectors" "$spec" "$2" "$3" "$4" "$work"
  iverilog -g2012 -I"$rtl" -I. $(cat defines.txt) -DNETLIST -s core_icarus_tb -o tb.vvp \
    netlist.v "$cells" "$here/xc2v_block_ram.v" "$here/core_icarus_tb.sv"
else
  wrapper=()
  [ "$part" = fixed-accumulate ] && wrapper=("$source/experiments/synthesis/fixed_accumulator.sv")
  iverilog -g2012 -I"$rtl" -I. $(cat operator.txt) -DCLOCKS="$1" -DRESULTS="$2" -s netlist_tb -o tb.vvp \
    netlist.v "$cells" "$here/xc2v_block_ram.v" "$rtl"/operators/*.sv "${wrapper[@]}" "$here/netlist_tb.sv" 2>&1 |
    { grep -v 'sorry: constant selects' || true; }
fi
vvp -n tb.vvp | tee out.txt
grep -q '^PASSED' out.txt
