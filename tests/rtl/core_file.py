"""What lists the cores' files and parameters lists all of them: every target of every .core file (FuseSoC), mantissa.f,
docs/integration.md.

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


def lists_of(core):
    return [re.split(r",\s*", names) for names in re.findall(r"parameters:\s*\[(.*?)\]", core, re.S)]


def check_described(name, core, parameters, defaults):
    described = dict(re.findall(r"^  (\w+): \{datatype: int, default: (-?\d+), paramtype: vlogparam", core, re.M))
    expect_equal(f"{name}, parameters", sorted(described), sorted(parameters))
    expect_equal(f"{name}, defaults", {k: described.get(k) for k in defaults}, defaults)


# Parameters that have one value in a top: its targets do not offer them.
ONE_VALUE = {"sp_core": {"Alone", "Chebyshev", "Checks"}, "sp_core_axis": {"Alone", "Chebyshev", "Checks"}, "fx_residents": {"Core"},
             "fx_resident_axis": {"Core"}, "fx_cycles": {"Core"}, "fx_cycle_axis": {"Core"}}


def head_of(top):
    """A module's parameters, those of its include files among them."""
    text = next(rtl.rglob(f"{top}.sv")).read_text()
    head = text[text.index(f"module {top} #("):].split("\n) (")[0]
    for include in re.findall(r'^`include "(\w+\.svh)"', head, re.M):
        head += "\n" + next(rtl.rglob(include)).read_text()
    return set(parameters_of(head))


def check_targets(file):
    """What each target of a .core file offers is what its top has, whether the list is its own or inherited (<<: *NAME)."""
    text = file.read_text()
    part = text[text.index("\ntargets:"):text.index("\nparameters:")]
    described = set(re.findall(r"^  (\w+): \{datatype", text[text.index("\nparameters:"):], re.M))
    anchors = {}
    for name, body in re.findall(r"^  (\w+):(.*?)(?=^  \w+:|\Z)", part, re.M | re.S):
        inherited = re.search(r"^    <<: \*(\w+)", body, re.M)
        top, names = anchors[inherited[1]] if inherited else (None, [])
        if found := re.search(r"^    toplevel: (\w+)", body, re.M):
            top = found[1]
        if found := lists_of(body):
            names = [n.split("=")[0] for n in found[0]]
        if anchor := re.match(r" &(\w+)", body):
            anchors[anchor[1]] = top, names
        if name != "default":  # which offers none
            expect_equal(f"{file.name}, target {name}, of {top}", sorted(names), sorted(head_of(top) - ONE_VALUE.get(top, set())))
        expect_equal(f"{file.name}, target {name}, described", sorted(set(names) - described), [])


def files_in(*folders):
    return sorted(str(f.relative_to(rtl)) for folder in folders for f in (rtl / folder).glob("*.sv"))


core = (rtl / "mantissa.core").read_text()
plain = parameters_of((rtl / "core_parameters.svh").read_text())
bytes_of = parameters_of((rtl / "byte_parameters.svh").read_text())
axis = {**plain, **bytes_of}
expect_equal("mantissa.core, target core", lists_of(core)[0], list(plain))
expect_equal("mantissa.core, target axis", lists_of(core)[1], list(axis))
check_described("mantissa.core", core, axis, plain)
expect_equal("mantissa.core, files", sorted(re.findall(r"^      - (\w+/\w+\.sv)$", core, re.M)),
             files_in("core", "operators"))

fx_core = (rtl / "fx_core.core").read_text()
words = parameters_of((rtl / "fx_parameters.svh").read_text())
expect_equal("fx_core.core, target core", lists_of(fx_core)[0], list(words))
fx_axis = {**words, **bytes_of}
expect_equal("fx_core.core, target axis", lists_of(fx_core)[1], list(fx_axis))
expect_equal("fx_core.core, target cores", lists_of(fx_core)[2], ["Cores", *words])
expect_equal("fx_core.core, target cores_axis", lists_of(fx_core)[3], ["Cores", *fx_axis])
check_described("fx_core.core", fx_core, ["Cores", *fx_axis], words)
expect_equal("fx_core.core, files", sorted(re.findall(r"^      - (\w+/\w+\.sv)$", fx_core, re.M)),
             sorted([*files_in("fixed"), "axis/fx_core_axis.sv", "axis/fx_cores_axis.sv"]))

for file in sorted(rtl.glob("*.core")):
    check_targets(file)

resident = (rtl / "fx_resident.core").read_text()
extra = parameters_of((rtl / "resident_parameters.svh").read_text())
expect_equal("fx_resident.core, target core", lists_of(resident)[0], [*words, *extra])
check_described("fx_resident.core", resident, {**words, **extra}, {**words, **extra})
expect_equal("fx_resident.core, target axis", lists_of(resident)[1], [n for n in [*words, *extra] if n != "Core"])
expect_equal("fx_resident.core, files", sorted(re.findall(r"^      - (\w+/\w+/\w+\.sv)$", resident, re.M)),
             files_in("fixed/resident"))

sparse_core = (rtl / "sp_core.core").read_text()
sparse = parameters_of((rtl / "sparse/sp_core.sv").read_text())
shared = {name: default for name, default in words.items() if name not in ONE_VALUE["sp_core"]}
expect_equal("sp_core.core, target core", lists_of(sparse_core)[0], [*shared, *sparse])
sparse_axis = {**shared, **sparse, **parameters_of((rtl / "sparse/sp_core_axis.sv").read_text())}
expect_equal("sp_core.core, target axis", lists_of(sparse_core)[1], list(sparse_axis))
check_described("sp_core.core", sparse_core, sparse_axis, sparse_axis)
expect_equal("sp_core.core, files", sorted(re.findall(r"^      - (sparse/\w+\.sv)$", sparse_core, re.M)), files_in("sparse"))

cycle_core = (rtl / "fx_cycle.core").read_text()
cycle = parameters_of((rtl / "cycle/cycle_parameters.svh").read_text())
expect_equal("fx_cycle.core, target core", lists_of(cycle_core)[0], list(cycle))
check_described("fx_cycle.core", cycle_core, cycle, cycle)
expect_equal("fx_cycle.core, files", sorted(re.findall(r"^      - (cycle/\w+\.sv)$", cycle_core, re.M)), files_in("cycle"))

files = files_in("axis", "core", "cycle", "operators", "fixed", "fixed/resident", "sparse")
listed = [line for line in (rtl / "mantissa.f").read_text().split() if line.endswith(".sv")]
expect_equal("mantissa.f", sorted(listed), files)

includes = sorted(f.name for f in rtl.glob("*.svh"))
expect_equal("mantissa.core and fx_core.core, include files",
             sorted(re.findall(r"^      - (\w+\.svh):", core + fx_core, re.M)), includes)

page = (root / "docs/integration.md").read_text()
for name in {**axis, **words, **extra}:
    if not re.search(rf"\b{name}\b", page):
        failures.append(f"docs/integration.md does not name the parameter {name}")
rows = [line for line in (root / "tests/cocotb/example.py").read_text().splitlines() if line.startswith("| ")]
for row in rows:
    if row not in page:
        failures.append(f"docs/integration.md's example in numbers has no row {row}, as tests/cocotb/example.py has")
if len(rows) < 20:
    failures.append("tests/cocotb/example.py has fewer rows than the page's example")
page = (root / "docs/sparse_rtl.md").read_text()
for name in sparse_axis.keys() - words.keys():
    if not re.search(rf"\b{name}\b", page):
        failures.append(f"docs/sparse_rtl.md does not name the parameter {name}")
print("\n".join(failures) or f"{len(axis)} and {len(words)} parameters and {len(files)} files: all listed")
sys.exit(bool(failures))
