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


def parameters_of(text):
    return dict(re.findall(r"parameter integer (\w+)\s*=\s*(.+?),?(?: *///.*)?$", text, re.M))


core = (rtl / "mantissa.core").read_text()
plain = parameters_of((rtl / "core_parameters.svh").read_text())
axis = {**plain, **parameters_of((rtl / "core/pcg_core_axis.sv").read_text())}
lists = [re.split(r",\s*", names) for names in re.findall(r"parameters:\s*\[(.*?)\]", core, re.S)]
expect_equal("mantissa.core, target default", lists[0], list(plain))
expect_equal("mantissa.core, target axis", lists[1], list(axis))
described = dict(re.findall(r"^  (\w+): \{datatype: int, default: (-?\d+), paramtype: vlogparam", core, re.M))
expect_equal("mantissa.core, parameters", sorted(described), sorted(axis))
expect_equal("mantissa.core, defaults", {k: described.get(k) for k in plain}, plain)

files = sorted(str(f.relative_to(rtl)) for folder in ("core", "operators") for f in (rtl / folder).glob("*.sv"))
expect_equal("mantissa.core, files", sorted(re.findall(r"^      - (\w+/\w+\.sv)$", core, re.M)), files)
listed = [line for line in (rtl / "mantissa.f").read_text().split() if line.endswith(".sv")]
expect_equal("mantissa.f", sorted(listed), files)

includes = sorted(f.name for f in rtl.glob("*.svh"))
expect_equal("mantissa.core, include files", sorted(re.findall(r"^      - (\w+\.svh):", core, re.M)), includes)

page = (root / "docs/integration.md").read_text()
for name in axis:
    if not re.search(rf"\b{name}\b", page):
        failures.append(f"docs/integration.md does not name the parameter {name}")
print("\n".join(failures) or f"{len(axis)} parameters and {len(files)} files: all listed")
sys.exit(bool(failures))
