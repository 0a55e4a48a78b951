#!/usr/bin/env python3
"""The tables of docs/mx.md from what a sweep wrote.

    experiments/mx.py CSV [--docs FOLDER [--check]]

CSV is of `mantissa sweep experiments/mx.toml --csv CSV`. Prints the tables, or writes them between the marker lines of
FOLDER/mx.md; with --check it ends with 1 where the page has others. Python's standard library only.
"""
import argparse
import csv
import re
import sys

import page_tables

BEGIN, END = "<!-- tables: mx.py writes these -->", "<!-- end of tables -->"
FLOAT = "s23e8:rne:subnormals"
DOUBLE = "s52e11:rne:subnormals"
POISSON = [f"poisson2d:level={level}" for level in (5, 6, 7, 8)]
DIFFUSION = [f"diffusion2d:level={level}" for level in (5, 6, 7)]
MATRICES = ["LFAT5", "wathen100", "bcsstk03", "msc01440", "bcsstk18", "1138_bus"]
ELEMENTS = {"mxint8": 8, "mxfp8_e4m3": 8, "mxfp8_e5m2": 8, "mxfp6_e2m3": 6, "mxfp6_e3m2": 6, "mxfp4_e2m1": 4}
RULES = ("floor", "ceil", "even", "rceil")


def bits(text):
    """Of a number in this format, its share of a scale included."""
    blocks = re.fullmatch(r"(mx[a-z0-9_]+)(?::[a-z]+)?(?:/(\d+))?", text)
    if blocks:
        return ELEMENTS[blocks[1]] + 8 / int(blocks[2] or 32)
    m, e = re.match(r"s(\d+)e(\d+)", text).groups()
    return 1 + int(m) + int(e)


def points_of(path):
    """{(problem, spec, scheme): row}; a scheme asked for 1e-15 is "attained"."""
    points = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            name = re.sub(r",(rhs|field|seed|contrast|anisotropy)=[^,]*", "", row["problem"])
            scheme = "attained" if float(row["tolerance"]) == 1e-15 else row["scheme"]
            points[re.sub(r"^mtx:(.*)\.mtx.*$", r"\1", name), row["spec"], scheme] = row
    return points


class Tables:
    def __init__(self, points):
        self.points = points
        self.text = ""

    def row(self, problem, spec, scheme="residual-guided"):
        try:
            return self.points[problem, spec, scheme]
        except KeyError:
            sys.exit(f"no point {problem}, {spec}, {scheme} in the file; run the whole sweep")

    def count(self, problem, spec, scheme="residual-guided"):
        """Iterations, or how it ended."""
        row = self.row(problem, spec, scheme)
        short = {"converged": row["inner_iterations"], "iteration limit": "limit"}
        return short.get(row["status"], row["status"])

    def table(self, head, rows):
        self.text += "| " + " | ".join(head) + " |\n|---|" + "---:|" * (len(head) - 1) + "\n"
        for row in rows:
            self.text += "| " + " | ".join(row) + " |\n"
        self.text += "\n"

    def moved(self, problem, field, text, order=""):
        """Bits that all passes move, over those of float: u, r, p and q, in and out, and four weights with order=flux."""
        there = self.row(problem, f"{FLOAT},{field}={text}{order}")
        if there["status"] != "converged":
            return ""
        def bits_of(p, coefficient):
            return 2 * (96 + p) + (4 * coefficient if order else 0)
        mine = bits_of(bits(text), 32) if field == "p" else bits_of(32, bits(text))
        float_passes = int(self.row(problem, f"{FLOAT}{order}")["inner_iterations"])
        return f"{int(there['inner_iterations']) * mine / (float_passes * bits_of(32, 32)):.2f}"

    def directions(self):
        self.text += "Blocks in p alone; the rest float. Moved: bits of u, r, p and q, in and out, over all passes at level 8; of float 1.\n\n"
        levels = [p.removeprefix("poisson2d:") for p in POISSON]
        rows = [["double, CG alone", "64"] + [self.count(p, DOUBLE, "direct") for p in POISSON] + [""],
                ["float", "32"] + [self.count(p, FLOAT) for p in POISSON] + ["1.00"]]
        formats = ["s7e8:rne", *ELEMENTS]
        for text in formats:
            rows.append([f"`p={text}`", f"{bits(text):g}"] + [self.count(p, f"{FLOAT},p={text}") for p in POISSON]
                        + [self.moved(POISSON[-1], "p", text)])
        self.table(["p", "bits", *levels, "moved"], rows)

    def rules(self):
        self.text += "Rules of the scale, `poisson2d:level=7`.\n\n"
        spec = lambda e, r: f"{FLOAT},p={e}" + ("" if r == "floor" else f":{r}")
        self.table(["elements of p", *RULES], [[f"`{e}`"] + [self.count(POISSON[2], spec(e, r)) for r in RULES]
                                               for e in ELEMENTS])

    def lengths(self):
        self.text += ("How many numbers share a scale, and words of one exponent for r, p and q together "
                      "(`point=moving`).\n\n")
        levels = [p.removeprefix("poisson2d:") for p in POISSON]
        rows = []
        for length in (8, 32, 128, 1024, 65536):
            text = "mxint8" + ("" if length == 32 else f"/{length}")
            rows.append([f"`p={text}`"] + [self.count(p, f"{FLOAT},p={text}") for p in POISSON])
        for spec in ("fx8.6", "fx10.8", "fx12.10", "fx16.14"):
            found = sorted({s for _, s, _ in self.points if s.startswith(f"{spec},") and "point=moving" in s})
            rows.append([f"`{spec},point=moving`"] + [self.count(p, found[0]) for p in POISSON])
        self.table(["", *levels], rows)

    def matrices_of_grids(self):
        self.text += ("Blocks in the matrix alone, nine bands streamed: rows by fluxes, and by nine products. Moved: bits of "
                      "the vectors and four weights over all passes by fluxes at level 7; of float 1.\n\n")
        levels = [p.removeprefix("diffusion2d:") for p in DIFFUSION]
        rows = [["double, CG alone", "64"] + [self.count(p, DOUBLE, "direct") for p in DIFFUSION] * 2 + [""]]
        for text in ("", "s7e8:rne", "s3e8:rne", "mxint8", "mxint8/65536", "mxfp8_e4m3:rceil", "mxfp8_e5m2:rceil",
                     "mxfp6_e2m3:rceil", "mxfp6_e3m2:rceil", "mxfp4_e2m1:rceil"):
            coef = f",coef={text}" if text else ""
            rows.append([f"`coef={text}`" if text else "float", f"{bits(text):.4g}" if text else "32"]
                        + [self.count(p, f"{FLOAT}{coef},order=flux") for p in DIFFUSION]
                        + [self.count(p, f"{FLOAT}{coef}") for p in DIFFUSION]
                        + [self.moved(DIFFUSION[-1], "coef", text, ",order=flux") if text else "1.00"])
        self.table(["matrix", "bits", *(f"flux, {l}" for l in levels), *(f"products, {l}" for l in levels),
                    "moved"], rows)

    def both(self):
        self.text += "Blocks in both, rows by fluxes.\n\n"
        rows = []
        for text in ("mxint8", "mxfp8_e4m3:rceil"):
            spec = f"{FLOAT},p={text},coef={text},order=flux"
            rows.append([f"`p={text},coef={text}`"] + [self.count(p, spec) for p in POISSON[:3] + DIFFUSION])
        self.table(["", *(p.replace(":level=", ", ") for p in POISSON[:3] + DIFFUSION)], rows)

    def others(self):
        self.text += "Matrices that no grid made, scaled to a unit diagonal, 25 inner iterations, at most 5000.\n\n"
        rows = [["double, CG alone"] + [self.count(m, DOUBLE, "direct") for m in MATRICES]]
        for text in ("", ",p=s7e8:rne", ",p=mxint8", ",p=mxint8/65536", ",p=mxfp8_e4m3:rceil", ",p=mxfp6_e2m3:rceil",
                     ",coef=s7e8:rne", ",coef=mxint8", ",coef=mxint8/65536", ",coef=mxfp8_e4m3:rceil",
                     ",p=mxint8,coef=mxint8"):
            rows.append([f"`float{text}`"] + [self.count(m, f"{FLOAT}{text}") for m in MATRICES])
        self.table(["datapath", *MATRICES], rows)

    def attained(self):
        self.text += "The smallest true residual of CG alone, asked for 1e-15; the rest double.\n\n"
        rows = []
        for text in ("", ",p=mxint8", ",p=mxint8/65536", ",p=mxfp8_e4m3:rceil", ",p=mxfp6_e2m3:rceil",
                     ",coef=s7e8:rne,order=flux", ",coef=mxint8,order=flux"):
            cells = []
            for p in POISSON[:3]:
                row = self.row(p, f"{DOUBLE}{text}", "attained")
                cells.append(row["status"] if row["status"] == "diverged" else f"{float(row['true_residual']):.1e}")
            rows.append([f"`double{text}`", *cells])
        self.table(["datapath", *(p.removeprefix("poisson2d:") for p in POISSON[:3])], rows)

    def made(self):
        for part in (self.directions, self.rules, self.lengths, self.matrices_of_grids, self.both, self.others,
                     self.attained):
            part()
        return self.text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    page_tables.add_arguments(parser)
    arguments = parser.parse_args()
    page_tables.put(Tables(points_of(arguments.csv)).made(), arguments, "mx.md", (BEGIN, END), "experiments/mx.py")


if __name__ == "__main__":
    main()
