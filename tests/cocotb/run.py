"""Builds small cores with a simulator of cocotb's and runs test_core.py on each. Ends with 77, which CTest counts as
skipped, where cocotb is not installed.

usage: run.py RTL_FOLDER WORK_FOLDER [SHAPE...]
"""

import importlib.util
import json
import sys
from pathlib import Path

SHAPES = {
    # s7e6,scalar=s20e8,dot=s14e8/8
    "one_lane": dict(
        UE=6, UM=7, RE=6, RM=7, PE=6, PM=7, QE=6, QM=7, CE=6, CM=7, OE=6, OM=7, WE=6, WM=7, DE=6, DM=7,
        AE=8, AM=14, Depth=8, SE=8, SM=20, Lanes=1, CoefMode=2, MaxRow=16,
    ),
    # s8e7:rne,u=s12e7,row=s11e7:rne,order=tree,dot=fixed[8:-30],scalar=s16e9:rne,lanes=2
    "two_lanes": dict(
        UE=7, UM=12, URne=1, RE=7, RM=8, RRne=1, PE=7, PM=8, PRne=1, QE=7, QM=8, QRne=1, CE=7, CM=8, OE=7, OM=8, ORne=1,
        WE=7, WM=11, WRne=1, Tree=1, Fixed=1, Exact=1, Msb=8, Lsb=-30, SE=9, SM=16, SRne=1, Lanes=2, CoefMode=2,
        MaxRow=16, UBytes=4,
    ),
    # s17e8, as the page's example in numbers
    "example": dict(
        UE=8, UM=17, RE=8, RM=17, PE=8, PM=17, QE=8, QM=17, CE=8, CM=17, OE=8, OM=17, WE=8, WM=17, DE=8, DM=17,
        AE=11, AM=52, Depth=16, SE=11, SM=52, Lanes=1, CoefMode=1, MaxRow=8,
    ),
}


def main():
    for module in ("cocotb", "cocotbext.axi"):
        if importlib.util.find_spec(module.split(".")[0]) is None:
            print(f"SKIP: the Python package {module} is not installed; ./test.sh installs it where PyPI can be reached")
            return 77
    from cocotb_tools.runner import get_results, get_runner

    rtl, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    here = Path(__file__).resolve().parent
    sources = sorted((rtl / "operators").glob("*.sv")) + sorted((rtl / "core").glob("*.sv"))
    sources += sorted((rtl / "check").glob("*.sv")) + [here / "rules.sv"]
    failures = 0
    for shape in sys.argv[3:] or SHAPES:
        parameters = SHAPES[shape]
        runner = get_runner("icarus")
        log = work / f"{shape}.log"
        runner.build(
            sources=sources, includes=[rtl], hdl_toplevel="pcg_core_axis", parameters=parameters, always=True,
            build_args=["-g2012", "-s", "rules"], build_dir=work / shape, timescale=("1ns", "1ps"),
            log_file=work / f"{shape}.build.log",
        )
        results = runner.test(
            test_module="test_core", hdl_toplevel="pcg_core_axis", test_dir=here, build_dir=work / shape,
            results_xml=str(work / shape / "results.xml"),
            extra_env={"CORE_PARAMETERS": json.dumps(parameters), "CORE_SHAPE": shape, "PYTHONPATH": str(here),
                       "PYTHONDONTWRITEBYTECODE": "1"},
            log_file=log,
        )
        tests, failed = get_results(results)
        lines = log.read_text(encoding="utf-8").splitlines()
        broken = [k for k, line in enumerate(lines) if line.startswith("ERROR: ") and "_rules.sv" in line]
        if failed or tests == 0:
            print("\n".join(line[:300] for line in lines[-80:]))
        for k in broken[:10]:
            print(lines[k], *lines[k + 1:k + 2], "a rule of the interfaces is broken")
        print(f"{shape}: {tests - failed} of {tests} tests passed, {len(broken)} rules broken")
        failures += failed + (tests == 0) + len(broken)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
