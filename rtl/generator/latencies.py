"""Latencies in clocks as functions of formats: from one expression to macros, C++ and a table."""

import ast

from .text import NOTE, broken, wrapped


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
