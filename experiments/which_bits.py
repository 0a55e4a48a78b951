#!/usr/bin/env python3
"""The tables and plots of docs/which_bits.md from the stores that two sweeps fill.

    experiments/which_bits.py STORE [--schedules STORE] [--docs FOLDER]

STORE is of experiments/which_bits.toml, that of --schedules of experiments/schedule.toml. Writes FOLDER/which_bits.svg,
FOLDER/which_bits_matrices.svg and the tables of FOLDER/which_bits.md, between its marker lines. Python's standard
library only.
"""
import argparse
import json
import math
import pathlib
import re
import sqlite3
import sys

BEGIN, END = "<!-- tables: which_bits.py writes these -->", "<!-- end of tables -->"
HERE = pathlib.Path(__file__).resolve().parent
FORMS = (  # label, what a specification has after its base, colour
    ("nine products, as FCCM'06", ",u=s23e8", "#b2182b"),
    ("nine products, six guard bits", ",u=s23e8,row", "#ef8a62"),
    ("fluxes", ",u=s23e8,order=flux", "#67a9cf"),
    ("second differences", ",u=s23e8,order=second-difference", "#2166ac"),
    ("integers (fixed point)", "fx", "#1b7837"),
)
FLOATS, WORDS = (4, 8, 10, 12, 14, 17, 20, 23), (14, 16, 18, 20, 22, 24, 26)
MATRIX = ",u=fx53.29,coef=fx{},operand=s23e11"
FRACTIONS = ((17, "fx33.17", "19.17", "#b2182b"), (20, "fx36.20", "22.20", "#ef8a62"),
             (24, "fx40.24", "26.24", "#67a9cf"), (28, "fx44.28", "30.28", "#2166ac"))


class Store:
    """Iterations (None where not converged) and words by problem and specification; keys tell settings apart."""

    def __init__(self, path, sweep):
        if not pathlib.Path(path).is_file():
            sys.exit(f"{path}: no such file; run mantissa sweep {sweep} first")
        rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
            "SELECT key, problem, spec, scheme, inner, status, inner_iterations, words FROM points")
        self.points = {}
        for key, problem, spec, scheme, inner, status, iterations, words in rows:
            headroom = re.search(r" headroom=(-?\d+)", key)
            setting = (scheme, inner, headroom and int(headroom.group(1)))
            self.points[problem, spec, setting] = (status, iterations, json.loads(words or "{}"))

    def get(self, problem, spec, scheme="residual-guided", inner=10, headroom=None):
        return self.points.get((problem, spec, (scheme, inner, headroom)))


def count(point):
    return point[1] if point and point[0] == "converged" else None


def text(point):
    return "" if point is None else str(point[1]) if point[0] == "converged" else f"no ({point[0]})"


def spec_of(form, bits):
    """The specification, as the store writes it, and the bits of a word, of a form at a number of bits."""
    if form == "fx":
        return f"fx{bits}.{bits - 2}", bits
    base = f"s{bits}e8"
    if bits == 23:
        form = form.replace(",u=s23e8", "")
    form = form.replace(",row", f",row=s{bits + 6}e8")
    return base + form, bits + 9


def curve(store, problem, form):
    out = []
    for bits in WORDS if form == "fx" else FLOATS:
        spec, width = spec_of(form, bits)
        found = count(store.get(problem, spec))
        if found:
            out.append((width, found))
    return out


def paper(level):
    """Word bits and iterations of FCCM'06's residual guided solver, ten inner iterations per step."""
    out = []
    for line in (HERE / "paper" / "tables2to4_iterations.csv").read_text().splitlines():
        cells = line.split(",")
        form = re.fullmatch(r"s(\d+)e8", cells[2]) if len(cells) > 6 else None
        if form and cells[1] == "residual_guided" and cells[3] == "fixed10" and cells[4] == str(level) and cells[5] == "ok":
            out.append((int(form.group(1)) + 9, int(cells[6])))
    return out


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)] + \
           ["| " + " | ".join(row) + " |" for row in rows] + [""]


def poisson_tables(store):
    lines = []
    for level in (8, 9, 10):
        problem = f"poisson2d:level={level}"
        double = text(store.get(problem, "s52e11:rne:subnormals"))
        lines += [f"### Poisson, level {level}: double {double}", ""]
        if level < 10:
            rows = [[f"s{bits}e8"] + [text(store.get(problem, spec_of(form, bits)[0])) for _, form, _ in FORMS[:-1]]
                    for bits in FLOATS[0 if level < 9 else 1:]]
        else:
            rows = [[f"s{b}e8"] + ["", "", ""] + [text(store.get(problem, spec_of(FORMS[3][1], b)[0]))] for b in (14, 17, 23)]
        lines += table(["r, p, q (u in s23e8)"] + [label for label, _, _ in FORMS[:-1]], rows)
        here = [w for w in WORDS if store.get(problem, f"fx{w}.{w - 2}")]
        lines += table(["words"] + [f"fx{w}.{w - 2}" for w in here],
                       [["iterations"] + [text(store.get(problem, f"fx{w}.{w - 2}")) for w in here]])
    return lines


def field_tables(store):
    problems = [("anisotropy 10", "poisson2d:level=7,anisotropy=10"), ("anisotropy 100", "poisson2d:level=7,anisotropy=100"),
                ("smooth field, 1 : 100", "diffusion2d:level=7,field=smooth,contrast=100,seed=1"),
                ("jump, 1 : 100", "diffusion2d:level=7,field=jump,contrast=100,seed=1"),
                ("jump, 1 : 10000", "diffusion2d:level=7,field=jump,contrast=10000,seed=1")]
    specs = [("double", "s52e11:rne:subnormals")]
    for bits in (10, 14, 17, 23):
        specs += [(f"s{bits} products", spec_of(FORMS[0][1], bits)[0]), (f"s{bits} fluxes", spec_of(FORMS[2][1], bits)[0])]
    specs += [(f"fx{w}.{w - 2}", f"fx{w}.{w - 2}") for w in (18, 22, 26, 30)]
    rows = [[label] + [text(store.get(problem, spec)) for _, problem in problems] for label, spec in specs]
    return ["### Anisotropy and coefficients that vary, level 7", ""] + table(["datapath"] + [l for l, _ in problems], rows)


def matrices(store):
    """(name, CG in double, points by fraction bits), best relative count at 24 bits first."""
    out = []
    for problem in sorted({p for p, _, _ in store.points if p.startswith("mtx:")}):
        double = store.get(problem, "s52e11:rne:subnormals", "direct", None)
        found = {f: store.get(problem, base + MATRIX.format(coef), headroom=0) for f, base, coef, _ in FRACTIONS}
        out.append((problem[4:].removesuffix(".mtx"), double, found))
    rank = lambda m: (count(m[2][24]) or math.inf) / (count(m[1]) or 1)
    return sorted(out, key=rank)


def matrix_table(store):
    rows = []
    for name, double, found in matrices(store):
        words = (found[24] or ("", 0, {}))[2].get("bits", {})
        over = str(max(words[v] for v in "rpq") - 24) if words and count(found[24]) else ""
        rows.append([name, text(double)] + [text(found[f]) for f, _, _, _ in FRACTIONS] + [over])
    return ["### Twelve matrices, scaled to a unit diagonal", ""] + table(
        ["matrix", "CG in double"] + [f"{f} bits" for f, _, _, _ in FRACTIONS] + ["bits above the point"], rows)


def schedule_tables(path):
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
        "SELECT problem, key, spec, status, inner_iterations, words FROM points").fetchall()
    named = lambda key, spec: (re.search(r" schedule=(\S+)", key) or [None, spec])[1]
    rows = [(problem, named(key, spec), *rest) for problem, key, spec, *rest in rows]
    lines = ["### Bits multiplied and added in a whole solve", ""]
    for problem in sorted({row[0] for row in rows}):
        cells = []
        for _, spec, status, iterations, words in sorted((r for r in rows if r[0] == problem), key=lambda r: (";" in r[1], r[1])):
            bits = json.loads(words or "{}").get("bit_operations")
            stages = spec.split(";")
            shown = [s.replace(",u=fx53.29", "").replace(",operand=s23e11", "") for s in stages]
            shown = [", below ".join(reversed(s.split(":", 1))) if len(stages) > 1 else s for s in shown]
            cells.append(["; ".join(shown).replace(", below 1;", ";"), text((status, iterations)), *(f"{b / 1e12:.3g}" for b in bits or [])])
        lines += table([problem, "iterations", "10^12 bits multiplied", "10^12 bits added"], cells)
    return lines


def head(width, height):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']


def plot_words(store):
    """Iterations against the bits of a word, one curve for each form, levels 8 and 9."""
    width, height, top, left, gap = 380, 330, 62, 60, 70
    out = head(left + 2 * width + gap + 20, top + height + 116)
    out.append(f'<text x="{left}" y="22" font-size="15">Iterations that a solve to 1e-10 takes, by the bits of a word of '
               'r, p and q</text>')
    for k, level in enumerate((8, 9)):
        problem = f"poisson2d:level={level}"
        x0 = left + k * (width + gap)
        double = count(store.get(problem, "s52e11:rne:subnormals"))
        curves = [(colour, curve(store, problem, form)) for _, form, colour in FORMS]
        published = paper(level)
        numbers = [n for _, line in curves for _, n in line] + [n for _, n in published] + ([double] if double else [])
        if not numbers:
            continue
        low, high = math.log10(min(numbers) * 0.85), math.log10(max(numbers) * 1.2)
        x = lambda bits: x0 + (bits - 12) / 22 * width
        y = lambda n: top + height - (math.log10(n) - low) / (high - low) * height
        out.append(f'<rect x="{x0}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>'
                   f'<text x="{x0 + width / 2}" y="{top - 10}" text-anchor="middle" font-size="13">'
                   f'Poisson, {(2 ** level + 1) ** 2:,} unknowns (level {level})</text>')
        for bits in range(14, 34, 4):
            out.append(f'<line x1="{x(bits):.1f}" y1="{top}" x2="{x(bits):.1f}" y2="{top + height}" stroke="#eee"/>'
                       f'<text x="{x(bits):.1f}" y="{top + height + 16}" text-anchor="middle">{bits}</text>')
        for n in (m * 10 ** e for e in range(1, 7) for m in (1, 2, 5)):
            if low <= math.log10(n) <= high:
                out.append(f'<line x1="{x0}" y1="{y(n):.1f}" x2="{x0 + width}" y2="{y(n):.1f}" stroke="#eee"/>'
                           f'<text x="{x0 - 6}" y="{y(n) + 4:.1f}" text-anchor="end">{n}</text>')
        out.append(f'<text x="{x0 + width / 2}" y="{top + height + 34}" text-anchor="middle">bits of a word '
                   '(floating point: sign, exponent, fraction)</text>')
        if double:
            out.append(f'<line x1="{x0}" y1="{y(double):.1f}" x2="{x0 + width}" y2="{y(double):.1f}" stroke="black" '
                       f'stroke-dasharray="2,3"/><text x="{x0 + 5}" y="{y(double) - 5:.1f}">double: {double}</text>')
        for colour, line in curves:
            dots = [(x(bits), y(n)) for bits, n in line]
            out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
                       + " ".join(f"{a:.1f},{b:.1f}" for a, b in dots) + '"/>')
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in dots]
        out += [f'<circle cx="{x(b):.1f}" cy="{y(n):.1f}" r="4.5" fill="none" stroke="black"/>' for b, n in published]
    for i, (label, _, colour) in enumerate(FORMS):
        a, b = left + (i % 3) * 270, top + height + 62 + 22 * (i // 3)
        out.append(f'<line x1="{a}" y1="{b}" x2="{a + 30}" y2="{b}" stroke="{colour}" stroke-width="2.5"/>'
                   f'<text x="{a + 38}" y="{b + 4}">{label}</text>')
    a, b = left + 2 * 270, top + height + 84
    out.append(f'<circle cx="{a + 15}" cy="{b}" r="4.5" fill="none" stroke="black"/><text x="{a + 38}" y="{b + 4}">'
               "printed in FCCM'06</text></svg>")
    return "\n".join(out) + "\n"


def plot_matrices(store):
    """Iterations relative to CG in double, one row for each matrix, one dot for each number of fraction bits."""
    rows = matrices(store)
    left, top, width, step = 130, 64, 560, 26
    height = step * len(rows)
    out = head(left + width + 110, top + height + 84)
    out.append(f'<text x="{left}" y="22" font-size="15">Integers on matrices: iterations, as multiples of what CG in '
               'double takes</text>')
    top_value = max([count(p) / count(d) for _, d, f in rows if count(d) for p in f.values() if count(p)] + [2]) * 1.1
    x = lambda v: left + math.log(v / 0.9) / math.log(top_value / 0.9) * width
    for v in (1, 1.5, 2, 3, 4, 6, 8):
        if v < top_value:
            out.append(f'<line x1="{x(v):.1f}" y1="{top - 8}" x2="{x(v):.1f}" y2="{top + height}" '
                       f'stroke="{"#888" if v == 1 else "#e4e4e4"}"/><text x="{x(v):.1f}" y="{top - 14}" '
                       f'text-anchor="middle">{v:g} x</text>')
    for i, (name, double, found) in enumerate(rows):
        y = top + step * i + step / 2
        out.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{name}</text>'
                   f'<line x1="{left}" y1="{y}" x2="{left + width}" y2="{y}" stroke="#f0f0f0"/>')
        solved = [f for f in FRACTIONS if count(found[f[0]]) and count(double)]
        for f, _, _, colour in solved:
            out.append(f'<circle cx="{x(count(found[f]) / count(double)):.1f}" cy="{y}" r="5" fill="{colour}" '
                       'fill-opacity="0.9"/>')
        note = "double fails too" if not count(double) else "" if len(solved) == 4 else "not solved"
        if note:
            out.append(f'<text x="{left + width + 6}" y="{y + 4}" fill="#666">{note}</text>')
    y = top + height + 34
    out.append(f'<text x="{left}" y="{y + 4}">fraction bits:</text>')
    for i, (f, _, _, colour) in enumerate(FRACTIONS):
        out.append(f'<circle cx="{left + 110 + 70 * i}" cy="{y}" r="5" fill="{colour}"/>'
                   f'<text x="{left + 122 + 70 * i}" y="{y + 4}">{f}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", help="the results file, SQLite")
    parser.add_argument("--schedules", help="that of experiments/schedule.toml; without it the page has no such table")
    parser.add_argument("--docs", default=HERE.parent / "docs", type=pathlib.Path)
    arguments = parser.parse_args()
    store = Store(arguments.store, "experiments/which_bits.toml")
    if not any(problem.startswith("poisson2d:") for problem, _, _ in store.points):
        sys.exit(f"{arguments.store}: no points of poisson2d; run the sweep first")
    lines = poisson_tables(store) + field_tables(store) + matrix_table(store)
    if arguments.schedules:
        lines += schedule_tables(arguments.schedules)
    page = arguments.docs / "which_bits.md"
    text_before = page.read_text() if page.exists() else f"# Which bits matter\n\n{BEGIN}\n{END}\n"
    before, rest = text_before.split(BEGIN)
    page.write_text(before + BEGIN + "\n\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1])
    (arguments.docs / "which_bits.svg").write_text(plot_words(store))
    (arguments.docs / "which_bits_matrices.svg").write_text(plot_matrices(store))


if __name__ == "__main__":
    main()
