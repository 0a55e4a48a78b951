#!/usr/bin/env python3
"""The table and the plot of docs/which_bits.md from the store that `mantissa sweep experiments/which_bits.toml` fills.

    experiments/which_bits.py STORE [--docs FOLDER]

Writes FOLDER/which_bits.svg and the tables of FOLDER/which_bits.md, between its two marker lines. Python's standard
library only.
"""
import argparse
import math
import pathlib
import re
import sqlite3
import sys

BEGIN, END = "<!-- tables: which_bits.py writes these -->", "<!-- end of tables -->"
GUARDS = (0, 2, 4, 6, 8)


class Point:
    """One stored solve: fraction bits of r, p, q, u and the row sum, the kind of dot product, iterations."""

    def __init__(self, problem, spec, status, inner):
        self.level = int(re.fullmatch(r"poisson2d:level=(\d+)", problem).group(1))
        base, *fields = re.split(r",(?![^\[]*\])", spec)
        field = dict(f.split("=", 1) for f in fields)
        bits = lambda text: int(re.match(r"s(\d+)e", text).group(1))
        self.ieee = base.endswith(":rne:subnormals")
        self.bits = bits(base)
        self.u = bits(field.get("u", base))
        self.guard = bits(field.get("row", base)) - self.bits
        self.fixed = field.get("dot", "").startswith("fixed")
        self.status = status
        self.inner = inner

    def text(self):
        return str(self.inner) if self.status == "converged" else self.status.replace("_", " ")


def load(store):
    if not pathlib.Path(store).is_file():
        sys.exit(f"{store}: no such file; run mantissa sweep experiments/which_bits.toml first")
    rows = sqlite3.connect(f"file:{store}?mode=ro", uri=True).execute(
        "SELECT problem, spec, status, inner_iterations FROM points "
        "WHERE scheme = 'residual-guided' AND inner = 10 AND problem LIKE 'poisson2d:level=%' AND engine = 'emulated' "
        "AND tolerance = 1e-10 AND jacobi = 0")
    return [Point(*row) for row in rows]


def find(points, level, bits, u, guard, fixed):
    """u: 'same' or 's23'. Where both are the same format, one stored point answers for both."""
    u_bits = bits if u == "same" else 23
    for p in points:
        if (not p.ieee and (p.level, p.bits, p.u, p.guard, p.fixed) == (level, bits, u_bits, guard, fixed)):
            return p
    return None


def tables(points):
    levels = sorted({p.level for p in points})
    formats = sorted({p.bits for p in points if not p.ieee})
    lines = []
    for level in levels:
        reference = {p.bits: p.text() for p in points if p.level == level and p.ieee}
        lines += [f"### Level {level}: double {reference.get(52, 'not run')}, float {reference.get(23, 'not run')}", ""]
        for fixed in (False, True):
            kind = "fixed[13:-50] dot products" if fixed else "floating-point dot products"
            lines += [f"| {kind}: r p q | " + " | ".join(f"u same, row +{g}" for g in GUARDS) + " | "
                      + " | ".join(f"u=s23e8, row +{g}" for g in GUARDS) + " |",
                      "|---|" + "---:|" * (2 * len(GUARDS))]
            for bits in formats:
                cells = [find(points, level, bits, u, g, fixed) for u in ("same", "s23") for g in GUARDS]
                lines.append(f"| s{bits}e8 | " + " | ".join(c.text() if c else "not run" for c in cells) + " |")
            lines.append("")
    return "\n".join(lines)


SERIES = (  # label, u, guard bits, fixed dot, colour, dash
    ("u same, row same", "same", 0, False, "#b2182b", ""),
    ("u same, row +6", "same", 6, False, "#ef8a62", ""),
    ("u = s23e8, row same", "s23", 0, False, "#67a9cf", ""),
    ("u = s23e8, row +6", "s23", 6, False, "#2166ac", ""),
    ("u = s23e8, row +6, fixed[13:-50]", "s23", 6, True, "#1b7837", "5,3"),
)


def plot(points):
    levels = sorted({p.level for p in points})
    width, height, left, top, gap = 300, 250, 56, 34, 30
    columns = 2
    rows = -(-len(levels) // columns)
    total_w, total_h = left + columns * (width + gap + 30), top + rows * (height + 66) + 20 * len(SERIES) + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_w}" height="{total_h}" '
           f'viewBox="0 0 {total_w} {total_h}" font-family="sans-serif" font-size="11">',
           f'<rect width="{total_w}" height="{total_h}" fill="white"/>']
    for k, level in enumerate(levels):
        x0, y0 = left + (k % columns) * (width + gap + 30), top + (k // columns) * (height + 66)
        here = [p for p in points if p.level == level and p.status == "converged"]
        if not here:
            continue
        low = math.log10(min(p.inner for p in here) * 0.85)
        high = math.log10(max(p.inner for p in here) * 1.15)
        x = lambda bits: x0 + (bits - 3) / 21 * width
        y = lambda n: y0 + height - (math.log10(n) - low) / (high - low) * height
        out.append(f'<rect x="{x0}" y="{y0}" width="{width}" height="{height}" fill="none" stroke="#888"/>')
        out.append(f'<text x="{x0 + width / 2}" y="{y0 - 8}" text-anchor="middle" font-size="13">level {level}</text>')
        for bits in (4, 7, 10, 12, 14, 17, 20, 23):
            out.append(f'<line x1="{x(bits):.1f}" y1="{y0}" x2="{x(bits):.1f}" y2="{y0 + height}" stroke="#eee"/>'
                       f'<text x="{x(bits):.1f}" y="{y0 + height + 15}" text-anchor="middle">{bits}</text>')
        for n in (m * 10 ** e for e in range(1, 7) for m in (1, 2, 5)):
            if low <= math.log10(n) <= high:
                out.append(f'<line x1="{x0}" y1="{y(n):.1f}" x2="{x0 + width}" y2="{y(n):.1f}" stroke="#eee"/>'
                           f'<text x="{x0 - 5}" y="{y(n) + 4:.1f}" text-anchor="end">{n}</text>')
        out.append(f'<text x="{x0 + width / 2}" y="{y0 + height + 32}" text-anchor="middle">fraction bits of r, p, q</text>')
        for p in points:
            if p.level == level and p.ieee and p.bits == 52 and p.status == "converged":
                out.append(f'<line x1="{x0}" y1="{y(p.inner):.1f}" x2="{x0 + width}" y2="{y(p.inner):.1f}" '
                           f'stroke="black" stroke-dasharray="2,3"/><text x="{x0 + width - 4}" y="{y(p.inner) - 4:.1f}" '
                           f'text-anchor="end">double {p.inner}</text>')
        for _, u, guard, fixed, colour, dash in SERIES:
            found = [find(points, level, bits, u, guard, fixed) for bits in range(2, 24)]
            line = [(x(p.bits), y(p.inner)) for p in found if p and p.status == "converged"]
            if line:
                out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}" points="'
                           + " ".join(f"{a:.1f},{b:.1f}" for a, b in line) + '"/>')
                out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{colour}"/>' for a, b in line]
    for i, (label, _, _, _, colour, dash) in enumerate(SERIES):
        y0 = top + rows * (height + 66) + 20 * i
        out.append(f'<line x1="{left}" y1="{y0}" x2="{left + 36}" y2="{y0}" stroke="{colour}" stroke-width="2" '
                   f'stroke-dasharray="{dash}"/><text x="{left + 44}" y="{y0 + 4}">{label}</text>')
    out.append(f'<text x="14" y="{top + height}" transform="rotate(-90 14 {top + height})">'
               'inner iterations to a defect of 1e-10</text></svg>')
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", help="the results file, SQLite")
    parser.add_argument("--docs", default=pathlib.Path(__file__).resolve().parent.parent / "docs", type=pathlib.Path)
    arguments = parser.parse_args()
    points = load(arguments.store)
    if not points:
        sys.exit(f"{arguments.store}: no residual-guided points of poisson2d; run the sweep first")
    page = arguments.docs / "which_bits.md"
    text = page.read_text() if page.exists() else f"# Which bits matter\n\n{BEGIN}\n{END}\n"
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    page.write_text(f"{head}{BEGIN}\n\n{tables(points)}\n{END}{tail}")
    (arguments.docs / "which_bits.svg").write_text(plot(points))


if __name__ == "__main__":
    main()
