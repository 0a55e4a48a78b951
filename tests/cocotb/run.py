"""Builds small cores with a simulator of cocotb's and runs test_core.py on each. Ends with 77, which CTest counts as
skipped, where cocotb is not installed.

usage: run.py RTL_FOLDER WORK_FOLDER [SHAPE...]
"""

import importlib.util
import json
import sys
from pathlib import Path

def formats(**stages):
    """Parameters of formats given as (E, M) or (E, M, Rne)."""
    return {stage + suffix: number for stage, numbers in stages.items()
            for suffix, number in zip(("ExpW", "FracW", "Rne"), numbers)}


def vectors(*numbers):
    """One format for all but the dot products' sums and the scalar unit."""
    stages = ("U", "R", "P", "Q", "Coef", "Operand", "Row", "Term")
    return {name: number for stage in stages for name, number in formats(**{stage: numbers}).items()
            if name not in ("CoefRne",)}


SHAPES = {
    # s7e6,scalar=s20e8,dot=s14e8/8
    "one_lane": dict(vectors(6, 7), **formats(Sum=(8, 14), Scalar=(8, 20)), Depth=8, Lanes=1, CoefMode=2, MaxRow=16),
    # s8e7:rne,u=s12e7,row=s11e7:rne,order=tree,dot=fixed[8:-30],scalar=s16e9:rne,lanes=2
    "two_lanes": dict(
        {**vectors(7, 8, 1), **formats(U=(7, 12, 1), Row=(7, 11, 1), Scalar=(9, 16, 1))}, Order=1, Fixed=1, Exact=1,
        Msb=8, Lsb=-30, Lanes=2, CoefMode=2, MaxRow=16, UBytes=4,
    ),
    # s17e8, as the page's example in numbers
    "example": dict(vectors(8, 17), **formats(Sum=(11, 52), Scalar=(11, 52)), Depth=16, Lanes=1, CoefMode=1, MaxRow=8),
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
