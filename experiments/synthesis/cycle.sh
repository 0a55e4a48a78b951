#!/usr/bin/env bash
# Area of the cycle core by recipe.ys: LUTs, flip-flops and slices on the xc2v.
# usage: cycle.sh [PARAMETER=VALUE]...    as cycle.sh MaxLevel=10 StoredLevel=5, which is also what it does without
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- MaxLevel=10 StoredLevel=5
sets=
for word in "$@"; do
  value=${word#*=}
  [ "$value" -ge 0 ] || value=$(printf "32'sh%08x" $((value & 0xffffffff)))
  sets+="-set ${word%%=*} $value "
done
cd "$work"
ln -s "$source/rtl" rtl; ln -s "$source/experiments" experiments
sources=$(echo rtl/operators/*.sv rtl/core/*.sv rtl/fixed/*.sv rtl/fixed/resident/*.sv rtl/cycle/*.sv)
sed -E '/^#/d; /^\[(xc2v|xilinx|parameters)\] /s/^\[[a-z0-9]+\] //; /^\[/d' experiments/synthesis/recipe.ys |
  sed "s#@SOURCES@#-Irtl/cycle $sources#; s#@DEFINES@# -DUNWATCHED#; s#@PARAMETERS@#$sets#; s#@TOP@#fx_cycle#g; s#@RTL@#rtl#g; s#@RECIPE@#experiments/synthesis#g" > run.ys
yosys -q run.ys > yosys.log 2>&1 || { tail -20 yosys.log; exit 1; }
python3 -B - <<'END'
import json
cells = json.load(open("stat.json"))["design"]["num_cells_by_type"]
count = lambda *begins: sum(n for name, n in cells.items() if name.startswith(begins))
luts, memory, flip_flops = count("LUT"), count("SRL", "RAM16", "RAM32", "RAM64"), count("FD")
paired = int(open("paired.txt").read().split()[0])
print(f"{luts} LUTs, {memory} as memory, {flip_flops} flip-flops, {paired} of them behind a LUT: "
      f"{(luts + memory + flip_flops - paired + 1) // 2} slices; {count('RAMB')} block memories, {count('MULT')} multipliers")
END
