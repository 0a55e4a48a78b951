#!/usr/bin/env python3
"""The tables and the plot of docs/coefficients.md.

    experiments/coefficients.py gather STORE... --advice FILE... > experiments/results/coefficients.json
    experiments/coefficients.py write experiments/results/coefficients.json [--docs FOLDER] [--check]

`gather` takes the stores of coefficients.toml and coefficients_large.toml, and for each system what
`mantissa solve --problem SYSTEM --advise --json --tolerance 1e-8 --inner 25` says of its condition. `write` makes
FOLDER/coefficients.svg and the tables of FOLDER/coefficients.md, between its marker lines; with --check it ends with 1 where
these are not what the results give, and writes nothing. Python's standard library only.
"""
import argparse
import json
import math
import pathlib
import re
import sqlite3
import statistics
import sys

BEGIN, END = "<!-- tables: coefficients.py writes these -->", "<!-- end of tables -->"
HERE = pathlib.Path(__file__).resolve().parent
LONG = 36  # fraction bits of what a grid leaves long
DEAR = 1.5  # times the iterations with long coefficients: what short ones may cost
VARIANTS = (  # name in the file, words, colour
    ("coef", "truncated", "#b2182b"),
    ("coef:rne", "to nearest", "#ef8a62"),
    ("kept", "truncated, sums kept", "#67a9cf"),
    ("kept:rne", "to nearest, sums kept", "#2166ac"),
)


def bits_of(text):
    return int(re.match(r"s(\d+)e", text).group(1))


def setting_of(key, spec):
    """(what is short, its fraction bits) of a point, or None."""
    parts = dict(part.split("=", 1) for part in spec.split(",")[1:] if "=" in part)
    vectors = bits_of(spec)
    coef, row = parts.get("coef", spec.split(",")[0]), parts.get("row", spec.split(",")[0])
    rounded = ":rne" if ":rne" in coef else ""
    couplings = re.search(r" couplings=(\S+)", key)
    if couplings:
        return "kept" + (":rne" if ":rne" in couplings.group(1) else ""), bits_of(couplings.group(1))
    if vectors != 14:
        return "vectors", vectors
    if bits_of(row) == LONG:
        return "coef" + rounded, bits_of(coef)
    return ("row", bits_of(row)) if bits_of(coef) == LONG else ("both", bits_of(row))


def gather(stores, advice):
    systems = {}
    for path in advice:
        told = json.loads(pathlib.Path(path).read_text())
        measured = told["measured"]
        systems[told["problem"]] = {
            "problem": told["problem"], "unknowns": measured["unknowns"], "lambda_min": measured["lambda_min"],
            "lambda_max": measured["lambda_max"], "settled": measured["settled"], "condition": measured.get("condition"),
            "advised_coefficient": told.get("advised", {}).get("widths", {}).get("coefficient"),
            "fewest_coefficient": told.get("fewest", {}).get("widths", {}).get("coefficient"), "double": measured["double_iterations"] if measured.get("double_reached") else None, "solves": {}}
    for path in stores:
        rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(
            "SELECT key, problem, spec, scheme, status, inner_iterations, engine FROM points")
        for key, problem, spec, scheme, status, iterations, engine in rows:
            if problem not in systems:
                continue
            system = systems[problem]
            system["engine"] = engine if scheme != "direct" else system.get("engine")
            if scheme == "direct":
                system["double"] = iterations if status == "converged" else None
                continue
            what, bits = setting_of(key, spec)
            system["solves"].setdefault(what, {})[str(bits)] = [iterations, "" if status == "converged" else status]
    for system in systems.values():
        for what in system["solves"]:
            system["solves"][what] = dict(sorted(system["solves"][what].items(), key=lambda item: int(item[0])))
    json.dump({"systems": sorted(systems.values(), key=lambda s: s["condition"] or 0)}, sys.stdout, indent=1)
    print()


def short_name(problem):
    name = problem.replace("meshes/", "").replace("matrices/", "").replace(".off", "").replace(".obj", "")
    name = name.replace(".ply", "").replace(".mtx", "").replace("_o_f48275", "").replace("mtx:", "").replace("bff_", "")
    for boring in (",task=smooth", ",coordinate=x", ",seed=1", ",share=0.05", ",cut=auto", ",nodes=hard"):
        name = name.replace(boring, "")
    return name


def base_of(system):
    """Iterations with long coefficients; None where even these do not do."""
    solve = system["solves"].get("coef", {}).get(str(LONG))
    return solve[0] if solve and not solve[1] else None


def enough(system, what):
    """The fewest bits from which on no more than DEAR times as many iterations are taken; None where none were."""
    base, found = base_of(system), None
    tried = dict(system["solves"].get(what, {}))
    if base is None:
        return None
    for bits in sorted((int(b) for b in tried), reverse=True):
        iterations, fault = tried[str(bits)]
        if fault or iterations > DEAR * base:
            break
        found = bits
    return found


def cell(solve, base):
    if solve is None:
        return ""
    return "no" if solve[1] else f"{solve[0] / base:.2f}"


def usable(data):
    return [s for s in data["systems"] if s["condition"] and base_of(s)]


def fit(points):
    """Least squares line and the offset of slope one: (slope, intercept, offset, largest miss above the latter)."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    mx, my = statistics.fmean(xs), statistics.fmean(ys)
    slope = sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x in xs)
    offset = statistics.median(y - x for x, y in points)
    return slope, my - slope * mx, offset, max(y - x - offset for x, y in points)


def needed_table(systems):
    lines = ["| system | unknowns | log2 kappa | CG in double | long coefficients | "
             + " | ".join(words for _, words, _ in VARIANTS) + " |",
             "|---|---:|---:|---:|---:|" + "---:|" * len(VARIANTS)]
    for s in systems:
        needed = [enough(s, what) for what, _, _ in VARIANTS]
        lines.append(f"| {short_name(s['problem'])} | {s['unknowns']} | {math.log2(s['condition']):.1f} | {s['double'] or 'no'}"
                     f" | {base_of(s)} | " + " | ".join("more" if n is None else str(n) for n in needed) + " |")
    return lines


def fit_table(systems):
    lines = ["| rounding | slope by least squares | at 0 | c, slope one (median) | misses: most above c | most below c |",
             "|---|---:|---:|---:|---|---|"]
    for what, words, _ in VARIANTS:
        points = [(math.log2(s["condition"]), enough(s, what), short_name(s["problem"])) for s in systems
                  if enough(s, what) is not None]
        if len(points) < 3:
            continue
        slope, at0, offset, _ = fit([(x, y) for x, y, _ in points])
        high = max(points, key=lambda p: p[1] - p[0])
        low = min(points, key=lambda p: p[1] - p[0])
        lines.append(f"| {words} | {slope:.2f} | {at0:+.1f} | {offset:+.1f} | {high[1] - high[0] - offset:+.1f} ({high[2]}) "
                     f"| {low[1] - low[0] - offset:+.1f} ({low[2]}) |")
    return lines


def ratio_table(systems, what):
    bits = sorted({int(b) for s in systems for b in s["solves"].get(what, {})})
    lines = ["| system | " + " | ".join(str(b) for b in bits) + " |", "|---|" + "---:|" * len(bits)]
    for s in systems:
        solves = s["solves"].get(what, {})
        lines.append(f"| {short_name(s['problem'])} | " + " | ".join(cell(solves.get(str(b)), base_of(s)) for b in bits) + " |")
    return lines


def plot(systems):
    width, height, left, bottom, top = 760, 470, 60, 60, 20
    x_of = lambda x: left + (x - 1) / (27 - 1) * (width - left - 210)
    y_of = lambda y: height - bottom - (y - 2) / (30 - 2) * (height - bottom - top)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for y in range(4, 31, 4):
        out.append(f'<line x1="{x_of(1):.1f}" x2="{x_of(27):.1f}" y1="{y_of(y):.1f}" y2="{y_of(y):.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y}</text>')
    for x in range(4, 27, 4):
        out.append(f'<line x1="{x_of(x):.1f}" x2="{x_of(x):.1f}" y1="{y_of(2):.1f}" y2="{y_of(30):.1f}" stroke="#eee"/>'
                   f'<text x="{x_of(x):.1f}" y="{height - bottom + 18}" text-anchor="middle">{x}</text>')
    out.append(f'<text x="{x_of(14):.1f}" y="{height - 18}" text-anchor="middle">log2 of the condition number, scaled to a unit '
               'diagonal</text>')
    out.append(f'<text x="16" y="{y_of(16):.1f}" transform="rotate(-90 16 {y_of(16):.1f})" text-anchor="middle">fraction bits of '
               f'coefficients for {DEAR} times the iterations</text>')
    out.append(f'<line x1="{x_of(2):.1f}" y1="{y_of(2):.1f}" x2="{x_of(27):.1f}" y2="{y_of(27):.1f}" stroke="#888" '
               'stroke-dasharray="5 4"/>'
               f'<text x="{x_of(25.4):.1f}" y="{y_of(27):.1f}" fill="#666" text-anchor="end">bits = log2 kappa</text>')
    for k, (what, words, colour) in enumerate(VARIANTS):
        for s in systems:
            n = enough(s, what)
            if n is not None:
                out.append(f'<circle cx="{x_of(math.log2(s["condition"])) + 2.5 * (k - 1.5):.1f}" cy="{y_of(n):.1f}" r="4" '
                           f'fill="{colour}" fill-opacity="0.85"><title>{short_name(s["problem"])}: {n}</title></circle>')
        y = top + 20 + 20 * k
        out.append(f'<circle cx="{width - 195}" cy="{y}" r="4" fill="{colour}"/><text x="{width - 183}" y="{y + 4}">{words}'
                   '</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def write(path, docs, check):
    systems = usable(json.loads(pathlib.Path(path).read_text()))
    lines = ["### Fraction bits that suffice", "",
             f"For at most {DEAR} times the iterations of coefficients of {LONG} fraction bits (\"long coefficients\"); \"more\": "
             "the longest tried do not do.", ""] + needed_table(systems)
    lines += ["", "### The rule, fitted", ""] + fit_table(systems)
    for what, title in (("coef", "Coefficients truncated"), ("coef:rne", "Coefficients to nearest"),
                        ("kept", "Couplings truncated, sums of rows kept"),
                        ("kept:rne", "Couplings to nearest, sums of rows kept"), ("row", "Sums of a row alone"),
                        ("both", "Coefficients and sums of a row, both truncated"), ("vectors", "r, p and q alone")):
        lines += ["", f"### {title}", "",
                  "Iterations over those with long coefficients, by fraction bits; \"no\": not to 1e-8 within the limit.", ""]
        lines += ratio_table(systems, what)
    page = docs / "coefficients.md"
    text = page.read_text()
    begin, end = text.index(BEGIN), text.index(END)
    made = {page: text[:begin] + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + text[end:],
            docs / "coefficients.svg": plot(systems)}
    for file, content in made.items():
        if not check:
            file.write_text(content)
        elif file.read_text() != content:
            sys.exit(f"{file}: not what {path} gives; run coefficients.py write {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("gather")
    one.add_argument("stores", nargs="+")
    one.add_argument("--advice", nargs="+", required=True)
    two = commands.add_parser("write")
    two.add_argument("results")
    two.add_argument("--docs", type=pathlib.Path, default=HERE.parent / "docs")
    two.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "gather":
        gather(arguments.stores, arguments.advice)
    else:
        write(arguments.results, arguments.docs, arguments.check)


if __name__ == "__main__":
    main()
