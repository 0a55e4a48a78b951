"""Writes what rtl/core.toml describes where RTL, C++, Python and documents need it.

usage: generate.py [--check] [ROOT]

ROOT is the project's folder, by default the one that this file is in. A target is a whole file, or the part of a file
between a line with `generated: NAME` and the next one with `end of generated`. With --check nothing is written: files
that differ from what would be written are named, and the exit code is 1. The files are committed, so a build needs no
Python, and a reader sees them as they are.
"""

import re
import sys
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the sources
from generator import latencies, parameters, registers  # noqa: E402

FILES = {
    "rtl/core_parameters.svh": parameters.parameter_list,
    "rtl/core_parameters_passed.svh": parameters.parameters_passed,
    "rtl/fx_parameters.svh": parameters.fx_parameter_list,
    "rtl/fx_parameters_passed.svh": parameters.fx_parameters_passed,
    "rtl/core_registers.svh": registers.register_header,
    "rtl/resident_registers.svh": registers.resident_header,
    "rtl/core_latencies.svh": latencies.latency_header,
    "sim/src/core_registers.hpp": registers.register_header_cpp,
    "sim/src/resident_registers.hpp": registers.resident_header_cpp,
    "sim/include/mantissa/sim/latencies.hpp": latencies.latency_header_cpp,
    "tests/cocotb/core_registers.py": registers.registers_python,
}
PARTS = {
    "rtl/mantissa.core": {
        "names": lambda core: parameters.fusesoc_names(core),
        "axis names": lambda core: parameters.fusesoc_names(core, parameters.BYTES),
        "parameters": parameters.fusesoc_descriptions,
    },
    "rtl/fx_core.core": {"names": parameters.fx_fusesoc_names,
                         "axis names": lambda core: parameters.fx_fusesoc_names(core, [], parameters.BYTES),
                         "cores names": lambda core: parameters.fx_fusesoc_names(core, ["Cores"]),
                         "cores axis names": lambda core: parameters.fx_fusesoc_names(core, ["Cores"], parameters.BYTES),
                         "parameters": parameters.fx_fusesoc_descriptions},
    "rtl/fx_resident.core": {"names": parameters.resident_fusesoc_names, "axis names": parameters.resident_axis_fusesoc_names,
                             "cores names": parameters.resident_cores_fusesoc_names,
                             "parameters": parameters.resident_fusesoc_descriptions},
    "rtl/sp_core.core": {"names": parameters.sparse_fusesoc_names,
                         "axis names": lambda core: parameters.sparse_fusesoc_names(core, ["WordBytes"]),
                         "parameters": parameters.sparse_fusesoc_descriptions},
    "docs/sparse_rtl.md": {"parameters": parameters.sparse_parameter_table},
    "rtl/core/core_regs.sv": {"map": registers.register_comment},
    "rtl/README.md": {"latencies": latencies.latency_table},
    "docs/integration.md": {"parameters": parameters.parameter_table, "fx_core parameters": parameters.fx_parameter_table, "registers": registers.register_table, "ends": registers.end_table,
                            "resident parameters": parameters.resident_parameter_table,
                            "resident registers": registers.resident_register_table, "resident ends": registers.resident_end_table,
                            "errors": registers.error_table},
    "sim/include/mantissa/sim/rtl_engine.hpp": {"error bits": registers.error_bits_cpp},
}


def replaced(text, path, name, body):
    pattern = re.compile(rf"(^[^\n]*\bgenerated: {re.escape(name)}(?: -->)?\n)(.*?)(^[^\n]*\bend of generated)", re.S | re.M)
    text, count = pattern.subn(lambda m: m[1] + body + m[3], text)
    if count != 1:
        raise SystemExit(f"{path}: {count} parts 'generated: {name}', where there must be one")
    return text


def main():
    words = [w for w in sys.argv[1:] if w != "--check"]
    check = "--check" in sys.argv
    root = Path(words[0]) if words else Path(__file__).resolve().parent.parent
    core = tomllib.loads((root / "rtl/core.toml").read_text(encoding="utf-8"))
    wanted = {path: make(core) for path, make in FILES.items()}
    for path, parts in PARTS.items():
        text = (root / path).read_text(encoding="utf-8")
        for name, make in parts.items():
            text = replaced(text, path, name, make(core))
        wanted[path] = text
    stale = []
    for path, text in wanted.items():
        file = root / path
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not check:
            file.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path}: {'differs from rtl/core.toml; run rtl/generate.py' if check else 'written'}")
    if check and not stale:
        print(f"{len(wanted)} files are as rtl/core.toml says")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
