"""Builds small cores with a simulator of cocotb's and runs a bench on each: test_core.py, test_sparse.py, test_resident.py or test_cycle.py. Ends with 77, which CTest counts as
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


def words(u, r, p, q, coefficient):
    """Parameters of words given as (W, F) or (W, F, Down); the shift of a row's sum follows from them."""
    numbers = {v + suffix: n for v, w in zip("URPQ", (u, r, p, q)) for suffix, n in zip(("W", "F", "Down"), w)}
    return dict(numbers, CoefW=coefficient[0], CoefF=coefficient[1], RowShift=coefficient[1] + p[1] - q[1])


SPARSE_SHAPES = {
    # fx18.14,u=fx25.18,operand=s13e8,scalar=s23e8, coefficients fx18.16
    "sparse_one_lane": dict(words((25, 18), (18, 14), (18, 14), (18, 14), (18, 16)), **formats(Operand=(8, 13), Scalar=(8, 23)),
                            Lanes=1, Depth=32, AddressW=5, RowLog=6, LenW=12, WordBytes=4),
    # fx20.14:floor,q=fx18.12,operand=s16e11,scalar=s52e11, coefficients fx24.20
    "sparse_four_lanes": dict(words((20, 14, 1), (20, 14, 1), (20, 14, 1), (18, 12), (24, 20)),
                              **formats(Operand=(11, 16), Scalar=(11, 52)),
                              Lanes=4, Depth=16, AddressW=4, RowLog=6, LenW=12, WordBytes=3),
}
RESIDENT_SHAPES = {
    "resident": dict({**words((31, 21), (18, 16), (18, 16), (18, 16), (18, 16)), "RowShift": 3}, **formats(Operand=(8, 13), Scalar=(8, 23)), Lanes=1,
                     MaxRow=16, LenW=12, MaxLength=100, VW=64, VF=54, DW=64, DF=60),
}
RESIDENT_SHAPES["two_residents"] = dict(RESIDENT_SHAPES["resident"], Cores=2)
CYCLE_SHAPES = {
    "cycle": dict(MaxLevel=4, StoredLevel=4),
    "two_cycles": dict(MaxLevel=4, StoredLevel=4, Cores=2, Lanes=2, BusWords=2),
}
BENCHES = {
    "resident": dict(shapes=RESIDENT_SHAPES, top="fx_resident_axis", rules="resident_rules",
                     folders=("operators", "core", "fixed", "fixed/resident", "axis", "check")),
    "cycle": dict(shapes=CYCLE_SHAPES, top="fx_cycle_axis", rules="cycle_rules",
                  folders=("operators", "core", "fixed", "fixed/resident", "cycle", "axis", "check")),
    "core": dict(shapes=SHAPES, top="pcg_core_axis", folders=("operators", "core", "check"), rules="rules"),
    "sparse": dict(shapes=SPARSE_SHAPES, top="sp_core_axis", rules="sparse_rules",
                   folders=("operators", "core", "fixed", "fixed/resident", "sparse", "check")),
}


def refuse(what):
    print(f"run.py: {what}", file=sys.stderr)
    return 2


def main():
    for module in ("cocotb", "cocotbext.axi"):
        if importlib.util.find_spec(module.split(".")[0]) is None:
            print(f"SKIP: the Python package {module} is not installed; ./test.sh installs it where PyPI can be reached")
            return 77
    from cocotb_tools.runner import get_results, get_runner

    shapes = [shape for bench in BENCHES.values() for shape in bench["shapes"]]
    if len(sys.argv) < 3:
        return refuse("give the folder rtl and a folder to work in: run.py RTL_FOLDER WORK_FOLDER [SHAPE...]")
    if not (Path(sys.argv[1]) / "mantissa.svh").is_file():
        return refuse(f"{sys.argv[1]}: no mantissa.svh in it; give the folder rtl of the repository")
    for shape in sys.argv[3:]:
        if shape not in shapes:
            return refuse(f"{shape}: no such shape; the shapes are {', '.join(shapes)}")
    rtl, work = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    here = Path(__file__).resolve().parent
    failures = 0
    for shape in sys.argv[3:] or shapes:
        name = next(name for name, bench in BENCHES.items() if shape in bench["shapes"])
        bench = BENCHES[name]
        parameters, top = bench["shapes"][shape], bench["top"]
        sources = [file for folder in bench["folders"] for file in sorted((rtl / folder).glob("*.sv"))]
        defines = {}
        if name == "sparse":
            lanes = parameters["Lanes"]
            defines = {"LANES": lanes, "ENTRY_W": parameters["CoefW"] + parameters["AddressW"] + (lanes - 1).bit_length()}
        runner = get_runner("icarus")
        log = work / f"{shape}.log"
        runner.build(
            sources=sources + [here / f"{bench['rules']}.sv"], includes=[rtl, rtl / "sparse", rtl / "cycle"], hdl_toplevel=top,
            parameters=parameters, defines=defines, always=True, build_args=["-g2012", "-s", bench["rules"]],
            build_dir=work / shape, timescale=("1ns", "1ps"), log_file=work / f"{shape}.build.log",
        )
        results = runner.test(
            test_module=f"test_{name}", hdl_toplevel=top, test_dir=here, build_dir=work / shape,
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
