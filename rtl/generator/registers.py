"""Registers of the cores: headers for RTL, C++ and Python, tables of the documents."""

from .text import NOTE, broken, wrapped


def addresses(register):
    size = 4 * register.get("words", 1)
    return range(register["at"], register["at"] + size * register.get("count", 1), 4)


def ranges_of(registers, letter):
    """Merged address ranges (first, last) of the registers whose access has the letter."""
    words = sorted(a for r in registers if letter in r["access"] for a in addresses(r))
    ranges = []
    for a in words:
        if ranges and a == ranges[-1][1] + 4:
            ranges[-1][1] = a
        else:
            ranges.append([a, a])
    return ranges


def in_ranges(ranges):
    parts = []
    for first, last in ranges:
        low, high = f"(at) >= 8'h{first:02X}", f"(at) <= 8'h{last:02X}"
        parts.append(f"(at) == 8'h{first:02X}" if first == last else high if first == 0 else f"({low} && {high})")
    return "(" + " || ".join(parts) + ")"


def register_header(core):
    lines = ["// The core's registers: addresses, bits and codes.", f"// {NOTE}", "`ifndef CORE_REGISTERS_SVH",
             "`define CORE_REGISTERS_SVH", "", "// Byte addresses; of two words, the low one's. docs/integration.md has what "
             "they mean."]
    for r in core["register"]:
        more = ", a pair for each of 9" if r.get("count", 1) > 1 else ", a pair" if r.get("words", 1) == 2 else ""
        lines.append(f"`define REG_{r['name']} 8'h{r['at']:02X}".ljust(34) + f" // {r['access']}{more}")
    lines += ["", "// Addresses that can be written, and read (CONTROL as zero); all others answer SLVERR. First those of every core,",
              "// then what pcg_core, fx_core or a core of fx_cores has more."]
    for of in (None, "pcg_core", "fx_core", "fx_cores"):
        some = [r for r in core["register"] if r.get("of") == of]
        name = "REG" if of is None else f"REG_{of.upper()}"
        for word, letter in (("WRITABLE", "W"), ("READABLE", "R")):
            ranges = ranges_of([*some, *[{**r, "access": "R"} for r in some if r["name"] == "CONTROL"]], letter)
            if ranges:
                lines.append(broken(f"`define {name}_{word}(at) {in_ranges(ranges)}", "    ", " \\"))
    lines += ["", "`define ID_VALUE 32'h"
              f"{next(r['reset'] for r in core['register'] if r['name'] == 'ID'):08X}", "", "// Bits of CONTROL and STATUS."]
    for b in core["bit"]:
        lines.append(f"`define {b['register']}_{b['name']} {b['bit']}".ljust(34) + f" // {b['text']}")
    lines += ["", "// Bits of ERRORS."]
    for k, e in enumerate(core["error"]):
        lines.append(f"`define ERROR_{e['name']} {k}".ljust(34) + f" // {e['text']}")
    lines.append(f"`define ERRORS_W {len(core['error'])}")
    lines += ["", "// How a run ended: STATUS.END."]
    for k, e in enumerate(core["end"]):
        lines.append(f"`define END_{e['name']} 3'd{k}".ljust(34) + f" // {e['text']}")
    return "\n".join([*lines, "", "`endif"]) + "\n"


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def register_header_cpp(core):
    lines = [f"// The core's registers. {NOTE}", "#pragma once", "", "// clang-format off", "",
             "#include <cstdint>", "", '#include "mantissa/run_end.hpp"', "", "namespace mantissa::sim {", "",
             "/// Byte addresses; values wider than 32 bits take two words, the low one at the lower address.",
             "enum Register : std::uint32_t {"]
    for r in core["register"]:
        tail = " // of band b at 8 b after" if r["name"] == "COEFFICIENT" else ""
        lines.append(f"    k{camel(r['name'])} = 0x{r['at']:02X},{tail}")
    lines += ["};", "", f"constexpr std::uint32_t kIdValue = 0x{core['register'][0]['reset']:08X};", "",
              "/// Bits of CONTROL."]
    lines.append("enum ControlBit : std::uint32_t {")
    lines += [f"    k{camel(b['name'])}Bit = 1U << {b['bit']}, // {b['text']}"
              for b in core["bit"] if b["register"] == "CONTROL"]
    lines += ["};", "", "/// Bits of STATUS.", "enum StatusBit : std::uint32_t {"]
    lines += [f"    k{camel(b['name'])}Bit = 1U << {b['bit']}, // {b['text']}"
              for b in core["bit"] if b["register"] == "STATUS" and b.get("width", 1) == 1]
    end = next(b for b in core["bit"] if b["name"] == "END")
    lines += ["};", "", f"/// STATUS[{end['bit'] + end['width'] - 1}:{end['bit']}], how a run ended: a number of mantissa::RunEnd.",
              "constexpr std::uint32_t end_number(std::uint32_t status) {",
              f"    return (status >> {end['bit']}) & {(1 << end['width']) - 1};", "}", "",
              "// The core's numbers are the contract's."]
    lines += [f"static_assert(static_cast<std::uint32_t>(RunEnd::{e['name'].lower()}) == {k}); // {e['text']}"
              for k, e in enumerate(core["end"])]
    lines += ["", "} // namespace mantissa::sim"]
    return "\n".join(lines) + "\n"


def error_bits_cpp(core):
    return "\n".join(f"    k{camel(e['name'])} = {1 << k}," for k, e in enumerate(core["error"])) + "\n"


def registers_python(core):
    lines = [f'"""The core\'s registers. {NOTE}"""', ""]
    lines += [f"{r['name']} = 0x{r['at']:02X}" for r in core["register"]]
    lines += ["", f"ID_VALUE = 0x{core['register'][0]['reset']:08X}", ""]
    for b in core["bit"]:
        mask = (1 << b.get("width", 1)) - 1
        lines.append(f"{b['register']}_{b['name']} = 0x{mask << b['bit']:X}  # {b['text']}")
    lines += [""] + [f"ERROR_{e['name']} = 0x{1 << k:X}" for k, e in enumerate(core["error"])]
    return "\n".join(lines) + "\n"


def register_table(core):
    lines = ["| address | name | access | content |", "|---|---|---|---|"]
    for r in core["register"]:
        at = f"0x{r['at']:02X}"
        name = r["name"]
        if r.get("count", 1) > 1:
            at = f"{at} + 8 b, 0x{r['at'] + 4:02X} + 8 b"
            name += f" b, b = 0 to {r['count'] - 1}"
        elif r.get("words", 1) == 2:
            at += f", 0x{r['at'] + 4:02X}"
        only = f" ({r['of']})" if r.get("of") else ""
        lines.append(f"| {at} | {name} | {r['access']} | {r['text']}{only} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def end_table(core):
    lines = ["| value | end | alpha |", "|---|---|---|"]
    lines += [f"| {k} | {e['text']} | {e.get('alpha', '')} |".replace("|  |", "| |") for k, e in enumerate(core["end"])]
    return "\n".join(lines) + "\n"


def error_table(core):
    lines = ["| ERRORS bit | meaning | when |", "|---|---|---|"]
    lines += [f"| {k} | {e['text']} | {e['when']} |" for k, e in enumerate(core["error"])]
    return "\n".join(lines) + "\n"


def register_comment(core):
    """The map in core_regs.sv's header."""
    lines = []
    for r in core["register"]:
        name = r["name"]
        if r.get("count", 1) > 1:
            name += " b"
        more = f" + 8 b, b = 0..{r['count'] - 1}: " if r.get("count", 1) > 1 else ""
        text = more + r["text"] if more else r["text"]
        if r.get("of"):
            text += f" ({r['of']})"
        for k, part in enumerate(wrapped(text, 80)):
            head = f"{r['at']:03X} {name:<14} {r['access']:<4} " if k == 0 else " " * 24
            lines.append(f"///   {head}{part}".rstrip())
    return "\n".join(lines) + "\n"


def resident_header(core):
    registers = core["resident_register"]
    lines = ["// fx_resident's registers: addresses and codes.", f"// {NOTE}", "`ifndef RESIDENT_REGISTERS_SVH",
             "`define RESIDENT_REGISTERS_SVH", ""]
    lines += [f"`define RESIDENT_{r['name']} 8'h{r['at']:02X}".ljust(40) + f" // {r['access']}"
              f"{', a pair' if r.get('words', 1) == 2 else ''}" for r in registers]
    lines += ["", "// Addresses that can be written, and read (CONTROL as zero); all others answer SLVERR."]
    for word, letter in (("WRITABLE", "W"), ("READABLE", "R")):
        ranges = ranges_of([*registers, *[{**r, "access": "R"} for r in registers if r["name"] == "CONTROL"]], letter)
        lines.append(broken(f"`define RESIDENT_{word}(at) {in_ranges(ranges)}", "    ", " \\"))
    lines += ["", f"`define RESIDENT_ID_VALUE 32'h{registers[0]['reset']:08X}", "", "// How a solve ended: STATUS[7:4]."]
    for k, e in enumerate(core["resident_end"]):
        lines.append(f"`define RESIDENT_END_{e['name']} 4'd{k}".ljust(40) + f" // {e['text']}")
    return "\n".join([*lines, "", "`endif"]) + "\n"


def resident_header_cpp(core):
    lines = [f"// fx_resident's registers. {NOTE}", "#pragma once", "", "// clang-format off", "", "#include <cstdint>", "",
             "namespace mantissa::sim::resident_core {", "",
             "/// Byte addresses; values wider than 32 bits take two words, the low one at the lower address.",
             "enum Register : std::uint32_t {"]
    lines += [f"    k{camel(r['name'])} = 0x{r['at']:02X}," for r in core["resident_register"]]
    lines += ["};", "", f"constexpr std::uint32_t kIdValue = 0x{core['resident_register'][0]['reset']:08X};", "",
              "/// STATUS[7:4], how a solve ended.", "enum End : std::uint32_t {"]
    lines += [f"    kEnd{camel(e['name'])} = {k}, // {e['text']}" for k, e in enumerate(core["resident_end"])]
    lines += ["};", "", "} // namespace mantissa::sim::resident_core"]
    return "\n".join(lines) + "\n"


def resident_register_table(core):
    return register_table({"register": core["resident_register"]})


def resident_end_table(core):
    lines = ["| value | how the solve ended |", "|---|---|"]
    lines += [f"| {k} | {e['name']}: {e['text']} |" for k, e in enumerate(core["resident_end"])]
    return "\n".join(lines) + "\n"
