#!/usr/bin/env python3
"""The measured results as CSV files, and the tables of docs/synthesis.md and docs/sparse_rtl.md made from them.

    tables.py collect STORE.sqlite   # the newest results in a store of `mantissa synthesize`, into results/; what the
                                     # store has nothing of stays
    tables.py keep STORE.sqlite      # all netlists of a store of `mantissa compare`, into results/kept.json: later comparisons
                                     # take them from there while RTL and tool are the same
    tables.py docs                   # fills the tables of both pages
    tables.py check                  # whether they are what the results say; for CTest
"""
import csv
import json
import math
import pathlib
import re
import sqlite3
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOCS = [ROOT / "docs" / "synthesis.md", ROOT / "docs" / "sparse_rtl.md"]
FORMATS = ["s17e8", "s20e8", "s23e8", "s52e11"]
PLACED = ["s17e8", "s23e8", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]"]
NETLIST = ("part spec target multiplier bands luts memory_luts flip_flops paired carries multipliers memory_bits io_bits depth "
           "model_mhz model_path tool commit_id command").split()
PLACEMENT = "part spec target multiplier bands seed mhz critical tool placer commit_id command".split()
EARLIER = ("7283a3dbaf16", "02a593b12bf1", "bb79a62da248")  # before the RTL's last changes; tables mark what stems from these


# Datapaths of the integer core (docs/which_bits.md, "The integer core"): by what they are for, and the paper's format
# that their iterations stand beside.
INTEGER = {"level 8": ("fx18.16,u=fx25.21,operand=s14e8,scalar=s19e8:rne", "s17e11"),
           "level 9": ("fx20.18,u=fx27.23,operand=s14e8:rne,scalar=s20e8", "s23e11"),
           "level 10": ("fx22.20,u=fx29.25,operand=s14e8:rne,scalar=s20e8", "s23e11")}


def collect(store):
    base = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    for table, columns, key in (("netlist", NETLIST, NETLIST[:5]), ("placement", PLACEMENT, PLACEMENT[:6])):
        if not any(column[1] == "bands" for column in base.execute(f"PRAGMA table_info({table})")):
            sys.exit(f"{store}: of an older program; any mantissa synthesize --store {store} brings it up to date")
        # Of each key the newest; of placements, all seeds of the newest RTL.
        group = key[:5]
        same = " AND ".join(f"b.{c} = a.{c}" for c in group)
        rows = base.execute(f"SELECT {', '.join(columns)} FROM {table} a WHERE sources = (SELECT sources FROM {table} b "
                            f"WHERE {same} ORDER BY date DESC LIMIT 1) ORDER BY {', '.join(key)}").fetchall()
        if not rows and table == "netlist":
            sys.exit(f"{store}: no results; run mantissa synthesize --store {store}")
        measured = {row[:5] for row in rows}
        kept = [[r[c] for c in columns] for r in read(f"results/{table}.csv")
                if tuple(r[c] for c in group) not in measured]
        rows = sorted([list(row) for row in rows] + kept, key=lambda row: [str(cell).zfill(2) for cell in row[:len(key)]])
        with open(HERE / "results" / f"{table}.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            for row in rows:
                cells = [f"{v:.2f}" if isinstance(v, float) else v for v in row]
                # Where the store and the plots lay is no part of how a figure was made.
                cells[-1] = re.sub(r" --(store|plot) \S+", "", cells[-1])
                writer.writerow(cells)
        print(f"{len(rows)} rows of {table}")


def keep(store):
    base = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    base.row_factory = sqlite3.Row
    rows = base.execute("SELECT * FROM netlist ORDER BY part, spec, target, multiplier, bands").fetchall()
    if not rows:
        sys.exit(f"{store}: no netlists; run mantissa compare --store {store}")
    entries = [dict(row) for row in rows]
    for entry in entries:  # where the store lay is no part of how a figure was made
        entry["command"] = re.sub(r" --store \S+", "", entry["command"])
    (HERE / "results" / "kept.json").write_text(json.dumps(entries, indent=1) + "\n")
    print(f"{len(entries)} netlists kept")


def read(name, comments=False):
    path = HERE / name
    with open(path, newline="") as file:
        lines = [line for line in file if not (comments and line.startswith("#"))]
    return list(csv.DictReader(lines))


class Results:
    def __init__(self):
        self.netlists = {}
        for row in read("results/netlist.csv"):
            self.netlists[row["part"], row["spec"], row["target"], row["multiplier"], row["bands"]] = row
        self.placements = {}
        for row in read("results/placement.csv"):
            self.placements.setdefault((row["part"], row["spec"], row["multiplier"], row["bands"]), []).append(
                (float(row["mhz"]), row["critical"], int(row["seed"]), row["commit_id"]))
        for runs in self.placements.values():
            runs.sort()
        self.peers = {(r["operator"], r["format"]): r for r in read("peers.csv", True)}
        self.paper = [r for r in read("../paper/table5_area.csv", True)]

    def net(self, part, spec, target="xc2v", multiplier="block", bands="streamed"):
        return self.netlists.get((part, spec, target, multiplier, bands))

    def placed(self, part, spec, multiplier="block", bands="streamed"):
        return self.placements.get((part, spec, multiplier, bands), [])


def mark(row):
    return "†" if row["commit_id"] in EARLIER else ""


# The factors of host/src/synthesis/core_clock.cpp, and why: delays of a family's silicon against an ECP5's.
DELAYS = {"ecp5": (1, "the model's own device, 40 nm, speed grade 8"),
          "xc2v": (1.5, "assumed: silicon of 150 nm"),
          "xc7": (1, "assumed: silicon of 28 nm, taken to be no faster"),
          "xcup": (0.5, "assumed: silicon of 16 nm")}


def modelled(row):
    """The modelled clock in MHz: the store has it with the delays of an ECP5."""
    return float(row["model_mhz"]) / DELAYS[row["target"]][0]


def slices(row):
    """As host/src/synthesis/slices.cpp."""
    luts, memory, registers, paired, carries = (int(row[k]) for k in ("luts", "memory_luts", "flip_flops", "paired", "carries"))
    places = luts + memory
    if row["target"] == "xcup":
        return max(-(-places // 8), -(-registers // 16), 2 * -(-memory // 8), -(-carries // 2))
    if row["target"] == "xc7":
        return max(-(-places // 4), -(-(places + registers - paired) // 8), -(-registers // 8), 2 * -(-memory // 4), carries)
    return -(-(places + registers - paired) // 2)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


def middle(runs):  # the median; of an even number the slower one, whose path can be named
    return runs[(len(runs) - 1) // 2]


def peers(r):
    rows = []
    for part, name in (("add", "adder"), ("mul", "multiplier")):
        for f in FORMATS:
            ours, alone, peer = r.net(part, f), r.net(part + " combinational", f), r.peers[part, f]
            if ours is None or alone is None:
                continue
            blocks = f" + {peer['generator_blocks']} blocks" if peer["generator_blocks"] != "0" else ""
            rows.append([name, f, ours["luts"], alone["luts"], ours["flip_flops"],
                         ours["multipliers"] if part == "mul" else "", peer["generator"] + blocks, peer["hardfloat"]])
    return table(["operator", "format", "ours", "alone", "flip-flops", "blocks", "best open generator", "HardFloat"], rows)


def operators(r):
    names = [("add", "adder"), ("mul", "multiplier"), ("div", "divider"), ("accumulate", "floating accumulator s52e11"),
             ("fixed-accumulate", "fixed accumulator [13:-50]")]
    rows = []
    for part, name in names:
        for f in FORMATS:
            spec = f + ",dot=fixed[13:-50]" if part == "fixed-accumulate" else f
            cells = []
            for target in ("xc2v", "xc7", "ecp5"):
                n = r.net(part, spec, target)
                if n is None:
                    cells.append("not run")
                    continue
                memory = f" + {n['memory_luts']}" if n["memory_luts"] != "0" else ""
                blocks = f" / {n['multipliers']} blocks" if n["multipliers"] != "0" else ""
                cells.append(f"{n['luts']}{memory} / {n['flip_flops']}{blocks}{mark(n)}")
            runs = r.placed(part, spec)
            old = "†" if runs and middle(runs)[3] in EARLIER else ""
            rows.append([name, f] + cells + [f"{middle(runs)[0]:.0f}{old}" if runs else ""])
    return table(["operator", "format", "xc2v", "xc7", "ecp5", "MHz on ecp5"], rows)


def table5(r):
    rows = []
    for p in r.paper:
        n = r.net("core", p["format"], "xc2v", "logic" if p["multiplier"] == "logic" else "block")
        if n is None:
            rows.append([p["multiplier"], p["format"], "not run", p["slices"], "", "", p["mul18x18"], "", p["iobs"], "", p["mhz"]])
            continue
        s = slices(n)
        rows.append([p["multiplier"], p["format"], f"{s}{mark(n)}", p["slices"], f"{s / float(p['slices']):.2f}", n["multipliers"],
                     p["mul18x18"], n["io_bits"], p["iobs"], f"{modelled(n):.0f}", p["mhz"]])
    return table(["multipliers", "format", "slices", "paper", "ratio", "blocks", "paper", "I/O", "paper", "MHz (model)",
                  "paper's MHz"], rows)


def fit(x, y, degree):
    """Least squares by the normal equations, and R2."""
    n = degree + 1
    a = [[sum(v ** (i + j) for v in x) for j in range(n)] + [sum(w * v ** i for v, w in zip(x, y))] for i in range(n)]
    for i in range(n):
        k = max(range(i, n), key=lambda q: abs(a[q][i]))
        a[i], a[k] = a[k], a[i]
        for q in range(n):
            if q != i:
                f = a[q][i] / a[i][i]
                a[q] = [u - f * v for u, v in zip(a[q], a[i])]
    c = [a[i][n] / a[i][i] for i in range(n)]
    mean = sum(y) / len(y)
    left = sum((w - sum(c[k] * v ** k for k in range(n))) ** 2 for v, w in zip(x, y))
    return c, 1 - left / sum((w - mean) ** 2 for w in y)


def laws(r):
    rows = []
    for multiplier, style in (("logic", "logic"), ("mul18x18", "block")):
        for what, column, degree in (("slices", "slices", 2 if multiplier == "logic" else 1), ("I/O bits", "iobs", 1)):
            points = {"paper": [], "ours": []}
            for p in r.paper:
                if p["multiplier"] != multiplier:
                    continue
                m = int(re.match(r"s(\d+)e", p["format"])[1])
                points["paper"].append((m, float(p[column])))
                n = r.net("core", p["format"], "xc2v", style)
                if n is not None:
                    points["ours"].append((m, slices(n) if column == "slices" else float(n["io_bits"])))
            for who, at in points.items():
                if len(at) < degree + 2:
                    continue
                c, r2 = fit(*zip(*at), degree)
                law = f"{c[0]:.0f} {c[1]:+.1f} M" + (f" {c[2]:+.2f} M²" if degree == 2 else "")
                rows.append([multiplier, what, who, law, f"{r2:.4f}"])
    return table(["multiplier", "what", "whose", "law over the fraction bits M", "R²"], rows)


def cores(r):
    rows = []
    for spec in ("s23e8", "s23e8,dot=fixed[13:-50]", "s14e8,u=s23e8,row=s20e8", PLACED[2]):
        n = r.net("core", spec)
        if n is None:
            continue
        rows.append([spec, f"{slices(n)}{mark(n)}", n["multipliers"], n["luts"], n["memory_luts"], n["flip_flops"], n["depth"],
                     f"{modelled(n):.0f}"])
    return table(["specification", "slices", "blocks", "LUTs", "as memory", "flip-flops", "depth", "MHz (model)"], rows)


def breakdown(r):
    """The s23e11 core by its operators, as they are alone."""
    f = "s23e11"
    rows, total = [], 0
    if r.net("core", f) is None:
        return "Not run."
    for count, part, name in ((11, "add", "adder"), (15, "mul", "multiplier"), (3, "accumulate", "floating accumulator"),
                              (1, "div", "divider, s52e11"), (1, "mul-serial", "serial multiplier, s52e11")):
        n = r.net(part, "s52e11" if "s52e11" in name else f)
        if n is None:
            return "Not run."
        total += count * slices(n)
        rows.append([name, count, slices(n), count * slices(n)])
    core = slices(r.net("core", f))
    rows.append(["the rest: stream buffers, delay lines, classes at the edges, registers of the bus, control", "", "", core - total])
    rows.append(["core", "", "", core])
    return table(["part", "number", "slices each", "slices"], rows)


def placed(r):
    rows = []
    for spec in PLACED:
        runs, n = r.placed("core", spec), r.net("core", spec, "ecp5")
        if not runs or n is None:
            continue
        mhz, critical = middle(runs)[:2]
        rows.append([spec, len(runs), f"{mhz:.1f}", f"{runs[-1][0]:.1f}", f"{modelled(n):.0f}",
                     f"`{critical}`"])
    return table(["core", "seeds", "median MHz", "best MHz", "MHz by the model", "critical path of the median"], rows)


def calibration(r):
    rows, errors = [], []
    for (part, spec, multiplier, bands), runs in sorted(r.placements.items()):
        n = r.net(part, spec, "ecp5", multiplier, bands)
        if n is None or n["commit_id"] != middle(runs)[3]:  # the model and the placement of one netlist
            continue
        ratio = modelled(n) / middle(runs)[0]
        errors.append(math.log(ratio))
        rows.append([part, spec, f"{middle(runs)[0]:.0f}", f"{modelled(n):.0f}", f"{ratio:.2f}"])
    text = table(["part", "specification", "placed and routed", "model", "ratio"], rows)
    if len(errors) > 1:
        mean = sum(errors) / len(errors)
        spread = math.sqrt(sum((e - mean) ** 2 for e in errors) / (len(errors) - 1))
        text += f"\n\nGeometric mean of the ratio {math.exp(mean):.2f}, spread (one sigma) a factor of {math.exp(spread):.2f}."
    return text


def blocks18(n):
    """Block memories of 18 Kbit."""
    return -(-int(n["memory_bits"]) // 18432)


def integer(r):
    """The integer core with one lane, beside the paper's core."""
    paper = {p["format"]: p for p in r.paper if p["multiplier"] == "mul18x18"}
    rows = []
    for where, (spec, beside) in INTEGER.items():
        for bands in ("constant", "streamed"):
            n = r.net("core", spec, bands=bands)
            if n is None:
                continue
            p = paper[beside]
            rows.append([where, spec, bands, slices(n), f"{slices(n) / float(p['slices']):.2f} ({beside})", n["multipliers"],
                         blocks18(n), n["luts"], n["memory_luts"], n["flip_flops"], n["io_bits"], f"{modelled(n):.0f}"])
    return table(["for", "specification", "coefficients", "slices", "of the paper's", "multipliers", "block memories", "LUTs",
                  "as memory", "flip-flops", "I/O bits", "MHz (model)"], rows)


def lanes(r):
    """The integer core on the ECP5 and on UltraScale+ by its lanes, with a constant stencil."""
    rows = []
    for where, (spec, _) in INTEGER.items():
        for target in ("ecp5", "xcup"):
            before = None
            for count in (1, 2, 4, 16):
                name = spec if count == 1 else f"{spec},lanes={count}"
                n = r.net("core", name, target, bands="constant")
                if n is None:
                    continue
                luts, registers = int(n["luts"]) + int(n["memory_luts"]), int(n["flip_flops"])
                extra = ""
                if before is not None:
                    extra = f"{(luts - before[1]) / (count - before[0]):.0f} + {(registers - before[2]) / (count - before[0]):.0f}"
                before = (count, luts, registers)
                runs = r.placed("core", name, bands="constant") if target == "ecp5" else []
                clock = f"{middle(runs)[0]:.1f} ({len(runs)} seeds)" if runs else f"{modelled(n):.0f} (model)"
                rows.append([where, target, count, luts, registers, extra, n["multipliers"], blocks18(n), clock])
    return table(["for", "device", "lanes", "LUTs", "flip-flops", "of each extra lane", "multipliers", "block memories", "MHz"],
                 rows)


def sparse(r):
    """The sparse core by its lanes; what each lane more takes beside the row above of the same device."""
    spec = INTEGER["level 8"][0]
    rows = []
    for target in ("xcup", "ecp5"):
        before = None
        for count in (1, 2, 4, 8, 16, 32, 64):
            name = spec if count == 1 else f"{spec},lanes={count}"
            n = r.net("sparse", name, target)
            if n is None:
                continue
            luts, registers = int(n["luts"]) + int(n["memory_luts"]), int(n["flip_flops"])
            extra = ""
            if before is not None:
                extra = f"{(luts - before[1]) / (count - before[0]):.0f} + {(registers - before[2]) / (count - before[0]):.0f}"
            before = (count, luts, registers)
            runs = r.placed("sparse", name) if target == "ecp5" else []
            clock = f"{middle(runs)[0]:.0f} ({len(runs)} seeds)" if runs else f"{modelled(n):.0f} (model)"
            rows.append([target, count, luts, registers, extra, n["multipliers"], blocks18(n), clock])
    return table(["device", "lanes", "LUTs", "flip-flops", "of each extra lane", "multipliers", "block memories (18 Kbit)", "MHz"],
                 rows)


def delays(r):
    return table(["family", "delays against an ECP5's", "why"], [[t, f"{x:g}", why] for t, (x, why) in DELAYS.items()])


TABLES = {"delays": delays, "peers": peers, "operators": operators, "table5": table5, "laws": laws, "cores": cores,
          "breakdown": breakdown, "placed": placed, "calibration": calibration, "integer": integer, "lanes": lanes, "sparse": sparse}


def filled(page, results):
    def fill(match):
        name = match[1]
        if name not in TABLES:
            sys.exit(f"{page.name}: no table is called {name}; the tables are {', '.join(TABLES)}")
        return f"<!-- table {name} -->\n{TABLES[name](results)}\n<!-- end -->"

    return re.sub(r"<!-- table (\w+) -->\n.*?<!-- end -->", fill, page.read_text(), flags=re.S)


def main():
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "collect" and len(sys.argv) == 3:
        collect(sys.argv[2])
    elif command == "keep" and len(sys.argv) == 3:
        keep(sys.argv[2])
    elif command == "docs" and len(sys.argv) == 2:
        results = Results()
        for page in DOCS:
            page.write_text(filled(page, results))
    elif command == "check" and len(sys.argv) == 2:
        results = Results()
        for page in DOCS:
            if filled(page, results) != page.read_text():
                sys.exit(f"docs/{page.name} is not what experiments/synthesis/results/ says; run "
                         "experiments/synthesis/tables.py docs")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
