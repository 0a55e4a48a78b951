#!/usr/bin/env bash
# gather_rules speaks at every beat that reads a port twice, and at no other.
# usage: gather_rules.sh RTL_FOLDER
set -euo pipefail
rtl=$1; here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
iverilog -g2012 -o "$work/tb" "$rtl/check/gather_rules.sv" "$here/gather_rules_tb.sv"
vvp "$work/tb" >"$work/said" 2>&1
want=$(sed -n 's/^clashes //p' "$work/said"); got=$(grep -c '^ERROR: ' "$work/said" || true)
[ -n "$want" ] && [ "$want" -gt 0 ] && [ "$got" = "$want" ] || { head -5 "$work/said"; echo "said $got times, of $want clashes"; exit 1; }
echo "$got of $want clashes found"
