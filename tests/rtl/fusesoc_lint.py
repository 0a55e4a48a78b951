"""FuseSoC finds each core with what it depends on, and Verilator has nothing to say of it; the other targets can be set
up. Ends with 77, which CTest counts as skipped, where FuseSoC is not installed.

usage: fusesoc_lint.py RTL_FOLDER WORK_FOLDER
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

if importlib.util.find_spec("fusesoc") is None or shutil.which("verilator") is None:
    print("SKIP: FuseSoC or Verilator is not installed; ./test.sh installs FuseSoC where PyPI can be reached")
    sys.exit(77)

rtl, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
RUNS = [(core, ["--target", "lint"]) for core in ("pcg_core", "fx_core", "fx_resident", "sp_core")]
for core in ("pcg_core", "sp_core"):
    RUNS += [(core, ["--setup", "--tool", "verilator", "--target", "axis"]), (core, ["--setup", "--target", "synth"])]
failures = 0
for core, options in RUNS:
    command = [sys.executable, "-B", "-m", "fusesoc.main", "--cores-root", str(rtl), "run", *options, f"mantissa:core:{core}"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env=os.environ | {"HOME": str(work)})
    said = done.stdout + done.stderr
    bad = done.returncode != 0 or "%Warning" in said or "%Error" in said
    failures += bad
    print(f"{core} {' '.join(options)}: {'failed' if bad else 'ok'}")
    if bad:
        print("\n".join(said.splitlines()[-20:]))
sys.exit(bool(failures))
