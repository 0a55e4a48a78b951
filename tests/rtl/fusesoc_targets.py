"""FuseSoC finds each core with what it depends on, and every target of it runs to its end: Verilator has nothing to say, and yosys
writes a netlist of a small shape. Ends with 77, which CTest counts as skipped, where FuseSoC is not installed.

usage: fusesoc_targets.py RTL_FOLDER WORK_FOLDER CORE [--synth | --others | TARGET...]
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

if importlib.util.find_spec("fusesoc") is None or shutil.which("verilator") is None or shutil.which("yosys") is None:
    print("SKIP: FuseSoC, Verilator or yosys is not installed; ./test.sh installs FuseSoC where PyPI can be reached")
    sys.exit(77)

WORDS = {"UW": 8, "UF": 4, "RW": 6, "RF": 3, "PW": 6, "PF": 3, "QW": 6, "QF": 3, "CoefW": 6, "CoefF": 3, "OperandExpW": 5, "OperandFracW": 4,
         "ScalarExpW": 5, "ScalarFracW": 5, "MaxRow": 8, "LenW": 10}
FLOATS = {f"{name}{part}": number for name in ("U", "R", "P", "Q", "Coef", "Operand", "Row", "Term")
          for part, number in (("ExpW", 4), ("FracW", 3))}
# Parameters of targets synth; the others run with the defaults.
SMALL = {
    "pcg_core": {**FLOATS, "Fixed": 1, "Exact": 1, "Msb": 4, "Lsb": -10, "GuardW": 8, "ScalarExpW": 6, "ScalarFracW": 6, "CoefMode": 1,
                 "MaxRow": 8, "LenW": 10},
    "fx_core": {**WORDS, "S4": 8, "S0": -1, "S1": -2},
    "fx_resident": {**WORDS, "MaxLength": 64, "VW": 24, "VF": 20, "DW": 24, "DF": 20},
    "fx_cycle": {"MaxLevel": 3, "StoredLevel": 3},
    "sp_core": {**WORDS, "Lanes": 2, "Depth": 16, "AddressW": 4, "RowLog": 4},
}

rtl, work, name = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
file = next(f for f in rtl.glob("*.core") if f"mantissa:core:{name}:" in f.read_text())
text = file.read_text()
targets = re.findall(r"^  (\w+):", text[text.index("\ntargets:"):text.index("\nparameters:")], re.M)
shutil.rmtree(work / name, ignore_errors=True)
(work / name).mkdir(parents=True)
failures = 0
chosen = sys.argv[4:] or targets
if chosen in (["--synth"], ["--others"]):
    chosen = [target for target in targets if target.endswith("synth") == (chosen == ["--synth"])]
if not chosen:
    sys.exit(f"{file}: no such targets")
for target in chosen:
    small = {k: v for k, v in SMALL[name].items()} if target.endswith("synth") else {}
    command = [sys.executable, "-B", "-m", "fusesoc.main", "--cores-root", str(rtl), "run", "--target", target, f"mantissa:core:{name}",
               *(f"--{k}={v}" for k, v in small.items())]
    done = subprocess.run(command, cwd=work / name, capture_output=True, text=True, env=os.environ | {"HOME": str(work)})
    said = done.stdout + done.stderr
    bad = done.returncode != 0 or "%Warning" in said or "%Error" in said
    if target.endswith("synth") and not bad:
        netlists = [f for f in (work / name).rglob("*.blif") if f.stat().st_size > 10000]
        bad = not netlists
        said += "no netlist was written" if bad else ""
    failures += bad
    print(f"{name}, target {target}: {'failed' if bad else 'ok'}", flush=True)
    if bad:
        print("\n".join(said.splitlines()[-20:]))
sys.exit(bool(failures))
