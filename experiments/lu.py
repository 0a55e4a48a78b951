#!/usr/bin/env python3
"""The tables and the figure of docs/lu.md from the store that a sweep fills.

    mantissa sweep experiments/lu.toml
    experiments/lu.py experiments/lu.sqlite [--docs FOLDER] [--check]

Writes FOLDER/lu_error.svg and the tables of FOLDER/lu.md, between its marker lines; with --check it only says whether
they are what the store gives, and ends with 1 where they are not. Python's standard library only.
"""
import argparse
import math
import pathlib
import re
import sqlite3
import sys

BEGIN, END = "<!-- tables: lu.py writes these -->", "<!-- end of tables -->"
HERE = pathlib.Path(__file__).resolve().parent
SUMS = ("each step truncated", "each step to nearest", "sums in s23e8", "sums in a window")
COLOURS = ("#b2182b", "#ef8a62", "#67a9cf", "#2166ac")
SATURATED = 0.1  # a relative error of a factor beyond which it says nothing of rounding any more


class Solve:
    def __init__(self, row):
        self.problem, self.n, self.spec, self.refinement, status, factors, self.steps, self.krylov, self.error, \
            self.growth = row
        self.converged = status == "converged"
        self.factors = factors
        keys = dict(part.split("=", 1) for part in self.problem.split(","))
        self.kind, self.kappa = keys["kind"], float(keys.get("kappa", 0))
        fields = re.sub(r"^lu:", "", self.spec).split(",")
        self.format, rest = fields[0], dict(field.split("=", 1) for field in fields[1:])
        self.bits = 52 if self.format.startswith("double") else int(re.match(r"s(\d+)", self.format).group(1))
        self.pivot = rest.pop("pivot", "partial")
        accumulator = rest.pop("acc", "")
        self.sums = None  # of a specification that differs elsewhere
        if not rest:
            self.sums = SUMS[3] if accumulator.startswith("fixed") else SUMS[2] if accumulator else \
                SUMS[1] if ":rne" in self.format else SUMS[0]

    @property
    def units(self):
        return None if self.error is None else math.ldexp(self.error, self.bits)

    @property
    def taken(self):
        return self.krylov if self.refinement == "gmres-ir" else self.steps


def read(path):
    if not pathlib.Path(path).is_file():
        sys.exit(f"{path}: no such file; run mantissa sweep experiments/lu.toml first")
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
        "SELECT problem, unknowns, spec, refinement, status, factors, steps, krylov_steps, factor_error, growth "
        "FROM dense ORDER BY id")
    return [Solve(row) for row in rows]


def mean(values):
    return sum(values) / len(values)


def steps_text(solves):
    """The mean of the steps; x where any solve does not get there."""
    if not solves:
        return ""
    return "x" if not all(s.converged for s in solves) else f"{mean([s.taken for s in solves]):.0f}"


def number(value):
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def units_text(solves):
    known = [s.units for s in solves if s.units is not None]
    return number(mean(known)) if known else "x"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def size_table(solves):
    sizes = (256, 512, 1024)
    rows = []
    for sums in SUMS:
        formats = {s.format: s.bits for s in solves if s.kind == "uniform" and s.sums == sums and s.pivot == "partial"}
        for form in sorted(formats, key=formats.get):
            cells = []
            for n in sizes:
                here = [s for s in solves if (s.kind, s.n, s.sums, s.format, s.pivot) ==
                        ("uniform", n, sums, form, "partial")]
                cells += [units_text(here)] + [steps_text([s for s in here if s.refinement == r])
                                               for r in ("ir", "gmres-ir")]
            if any(cells):
                rows.append([f"`{form}`, {sums}"] + cells)
    head = ["factors"] + [text.format(n) for n in sizes for text in ("n = {}: error", "`ir`", "GMRES")]
    return table(head, rows)


def condition_table(solves):
    rows = []
    for sums in (SUMS[0], SUMS[3]):
        formats = {s.format: s.bits for s in solves if s.kind == "randsvd" and s.sums == sums and s.bits <= 23}
        for form in sorted(formats, key=formats.get):
            row = [f"`{form}`, {sums}"]
            for refinement in ("ir", "gmres-ir"):
                reached = "none"
                for kappa in sorted({s.kappa for s in solves if s.kind == "randsvd"}):
                    here = [s for s in solves if (s.kind, s.kappa, s.sums, s.format, s.refinement) ==
                            ("randsvd", kappa, sums, form, refinement)]
                    if not here or not all(s.converged for s in here):
                        break
                    reached = f"1e{round(math.log10(kappa))}"
                row.append(reached)
            rows.append(row)
    return table(["factors", "`ir` up to", "GMRES up to"], rows)


def pivot_table(solves):
    rows = []
    for pivot in ("none", "threshold:0.1", "partial", "tournament:32:128", "tournament:8:16", "full"):
        row = [f"`{pivot}`"]
        for form in ("s10e5", "s23e8"):
            here = [s for s in solves if (s.kind, s.n, s.sums, s.format, s.pivot, s.refinement) ==
                    ("uniform", 1024, SUMS[3], form, pivot, "gmres-ir")]
            failed = [s for s in here if s.factors != "factored"]
            row += [failed[0].factors, "", ""] if failed else \
                [number(mean([s.growth for s in here])), units_text(here), steps_text(here)]
        rows.append(row)
    head = ["pivot"] + [text.format(f) for f in ("s10e5", "s23e8") for text in ("{}: growth", "error", "GMRES")]
    return table(head, rows)


def easy_table(solves):
    rows = []
    for form in ("s2e8", "s4e8", "s7e8", "s10e5"):
        for sums in (SUMS[0], SUMS[3]):
            row = [f"`{form}`, {sums}"]
            for kind in ("dominant", "bubbles"):
                here = [s for s in solves
                        if (s.kind, s.n, s.sums, s.format, s.pivot) == (kind, 1024, sums, form, "none")]
                row += [steps_text([s for s in here if s.refinement == r]) for r in ("ir", "gmres-ir")]
            rows.append(row)
    return table(["factors, no pivoting", "dominant: `ir`", "GMRES", "bubbles: `ir`", "GMRES"], rows)


def plot(solves):
    """Error in units over n, both logarithmic."""
    width, height, left, bottom, right, top = 760, 400, 60, 50, 190, 20
    points = {}
    for s in solves:
        if s.kind == "uniform" and s.sums and s.pivot == "partial" and s.error and s.error < SATURATED:
            points.setdefault(s.sums, {}).setdefault(s.n, set()).add(s.units)
    low, high, least, most = 56, 1200, 1, 400

    def x(n):
        return left + (width - left - right) * math.log(n / low) / math.log(high / low)

    def y(units):
        return height - bottom - (height - bottom - top) * math.log(units / least) / math.log(most / least)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for units in (1, 2, 5, 10, 20, 50, 100, 200):
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y(units):.1f}" y2="{y(units):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y(units) + 4:.1f}" text-anchor="end">{units}</text>')
    for n in (64, 128, 256, 512, 1024):
        out.append(f'<text x="{x(n):.1f}" y="{height - bottom + 18}" text-anchor="middle">{n}</text>')
    out.append(f'<text x="{(left + width - right) / 2:.0f}" y="{height - 12}" text-anchor="middle">n</text>')
    out.append(f'<text x="16" y="{height / 2:.0f}" text-anchor="middle" transform="rotate(-90 16 {height / 2:.0f})">'
               "error, units of the last fraction bit</text>")
    for sums, colour in zip(SUMS, COLOURS):
        means = [(n, math.exp(mean([math.log(u) for u in units]))) for n, units in sorted(points.get(sums, {}).items())]
        if not means:
            continue
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="' +
                   " ".join(f"{x(n):.1f},{y(u):.1f}" for n, u in means) + '"/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(u):.1f}" r="3.5" fill="{colour}"/>' for n, u in means]
        shift = -6 if sums == SUMS[2] else 12 if sums == SUMS[3] else 4
        out.append(f'<text x="{x(means[-1][0]) + 10:.1f}" y="{y(means[-1][1]) + shift:.1f}" fill="{colour}">{sums}</text>')
    out.append("</svg>\n")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store")
    parser.add_argument("--docs", type=pathlib.Path, default=HERE.parent / "docs")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    solves = read(arguments.store)
    page = arguments.docs / "lu.md"
    text = page.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"{page}: the marker lines '{BEGIN}' and '{END}' must be there once")
    parts = [("Random matrices. Error: ||P A - L U|| / ||A|| in units of 2^-M, M being the fraction bits; steps in the "
              "mean over the seeds, x where one of them is not solved.", size_table(solves)),
             ("Matrices of a given condition, n = 256: up to which condition, of those tried, both are solved.",
              condition_table(solves)),
             ("Pivots of random matrices, n = 1024, sums in a window.", pivot_table(solves)),
             ("Matrices that need no pivots, n = 1024.", easy_table(solves))]
    tables = "\n\n".join(words + "\n\n" + "\n".join(lines) for words, lines in parts)
    made = text[:text.index(BEGIN)] + BEGIN + "\n\n" + tables + "\n\n" + text[text.index(END):]
    wanted = {page: made, arguments.docs / "lu_error.svg": plot(solves)}
    if arguments.check:
        stale = [str(path) for path, content in wanted.items() if not path.is_file() or path.read_text() != content]
        for path in stale:
            print(f"{path}: not what {arguments.store} gives; run experiments/lu.py {arguments.store}")
        sys.exit(1 if stale else 0)
    for path, content in wanted.items():
        path.write_text(content)


if __name__ == "__main__":
    main()
