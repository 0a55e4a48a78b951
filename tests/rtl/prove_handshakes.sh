#!/usr/bin/env bash
# Proofs with yosys's SAT solver that the core's handshakes keep AXI's rules, and that a core that breaks them is found.
# usage: prove_handshakes.sh RTL_FOLDER PROOF CLOCKS
# CLOCKS 0: for ever, by induction; else from reset on for that many clocks.
set -euo pipefail
rtl=$1 top=$2 clocks=$3; here=$(cd "$(dirname "$0")" && pwd)
log=$(mktemp); trap 'rm -f "$log" "$log.out"' EXIT

prove() { # SHADOW BROKEN SAT_OPTION...
  local shadow=$1 broken=$2; shift 2
  yosys -q -p "
    read_verilog -formal -sv -I$rtl $rtl/core/lock_step.sv $rtl/core/stream_in.sv $rtl/core/stream_out.sv \
      $rtl/core/core_control.sv $rtl/core/core_regs.sv $rtl/core/axil_words.sv $rtl/core/row_remainder.sv $rtl/fixed/fx_cores_axil.sv \
      $rtl/fixed/resident/fx_resident_regs.sv $rtl/fixed/resident/fx_send.sv $rtl/check/*.sv $here/$top.sv
    hierarchy -check -top $top -chparam Shadow $shadow -chparam Broken $broken
    proc; flatten; opt -full; opt_clean; select -assert-any t:\$assert
    tee -o $log sat -verify $* -prove-asserts -set-assumes -timeout 250 $top" >"$log.out" 2>&1
}
if [ "$clocks" = 0 ]; then how=(-tempinduct -seq 1 -maxsteps 12) shadow=0
else how=(-tempinduct -tempinduct-baseonly -seq 1 -maxsteps "$clocks") shadow=1; fi
if ! prove "$shadow" 0 "${how[@]}"; then
  tail -40 "$log.out"; echo "not proved: $top"; exit 1
fi
if prove "$shadow" 1 "${how[@]}"; then
  echo "$top: the broken form was accepted, so the proof proves nothing"; exit 1
fi
grep -q "model found for base case: FAIL" "$log" || { tail -40 "$log.out"; echo "$top: the broken form was not refuted"; exit 1; }
if [ "$clocks" = 0 ]; then echo "proved: $top, for ever"; else echo "proved: $top, for $clocks clocks"; fi
