"""Writes what rtl/core.toml describes where RTL, C++, Python and documents need it.

usage: generate.py [--check] [ROOT]

ROOT is the project's folder, by default the one that this file is in. A target is a whole file, or the part of a file
between a line with `generated: NAME` and the next one with `end of generated`. With --check nothing is written: files
that differ from what would be written are named, and the exit code is 1. The files are committed, so a build needs no
Python, and a reader sees them as they are.
"""

import ast
import re
import sys
import tomllib
from pathlib import Path

NOTE = "Written by rtl/generate.py from rtl/core.toml; edit that and run it again."


# ---- Parameters --------------------------------------------------------------------------------------------------------

def parameters(core):
    """(name, default, comment) of every parameter of pcg_core, a format's two or three in a row."""
    return named_parameters(core["parameter"])


def named_parameters(rows):
    for p in rows:
        if "word" in p:
            w, f = p["default"]
            yield p["word"] + "W", w, f"bits of words of {p['text']},"
            yield p["word"] + "F", f, "of which fraction" + ("," if p.get("rounds", True) else "")
            if p.get("rounds", True):
                yield p["word"] + "Down", 0, "rounded 0 to nearest, half up, 1 down"
        elif "format" in p:
            e, m = p["default"]
            yield p["format"] + "ExpW", e, f"exponent bits of {p['text']},"
            yield p["format"] + "FracW", m, "and fraction bits" + ("," if p.get("rounds", True) else "")
            if p.get("rounds", True):
                yield p["format"] + "Rne", 0, "0 toward zero, 1 to nearest-even"
        else:
            yield p["name"], p["default"], p["text"]


def parameter_names(core):
    return [name for name, _, _ in parameters(core)]


def parameter_list(core):
    return list_of("pcg_core", parameters(core), core["derived"])


def fx_parameter_list(core):
    return list_of("fx_core", named_parameters(core["fx_parameter"]), core["fx_derived"])


def list_of(top, rows, derived):
    lines = [f"  // {top}'s parameters, for the head of a module. Parts of the core read those of their subject.", f"  // {NOTE}",
             "  /* verilator lint_off UNUSEDPARAM */"]
    lines += [f"  parameter integer {name} = {default},".ljust(40) + f" ///< {text}" for name, default, text in rows]
    lines.append("  // What follows from them.")
    for k, d in enumerate(derived):
        comma = "," if k + 1 < len(derived) else ""
        lines += [f"  // {d['text']}", f"  localparam integer {d['name']} = {d['value']}{comma}"]
    lines.append("  /* verilator lint_on UNUSEDPARAM */")
    return "\n".join(lines) + "\n"


def parameters_passed(core):
    return passed("pcg_core", parameters(core))


def fx_parameters_passed(core):
    return passed("fx_core", named_parameters(core["fx_parameter"]))


def passed(top, parameters_of_top):
    rows = [f".{name}({name})" for name, _, _ in parameters_of_top]
    return f"    // {top}'s parameters, handed on.\n    // {NOTE}\n" + filled(rows, "    ", ", ", 118) + "\n"


def filled(words, indent, separator, width):
    """Words in lines of at most `width` characters."""
    lines, line = [], indent
    for k, word in enumerate(words):
        piece = word + (separator.rstrip() if k + 1 < len(words) else "")
        if line.strip() and len(line) + len(piece) > width:
            lines.append(line.rstrip())
            line = indent
        line += piece + " "
    return "\n".join([*lines, line.rstrip()])


def fusesoc_names(core, more=()):
    return fusesoc_list([*parameter_names(core), *more])


def fx_fusesoc_names(core):
    return fusesoc_list([name for name, _, _ in named_parameters(core["fx_parameter"])])


def resident_fusesoc_names(core):
    return fusesoc_list([name for name, _, _ in named_parameters([*core["fx_parameter"], *core["resident_parameter"]])])


def sparse_fusesoc_names(core, more=()):
    named = named_parameters([*core["fx_parameter"], *core["sparse_parameter"]])
    return fusesoc_list([*(name for name, _, _ in named), *more])


def fusesoc_list(words):
    return "    parameters:\n" + filled([f"{'[' if w == words[0] else ''}{w}{']' if w == words[-1] else ''}"
                                         for w in words], "      ", ", ", 118) + "\n"


def fusesoc_line(name, default, text):
    return f'  {name}: {{datatype: int, default: {default}, paramtype: vlogparam, description: "{text}"}}'


def fusesoc_lines(rows):
    line, lines = fusesoc_line, []
    for p in rows:
        if "word" in p:
            w, f = p["default"]
            lines.append(line(p["word"] + "W", w, f"Bits of words of {p['text']}"))
            lines.append(line(p["word"] + "F", f, f"Fraction bits of {p['text']}"))
            if p.get("rounds", True):
                lines.append(line(p["word"] + "Down", 0, f"Rounding of {p['text']}: 0 to nearest, half up, 1 down"))
        elif "format" in p:
            what = p["text"]
            lines.append(line(p["format"] + "ExpW", p["default"][0], f"Exponent bits of {what}"))
            lines.append(line(p["format"] + "FracW", p["default"][1], f"Fraction bits of {what}"))
            if p.get("rounds", True):
                lines.append(line(p["format"] + "Rne", 0, f"Rounding of {what}: 0 toward zero, 1 to nearest-even"))
        else:
            text = p["text"].rstrip(",")
            lines.append(line(p["name"], p["default"], text[0].upper() + text[1:]))
    return lines


def fx_fusesoc_descriptions(core):
    return "\n".join(fusesoc_lines(core["fx_parameter"])) + "\n"


def resident_fusesoc_descriptions(core):
    return "\n".join(fusesoc_lines([*core["fx_parameter"], *core["resident_parameter"]])) + "\n"


def sparse_fusesoc_descriptions(core):
    lines = fusesoc_lines([*core["fx_parameter"], *core["sparse_parameter"]])
    lines.append(fusesoc_line("WordBytes", 4, "Bytes of a word of a vector in its streams (target axis)"))
    return "\n".join(lines) + "\n"


def more_parameter_table(parameters):
    lines = ["| parameter | of | default |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {p['name']} | {p['text']} | {p['default']} |" for p in parameters)]) + "\n"


def resident_parameter_table(core):
    return more_parameter_table(core["resident_parameter"])


def sparse_parameter_table(core):
    return more_parameter_table(core["sparse_parameter"])


def fusesoc_descriptions(core):
    line, lines = fusesoc_line, fusesoc_lines(core["parameter"])
    for v in ("U", "R", "P", "Q", "Coef"):
        what = "a band" if v == "Coef" else v.lower()
        lines.append(line(v + "Bytes", 4, f"Bytes of an element of {what} in its stream (target axis)"))
    return "\n".join(lines) + "\n"


def parameter_table(core):
    lines = ["| parameters | of | in a specification such as `s14e8,u=s23e8,row=s20e8` | default |", "|---|---|---|---|"]
    for p in core["parameter"]:
        if "format" in p:
            f = p["format"]
            names = [f + "ExpW", f + "FracW", *([f + "Rne"] if p.get("rounds", True) else [])]
            e, m = p["default"]
            lines.append(f"| {' '.join(names)} | {p['text']} | {p['spec']} | s{m}e{e} |")
        else:
            lines.append(f"| {p['name']} | {p['text']} | {p.get('spec', '')} | {p['default']} |")
    lines.append("| UBytes RBytes PBytes QBytes CoefBytes | bytes of an element in its stream (`pcg_core_axis`) | | "
                 "what the format needs |")
    return "\n".join(lines) + "\n"


def fx_parameter_table(core):
    lines = ["| parameters | of | in a specification such as `fx18.16,operand=s13e8,scalar=s23e8` | default |",
             "|---|---|---|---|"]
    for p in core["fx_parameter"]:
        if "word" in p:
            w, f = p["default"]
            names = [p["word"] + "W", p["word"] + "F", *([p["word"] + "Down"] if p.get("rounds", True) else [])]
            lines.append(f"| {' '.join(names)} | {p['text']} | {p['spec']} | fx{w}.{f} |")
        elif "format" in p:
            e, m = p["default"]
            lines.append(f"| {p['format']}ExpW {p['format']}FracW {p['format']}Rne | {p['text']} | {p['spec']} | s{m}e{e} |")
        else:
            lines.append(f"| {p['name']} | {p['text'].rstrip(',')} | {p.get('spec', '')} | {p['default']} |")
    return "\n".join(lines) + "\n"


# ---- Registers ---------------------------------------------------------------------------------------------------------

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
        tail = " // of band b at 8 b behind" if r["name"] == "COEFFICIENT" else ""
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


def wrapped(text, width):
    lines, line = [], " " * (len(text) - len(text.lstrip()))
    for word in text.split():
        if line.strip() and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line.strip() else line + word
    return [*lines, line]


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


# ---- Latencies ---------------------------------------------------------------------------------------------------------

class Writer:
    """An expression in another language, with the brackets that it needs there."""

    SIGNS = {ast.Add: ("+", 6), ast.Sub: ("-", 6), ast.Mult: ("*", 7), ast.FloorDiv: ("/", 7), ast.LShift: ("<<", 5.5), ast.Gt: (">", 5),
             ast.Lt: ("<", 5), ast.Eq: ("==", 4), ast.NotEq: ("!=", 4), ast.And: ("&&", 3), ast.Or: ("||", 2)}
    CHOICE, ALL = 1, 0  # how tightly ?: binds, and nothing

    def __init__(self, language):
        self.language = language

    def __call__(self, node, least=ALL):
        """`least`: brackets around what binds less tightly."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.Name):  # a macro's argument may be an expression
            return f"({node.id})" if self.language == "sv" and least > self.ALL else node.id
        if isinstance(node, ast.Call):
            return self.call(node.func.id, [self(a) for a in node.args])
        if isinstance(node, ast.IfExp):
            mine = self.CHOICE
            text = f"{self(node.test, 2)} ? {self(node.body, 2)} : {self(node.orelse, self.CHOICE)}"
        elif isinstance(node, ast.BoolOp):
            sign, mine = self.SIGNS[type(node.op)]
            text = f" {sign} ".join(self(v, mine + 1) for v in node.values)
        elif isinstance(node, (ast.BinOp, ast.Compare)):
            left, op, right = ((node.left, node.op, node.right) if isinstance(node, ast.BinOp)
                               else (node.left, node.ops[0], node.comparators[0]))
            sign, mine = self.SIGNS[type(op)]
            text = f"{self(left, mine)} {sign} {self(right, mine + 1)}"
        else:
            raise SystemExit(f"core.toml: {ast.unparse(node)}: no such expression is known")
        return f"({text})" if mine < least else text

    def call(self, name, arguments):
        words = ", ".join(arguments)
        if self.language == "sv":
            if name == "log2":
                return f"$clog2({words})"
            macro = f"{name.upper()}{len(arguments)}" if name in ("min", "max") else name.upper()
            return f"`{macro}({words})"
        if name == "log2":
            return f"log2_up({words})"
        return f"std::{name}({{{words}}})" if name in ("min", "max") else f"{name}({words})"


def tree_of(latency):
    return ast.parse(latency["expression"], mode="eval").body


def broken(text, indent, end=""):
    """A long line broken at blanks, each but the last line ended with `end`."""
    lines = []
    for k, part in enumerate(wrapped(text, 118 - len(indent) - len(end))):
        lines.append((indent if k else "") + part)
    return f"{end}\n".join(lines)


def latency_header(core):
    lines = ["// Latencies in clocks as functions of formats.", f"// {NOTE}", "`ifndef CORE_LATENCIES_SVH",
             "`define CORE_LATENCIES_SVH", "", "`define MAX2(a, b) ((a) > (b) ? (a) : (b))",
             "`define MIN2(a, b) ((a) < (b) ? (a) : (b))", "`define MAX3(a, b, c) `MAX2(`MAX2(a, b), c)", ""]
    for f in core["latency"]:
        lines += [f"// {part}" for part in wrapped(f["text"] + ".", 110)]
        arguments = f"({', '.join(f['arguments'])})" if f["arguments"] else ""
        lines += [broken(f"`define {f['name'].upper()}{arguments} ({Writer('sv')(tree_of(f))})", "    ", " \\"), ""]
    return "\n".join([*lines, "`endif"]) + "\n"


def latency_header_cpp(core):
    lines = ["// Latencies of the RTL in clocks, as functions of the formats' fraction and exponent bits.", f"// {NOTE}",
             "#pragma once", "", "// clang-format off", "", "#include <algorithm>", "",
             "namespace mantissa::sim::latency {", "",
             "/// The exponent of the next power of two, from 1 up.", "constexpr int log2_up(int x) {",
             "    int n = 0;", "    while ((1 << n) < x) ++n;", "    return n;", "}", ""]
    for f in core["latency"]:
        lines += [f"/// {part}" for part in wrapped(f["text"] + ".", 110)]
        used = {n.id for n in ast.walk(tree_of(f)) if isinstance(n, ast.Name)}
        arguments = ", ".join(f"{'' if a in used else '[[maybe_unused]] '}int {a}" for a in f["arguments"])
        unused = "[[maybe_unused]] " if not f["arguments"] else ""
        lines += [f"{unused}constexpr int {f['name']}({arguments}) {{",
                  broken(f"    return {Writer('cpp')(tree_of(f))};", "           "), "}", ""]
    return "\n".join([*lines, "} // namespace mantissa::sim::latency"]) + "\n"


def values(core):
    """Python functions of the latencies."""
    names = {"log2": lambda x: (x - 1).bit_length(), "min": min, "max": max, "__builtins__": {}}
    for f in core["latency"]:
        names[f["name"]] = eval(f"lambda {', '.join(f['arguments'])}: {f['expression']}", names)  # noqa: S307 our own file
    return names


def latency_table(core):
    formats = [(17, 8), (20, 8), (23, 8), (28, 11), (52, 11)]
    functions = values(core)
    lines = ["| latency | in clocks | " + " | ".join(f"s{m}e{e}" for m, e in formats) + " |",
             "|---|---|" + "---|" * len(formats)]
    for f in core["latency"]:
        if not all(a.endswith("frac") for a in f["arguments"]):
            continue
        shown = [str(functions[f["name"]](*[m] * len(f["arguments"]))) for m, _ in formats]
        arguments = f"({', '.join(f['arguments'])})" if f["arguments"] else ""
        lines.append(f"| `{f['name'].upper()}{arguments}` | {f['expression']} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


# ---- Where it goes -----------------------------------------------------------------------------------------------------

FILES = {
    "rtl/core_parameters.svh": parameter_list,
    "rtl/core_parameters_passed.svh": parameters_passed,
    "rtl/fx_parameters.svh": fx_parameter_list,
    "rtl/fx_parameters_passed.svh": fx_parameters_passed,
    "rtl/core_registers.svh": register_header,
    "rtl/resident_registers.svh": resident_header,
    "rtl/core_latencies.svh": latency_header,
    "sim/src/core_registers.hpp": register_header_cpp,
    "sim/src/resident_registers.hpp": resident_header_cpp,
    "sim/include/mantissa/sim/latencies.hpp": latency_header_cpp,
    "tests/cocotb/core_registers.py": registers_python,
}
PARTS = {
    "rtl/mantissa.core": {
        "names": lambda core: fusesoc_names(core),
        "axis names": lambda core: fusesoc_names(core, [v + "Bytes" for v in ("U", "R", "P", "Q", "Coef")]),
        "parameters": fusesoc_descriptions,
    },
    "rtl/fx_core.core": {"names": fx_fusesoc_names, "parameters": fx_fusesoc_descriptions},
    "rtl/fx_resident.core": {"names": resident_fusesoc_names, "parameters": resident_fusesoc_descriptions},
    "rtl/sp_core.core": {"names": sparse_fusesoc_names,
                         "axis names": lambda core: sparse_fusesoc_names(core, ["WordBytes"]),
                         "parameters": sparse_fusesoc_descriptions},
    "docs/sparse_rtl.md": {"parameters": sparse_parameter_table},
    "rtl/core/core_regs.sv": {"map": register_comment},
    "rtl/README.md": {"latencies": latency_table},
    "docs/integration.md": {"parameters": parameter_table, "fx_core parameters": fx_parameter_table, "registers": register_table, "ends": end_table,
                            "resident parameters": resident_parameter_table,
                            "resident registers": resident_register_table, "resident ends": resident_end_table,
                            "errors": error_table},
    "sim/include/mantissa/sim/rtl_engine.hpp": {"error bits": error_bits_cpp},
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
