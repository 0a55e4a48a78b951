#!/usr/bin/env bash
# Proofs with yosys's SAT solver that the integer core's row of a constant stencil loses nothing, at full width.
# usage: prove_rows.sh RTL_FOLDER PW QW SHIFT DOWN
set -euo pipefail
rtl=$1 pw=$2 qw=$3 shift_by=$4 down=$5; here=$(cd "$(dirname "$0")" && pwd)
log=$(mktemp); trap 'rm -f "$log"' EXIT

prove() { # BROKEN
  yosys -q -p "
    read_verilog -sv -I$rtl $rtl/operators/delay.sv $rtl/operators/mod3_residue.sv $rtl/operators/mod3_sum.sv $rtl/fixed/fx_add.sv \
      $rtl/fixed/fx_cut.sv $rtl/fixed/fx_terms.sv $rtl/fixed/fx_weighted.sv $rtl/fixed/fx_row_stencil.sv $here/prove_row.sv
    hierarchy -check -top prove_row -chparam PW $pw -chparam QW $qw -chparam RowShift $shift_by -chparam QDown $down \
      -chparam Broken $1
    proc; flatten; opt -full
    sat -verify -prove same 1 -seq 8 -prove-skip 7 -set-def-inputs -timeout 250" >"$log" 2>&1
}
if ! prove 0; then tail -30 "$log"; echo "not proved: rows of fx$pw into fx$qw, shift $shift_by"; exit 1; fi
if prove 1; then echo "the broken reference was accepted, so the proof proves nothing"; exit 1; fi
grep -q "proof did fail" "$log" || { tail -30 "$log"; echo "the broken reference was not refuted"; exit 1; }
echo "proved: rows of fx$pw into fx$qw, shift $shift_by, down $down"
