#!/usr/bin/env bash
# What a core's registers read after a reset, with X shown.
# usage: reset.sh RTL_FOLDER TOP
set -euo pipefail
rtl=$1 top=$2; here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
macros=(-DTOP="$top" -DINTEGER=1)
[ "$top" = pcg_core_axis ] && macros=(-DTOP="$top" -DINTEGER=0)
[ "$top" = fx_resident_axis ] && macros+=(-DRESIDENT)
[ "$top" = sp_core_axis ] && macros+=(-DSPARSE)
iverilog -g2012 "${macros[@]}" -I"$rtl" -I"$rtl/sparse" -I"$rtl/cycle" -s reset_tb -o "$work/tb" "$rtl"/operators/*.sv "$rtl"/core/*.sv \
  "$rtl"/fixed/*.sv "$rtl"/fixed/resident/*.sv "$rtl"/sparse/*.sv "$rtl"/cycle/*.sv "$rtl"/axis/*.sv "$here/reset_tb.sv" 2>&1 |
  { grep -v 'sorry: constant selects\|warning' || true; }
vvp -n "$work/tb"
