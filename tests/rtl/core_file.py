"""What lists the core's files and parameters lists all of them: mantissa.core (FuseSoC), mantissa.f, docs/integration.md.

usage: core_file.py SOURCE_FOLDER
"""

import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
rtl = root / "rtl"
failures = []


def expect_equal(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: missing {sorted(set(wanted) - set(found))}, too many "
                        f"{sorted(set(found) - set(wanted))}, or in another order")


def parameters_of(module):
    text = (rtl / f"core/{module}.sv").read_text()
    head = text[text.index(f"module {module} #("):text.index(") (\n")]
    return dict(re.findall(r"parameter integer (\w+)\s*=\s*(.+?)[,\n ]", head))


core = (rtl / "mantissa.core").read_text()
plain, axis = parameters_of("pcg_core"), parameters_of("pcg_core_axis")
lists = [re.split(r",\s*", names) for names in re.findall(r"parameters: \[(.*?)\]", core, re.S)]
expect_equal("mantissa.core, target default", lists[0], list(plain))
expect_equal("mantissa.core, target axis", lists[1], list(axis))
described = dict(re.findall(r"^  (\w+): \{datatype: int, default: (-?\d+), paramtype: vlogparam", core, re.M))
expect_equal("mantissa.core, parameters", sorted(described), sorted(axis))
expect_equal("mantissa.core, defaults", {k: described.get(k) for k in plain}, plain)
if [name for name in axis if name in plain] != list(plain):
    failures.append("pcg_core_axis does not have all of pcg_core's parameters")

files = sorted(str(f.relative_to(rtl)) for folder in ("core", "operators") for f in (rtl / folder).glob("*.sv"))
expect_equal("mantissa.core, files", sorted(re.findall(r"^      - (\w+/\w+\.sv)$", core, re.M)), files)
listed = [line for line in (rtl / "mantissa.f").read_text().split() if line.endswith(".sv")]
expect_equal("mantissa.f", sorted(listed), files)

page = (root / "docs/integration.md").read_text()
for name in axis:
    if not re.search(rf"\b{name}\b", page):
        failures.append(f"docs/integration.md does not name the parameter {name}")
header = (root / "sim/src/core_registers.hpp").read_text()
registers = re.findall(r"    k(\w+) = (0x[0-9A-F]+),", header)
for name, address in registers:
    upper = re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()
    if not re.search(rf"^\| {address}\b.*\| {upper}\b", page, re.M):
        failures.append(f"docs/integration.md does not have {upper} at {address}, as core_registers.hpp has it")
    if not re.search(rf"\b0{address[2:]}\b.* {upper}\b|\b{upper}\b", (rtl / "core/core_regs.sv").read_text()):
        failures.append(f"core_regs.sv does not name {upper}")

print("\n".join(failures) or f"{len(axis)} parameters, {len(files)} files, {len(registers)} registers: all listed")
sys.exit(bool(failures))
