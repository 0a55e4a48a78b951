#!/usr/bin/env bash
# Proofs with yosys's SAT solver: the pipelined adder against its definition, at full size.
# usage: prove.sh RTL_FOLDER PROOF [E M RNE]...
set -euo pipefail
rtl=$1; here=$(cd "$(dirname "$0")" && pwd); shift
while [ $# -gt 0 ]; do
  top=$1 e=$2 m=$3 rne=$4; shift 4
  start=$(date +%s.%N)
  if ! yosys -q -p "
    read_verilog -sv -I$rtl $rtl/operators/fp_*.sv $rtl/operators/sig_*.sv $rtl/operators/sum_tree.sv $here/$top.sv
    hierarchy -check -top $top -chparam E $e -chparam M $m -chparam Rne $rne
    proc; flatten; opt -full; dffunmap; techmap -map $here/open_registers.v; opt -full; select -assert-none t:*dff*
    sat -verify -prove same 1 -set-def-inputs -timeout 250" >/tmp/prove.$$.log 2>&1; then
    tail -30 /tmp/prove.$$.log; rm -f /tmp/prove.$$.log
    echo "not proved: $top s${m}e${e} Rne=$rne"; exit 1
  fi
  rm -f /tmp/prove.$$.log
  printf 'proved: %s s%de%d Rne=%d in %.1f s\n' "$top" "$m" "$e" "$rne" "$(echo "$(date +%s.%N) - $start" | bc)"
done
