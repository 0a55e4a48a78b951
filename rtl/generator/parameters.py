"""Parameters of the cores: module heads, FuseSoC descriptions, tables of the documents."""

from .text import NOTE, filled


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


def fusesoc_names(core, more=()):
    return fusesoc_list([*parameter_names(core), *more])


BYTES = [v + "Bytes" for v in ("U", "R", "P", "Q", "Coef")]


def fx_fusesoc_names(core, before=(), more=()):
    return fusesoc_list([*before, *(name for name, _, _ in named_parameters(core["fx_parameter"])), *more])


def resident_fusesoc_names(core, without=()):
    names = [name for name, _, _ in named_parameters([*core["fx_parameter"], *core["resident_parameter"]])]
    return fusesoc_list([name for name in names if name not in without])


def resident_axis_fusesoc_names(core):
    """Of fx_resident_axis, which counts the cores in it itself."""
    return resident_fusesoc_names(core, ["Core"])


def resident_cores_fusesoc_names(core):
    """Of fx_residents, which counts its cores itself."""
    names = [name for name, _, _ in named_parameters([*core["fx_parameter"], *core["resident_parameter"]])]
    return fusesoc_list(["Cores=2", *(n for n in names if n not in ("Cores", "Core"))])


NOT_SPARSE = ("Alone", "Chebyshev", "Checks")  # parameters that have one value in the sparse core


def sparse_rows(core):
    return [p for p in [*core["fx_parameter"], *core["sparse_parameter"]] if p.get("name") not in NOT_SPARSE]


def sparse_fusesoc_names(core, more=()):
    return fusesoc_list([*(name for name, _, _ in named_parameters(sparse_rows(core))), *more])


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
    cores = fusesoc_line("Cores", 2, "Cores side by side (targets cores)")
    return "\n".join([*fusesoc_lines(core["fx_parameter"]), cores, *bytes_lines()]) + "\n"


def resident_fusesoc_descriptions(core):
    return "\n".join(fusesoc_lines([*core["fx_parameter"], *core["resident_parameter"]])) + "\n"


def sparse_fusesoc_descriptions(core):
    lines = fusesoc_lines(sparse_rows(core))
    lines.append(fusesoc_line("WordBytes", 4, "Bytes of a word of a vector in its streams (target axis)"))
    return "\n".join(lines) + "\n"


def more_parameter_table(parameters):
    lines = ["| parameter | of | default |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {p['name']} | {p['text']} | {p['default']} |" for p in parameters)]) + "\n"


def resident_parameter_table(core):
    return more_parameter_table(core["resident_parameter"])


def sparse_parameter_table(core):
    return more_parameter_table(core["sparse_parameter"])


def bytes_lines():
    whats = {"Coef": "a band"}
    return [fusesoc_line(v, 4, f"Bytes of an element of {whats.get(v[:-5], v[0].lower())} in its stream (targets axis)") for v in BYTES]


def fusesoc_descriptions(core):
    return "\n".join([*fusesoc_lines(core["parameter"]), *bytes_lines()]) + "\n"


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
