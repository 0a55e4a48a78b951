#!/usr/bin/env bash
# A whole solve of a small cycle core in Icarus, four-state: the RTL, or what yosys makes of it in cells of the xc2v.
# usage: icarus.sh SOURCE VECTORS_PROGRAM rtl|netlist LEVEL LANES [CHECKS]
set -euo pipefail
source=$(realpath "$1"); vectors=$(realpath "$2"); what=$3; level=$4; lanes=$5 checks=${6:-0}
here=$(cd "$(dirname "$0")" && pwd); rtl=$source/rtl; recipe=$source/experiments/synthesis
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
"$vectors" b2,w=10 "$level" vectors.hex
sources=("$rtl"/operators/delay.sv "$rtl"/operators/sig_mul_tile.sv "$rtl"/fixed/fx_weighted.sv "$rtl"/fixed/fx_terms.sv "$rtl"/fixed/resident/fx_shift.sv
         "$rtl"/fixed/resident/fx_place.sv "$rtl"/core/axil_words.sv "$rtl"/operators/mod3_*.sv "$rtl"/cycle/*.sv)
if [ "$what" = netlist ]; then
  cat > run.ys <<END
read_verilog -sv -DSYNTHESIS -I$rtl -I$rtl/cycle ${sources[*]}
chparam -set Checks $checks -set Lanes $lanes -set MaxLevel $level -set StoredLevel $level fx_cycle
hierarchy -check -top fx_cycle
proc
flatten
opt
wreduce
techmap -map $recipe/add_to_alu.v
opt
simplemap t:\$dff t:\$dffe
xilinx_srl -fixed -minlen 3
techmap -map $recipe/shift_registers.v
synth_xilinx -family xc2v -noiopad -flatten -top fx_cycle
check -assert
write_verilog -noattr netlist.v
END
  yosys -q run.ys > yosys.log 2>&1 || { tail -20 yosys.log; exit 1; }
  cells=$(dirname "$(realpath "$(command -v yosys)")")/../share/yosys/xilinx/cells_sim.v
  sources=(-DNETLIST netlist.v "$cells" "$here/../xc2v_block_ram.v")
fi
iverilog -g2012 -I"$rtl" -I"$rtl/cycle" -DLEVEL="$level" -DLANES="$lanes" -DCHECKS="$checks" -s cycle_icarus_tb -o tb.vvp "${sources[@]}" "$here/cycle_icarus_tb.sv" 2>&1 |
  { grep -v 'sorry: constant selects' || true; }
vvp -n tb.vvp | tee out.txt
grep -q '^PASSED' out.txt
