"""Parameters without meaning stop the elaboration of every top with a reason that names one of them, and sensible ones at the ends
of their ranges do not.

usage: odd_parameters.py RTL_FOLDER [TOP...]      the small sets: a second of a processor each, at most
       odd_parameters.py RTL_FOLDER --large      the sensible sets with many lanes and cores
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

rtl = Path(sys.argv[1]).resolve()
FOLDERS = ("operators", "core", "fixed", "fixed/resident", "sparse", "cycle")
WORDS = ["Lanes=0", "Lanes=3", "Lanes=-1", "Lanes=128", "UW=0", "UW=1", "UW=54", "RW=0", "RW=33", "PW=2", "QW=-4", "UDown=2",
         "RDown=-1", "PDown=3", "QDown=2", "OperandExpW=1", "OperandExpW=12", "OperandFracW=0", "OperandFracW=53", "ScalarFracW=1",
         "ScalarExpW=1", "ScalarFracW=60", "OperandRne=2", "ScalarRne=-1", "LenW=0", "LenW=3", "LenW=33", "Style=3", "Style=-1",
         "DelayRam=2", "UF=300", "PF=-200"]
GRID = [*WORDS, "CoefMode=2", "CoefMode=-1", "RowSums=2", "CoefW=0", "CoefW=33", "MaxRow=0", "MaxRow=7", "MaxRow=-5", "LenW=4",
        "LenW=10", "S4=1610612736", "S0=1073741824", "S8=-1073741824", "RowShift=65", "RowShift=-70", "Lanes=64 MaxRow=32"]


def each_once(sets):
    """One set for each parameter: for a top that passes its parameters on to the checks of fx_core, whose limits are tried there."""
    return list({s.split("=")[0]: s for s in reversed(sets)}.values())


# Each a set of parameters; the reason must name one of them.
ODD = {
    "pcg_core": ["Lanes=0", "Lanes=3", "Lanes=8", "CoefMode=3", "CoefMode=-1", "Order=4", "Order=-1", "Order=3 CoefMode=0", "RowSums=1",
                 "RowSums=2 Order=2", "TimesAlpha=2", "TimesBeta=-4", "TimesGamma=9", "Fixed=2", "Exact=-1", "Depth=0", "Depth=4",
                 "Depth=24", "Fixed=1 Msb=-50", "Fixed=1 Msb=20 Lsb=-50", "GuardW=0", "GuardW=40", "MaxRow=0", "MaxRow=7", "LenW=0",
                 "LenW=4", "LenW=10", "LenW=33", "Style=3", "Style=-1", "AddStages=5", "AddStages=0", "DelayRam=2", "Chebyshev=4",
                 "Chebyshev=24", "Chebyshev=8192", "Chebyshev=-8",
                 *(f"{n}{p}" for n in ("U", "R", "P", "Q", "Coef", "Operand", "Row", "Term", "Sum", "Scalar")
                   for p in ("FracW=1", "ExpW=12")), "UFracW=0", "ScalarExpW=0", "RowFracW=53", "URne=2", "SumRne=-1"],
    "pcg_core_axis": ["Lanes=0", "UFracW=1", "ScalarExpW=1", "Style=3", "UBytes=0", "RBytes=3", "CoefBytes=1", "LenW=4"],
    "fx_core": [*GRID, "Alone=2", "Alone=-1", "Chebyshev=1", "Chebyshev=12", "Chebyshev=8192", "Chebyshev=16 Alone=0", "CoefMode=0",
                "CoefMode=0 CoefF=12 RowShift=16"],
    "fx_cores": [*each_once(GRID), "Cores=0", "Cores=-1", "Cores=257", "CoefMode=0", "Chebyshev=16"],
    "fx_resident": [*each_once(GRID), "Alone=0", "Chebyshev=16", "CoefMode=0 RowShift=16", "RF=15", "PW=19", "QDown=1", "OuterLanes=0",
                    "OuterLanes=2",
                    "OuterLanes=3 Lanes=4", "VF=64", "VF=-1", "VW=0", "VW=65", "DF=64", "DW=65", "MaxLength=0", "MaxLength=-7",
                    "LenW=11 MaxLength=4096", "Cores=2", "Core=1", "Cores=0", "Alone=0 Cores=2 Core=2"],
    "fx_residents": ["Cores=0", "Cores=17", "Cores=2 Core=1", "Cores=2 Checks=1", "Cores=2 OuterLanes=3 Lanes=4", "Cores=2 OuterLanes=1 Lanes=4"],
    "fx_cycle": ["Lanes=0", "Lanes=3", "Lanes=256", "Lanes=512 MaxLevel=10", "BusWords=0", "BusWords=2", "BusWords=3 Lanes=4", "W=3", "W=17", "F=3", "F=25", "E=3", "E=40", "Guard=-1", "Guard=9", "Before=0", "Before=5", "After=-1", "After=5",
                 "M0=0", "M1=512", "N0=-1", "Phi=40", "Phi=-30", "S0=0", "After=1 T0=40", "Centre=9", "Corner=-2", "East=1", "Z=5", "ZC=40",
                 "MaxLevel=1", "MaxLevel=15", "StoredLevel=1", "StoredLevel=8", "DW=31", "UW=65", "Checks=2", "Checks=-1", "Cores=0", "Cores=17", "Core=1", "Cores=2 Core=2", "Cores=2 Checks=1",
                 "Cores=5 MaxLevel=4 StoredLevel=4"],
    "fx_cycles": ["Cores=0", "Cores=17", "Cores=2 Core=1", "Cores=2 Checks=1", "Cores=2 Lanes=3"],
    "sp_core": [*each_once(WORDS), "Chebyshev=16", "Checks=1", "Checks=7", "Checks=-1", "Alone=0", "Alone=2", "CoefW=0", "CoefW=34", "Depth=0", "Depth=3", "AddressW=0", "AddressW=11", "RowLog=-1",
                "RowLog=40", "LenW=10", "LenW=12 Lanes=4"],
    "sp_core_axis": ["Lanes=0", "Checks=1", "Alone=0", "Chebyshev=16", "UW=1", "ScalarFracW=1", "RowLog=40", "WordBytes=0", "WordBytes=3", "Style=3"],
}
SENSIBLE = {
    "pcg_core": ["", "Chebyshev=512 Fixed=1", "LenW=11 MaxRow=8 UFracW=2 UExpW=2", "Order=3 CoefMode=1 RowSums=1 TimesAlpha=-3"],
    "fx_core": ["", "Chebyshev=8", "Chebyshev=4096 CoefMode=0 RowShift=16", "CoefMode=0 RowShift=16 RowSums=1",
                "S4=1073741823 S0=-1073741823", "MaxRow=8 LenW=8"],
    "fx_cores": ["", "Cores=1 CoefMode=0 RowShift=16"],
    "fx_resident": ["", "Lanes=4 OuterLanes=4 VW=40 VF=39", "Alone=0 Cores=3 Core=1"],
    "fx_residents": ["Cores=2 Lanes=4 OuterLanes=2 MaxLength=60000"],
    "fx_cycle": ["", "After=4 Before=4 M2=300 S2=11 M3=300 S3=11 N0=300 T0=11 N1=300 T1=11 N2=300 T2=11 N3=300 T3=11", "W=16 F=24 E=24",
                 "W=4 F=4 Phi=2 E=4 Guard=0", "Lanes=4 MaxLevel=2 StoredLevel=2 BusWords=4", "Checks=1 Lanes=4 MaxLevel=2 StoredLevel=2 BusWords=4", "MaxLevel=14 StoredLevel=10", "Cores=3 Core=1"],
    "fx_cycles": ["", "Cores=2 Lanes=4 BusWords=2", "Cores=3 Before=4 After=4 M2=300 S2=11 M3=300 S3=11 N0=300 T0=11 N1=300 T1=11 N2=300 T2=11 N3=300 T3=11"],
    "sp_core": ["", "RowLog=20", "LenW=11"],
}
# What an elaboration takes follows from lanes and cores: these take half a minute together, with small levels and vectors.
LARGE = {"fx_cycle": ["Lanes=128 MaxLevel=7 StoredLevel=2"], "fx_cycles": ["Cores=16 MaxLevel=6 StoredLevel=6"], "fx_residents": ["Cores=16"]}


def said(top, parameters, *more):
    """What Verilator says, and its exit code."""
    folder = next(f for f in FOLDERS if (rtl / f / f"{top}.sv").exists())
    done = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", *more, str(rtl / "lint.vlt"), f"-I{rtl}", f"-I{rtl}/sparse", f"-I{rtl}/cycle",
                           *(word for f in FOLDERS for word in ("-y", str(rtl / f))), str(rtl / folder / f"{top}.sv"),
                           "--top-module", top, *(f"-G{p}" for p in parameters.split())], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def refused(case):
    top, parameters = case
    code, text = said(top, parameters, "--error-limit", "1")
    names = [p.split("=")[0] for p in parameters.split()]
    reasons = re.findall(r'%Warning-USERFATAL: (?:\S+: )?"?(.*?)"?$', text, re.M)
    named = any(re.search(rf"\b{name}\b", reasons[0]) for name in names) if reasons else False
    if code == 0 or not named:
        return f"{top} {parameters}: exit {code}, no reason that names it first: {text[:400]}"
    return None


def taken(case):
    top, parameters = case
    code, text = said(top, parameters)
    return f"{top} {parameters}: refused: {text[:400]}" if code != 0 else None


def main():
    large = sys.argv[2:] == ["--large"]
    tops = [] if large else sys.argv[2:] or list(ODD)
    with ThreadPoolExecutor(2) as pool:
        odd = [(top, p) for top in tops for p in ODD[top]]
        sensible = [(top, p) for top in tops for p in SENSIBLE.get(top, [])]
        sensible += [(top, p) for top in LARGE for p in LARGE[top]] if large else []
        faults = [f for f in [*pool.map(refused, odd), *pool.map(taken, sensible)] if f]
    print("\n".join(faults) or f"{len(odd)} odd sets refused with their reason, {len(sensible)} sensible ones taken")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
