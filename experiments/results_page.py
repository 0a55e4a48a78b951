#!/usr/bin/env python3
"""docs/results.md from a stored comparison.

    mantissa compare experiments/compare.toml --stored --json > experiments/results/compare.json
    mantissa compare experiments/results/compare.json --json    # the same, its sentences formed anew from its figures
    experiments/results_page.py experiments/results/compare.json > docs/results.md
    experiments/results_page.py experiments/results/compare.json --check docs/results.md

A figure that is modelled, and not measured or counted, carries a dagger.
"""

import argparse
import json
import pathlib
import sys

DAGGER = "†"
# The units of which a resident core is made (docs/resident.md), each mapped by itself.
PARTS = {"inner": "inner passes", "outer": "outer unit", "resident": "resident, for 1089 elements"}


def seconds(value):
    if value is None:
        return ""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.3g} s"


def mark(text, modelled):
    return text + DAGGER if text and modelled else text


def table(header, rows, numbers):
    """A Markdown table; columns in `numbers` are set to the right."""
    lines = ["| " + " | ".join(header) + " |"]
    lines.append("|" + "|".join("---:" if k in numbers else "---" for k in range(len(header))) + "|")
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return lines + [""]


def code(text):
    return f"`{text}`"


def name_of(item):
    """A design or row by its specification, and whether its vectors stay on the chip."""
    return code(item["spec"]) + (" resident" if item.get("resident") else "")


def best(document):
    """Who leads: for each device the fastest design at the largest problem that anything on it solves."""
    order = list(dict.fromkeys(d["problem"] for d in document["designs"]))
    rows = []
    for device in document["devices"]:
        own = [r for r in document["rows"] if r["device"] == device["id"]]
        if not own:
            continue
        problem = max((r["problem"] for r in own), key=order.index)
        r = min((r for r in own if r["problem"] == problem), key=lambda r: r["seconds"])
        energy = r.get("energy_joules")
        rows.append([device["id"], problem, name_of(r), r["cores"], r["lanes"], r["bound"], r["inner_iterations"],
                     mark(seconds(r["seconds"]), "seconds" in r["modelled"]),
                     mark(f"{energy:.3g} J", True) if energy is not None else ""])
    gpu = [p for p in document["peers"] if p["engine"] == "gpu" and p["problem"] == order[-1] and p.get("reached", True)]
    yield "## The best design of each device"
    yield ""
    yield ("The fastest design on each device, at the largest problem that it holds; energy is the device's greatest power "
           "times the time, an upper bound. A resident design keeps all its vectors on the chip and runs its outer loop there: "
           "its clocks are those of its simulated RTL, its area that of its mapped units and memories.")
    yield ""
    yield from table(["device", "problem", "datapath", "cores", "lanes", "bound", "iterations", "time", "energy"], rows,
                     (3, 4, 6, 7, 8))
    if gpu:
        fastest = min(gpu, key=lambda p: p["seconds"])
        yield f"Beside it, measured at {order[-1]}: {fastest['label']}, {seconds(fastest['seconds'])}."
        yield ""


def iterations(document):
    problems = list(dict.fromkeys(d["problem"] for d in document["designs"]))
    designs = list(dict.fromkeys(name_of(d) for d in document["designs"]))
    found = {}
    for d in document["designs"]:
        found.setdefault((name_of(d), d["problem"]), d)
    rows = []
    for design in designs:
        cells = []
        for problem in problems:
            d = found.get((design, problem))
            if d is None:
                cells.append("")
            elif d["status"] == "converged":
                cells.append(f"{d['inner_iterations']}:{d['outer_iterations']}")
            else:
                cells.append(d["status"])
        rows.append([design, *cells])
    yield "## Iterations to double accuracy"
    yield ""
    yield (f"Inner iterations and outer steps, {document['scheme']}, {document['inner']} inner iterations per step, to a defect of "
           f"{document['tolerance']:g} relative to the first.")
    yield ""
    yield from table(["datapath", *problems], rows, range(1, len(problems) + 1))


def cores(document):
    rows = []
    for c in document["cores"]:
        part = c.get("part", "core")
        what = f" {PARTS[part]}" if part != "core" else " with a constant stencil" if c.get("bands") == "constant" else ""
        rows.append([code(c["spec"]) + what, c["target"], c["multiplier"], c["luts"] + c["memory_luts"], c["flip_flops"],
                     mark(str(c["slices"]), c.get("slices_kind") == "modelled"), c["blocks"], c["depth"],
                     mark(f"{c['mhz']:.0f}" if c.get("mhz") else "", c.get("mhz_kind") == "modelled")])
    yield "## One core"
    yield ""
    yield ("Each of one specification on one family; of resident cores the units, each mapped by itself. MHz are what `mantissa synthesize` prints for it: by place and route "
           "where the figure has no dagger, else by a model. A device may hold it back further (below). Areas are those of the commit that mapped them (\"Where the figures are from\"); today's core may be some LUTs smaller: findings.md and synthesis.md have what the program says now.")
    yield ""
    yield from table(["datapath", "family", "multipliers", "LUTs", "flip-flops", "slices", "blocks", "depth", "MHz"], rows,
                     range(3, 9))


def rows_of(document):
    yield "## Designs on devices"
    yield ""
    yield ("The designs on each Pareto front of area against time to solution, fastest first: none of those compared is "
           "both smaller and faster. Area is the largest of the shares of the device's slices, multipliers and block "
           "memories. What bounds a design is what keeps it from being faster.")
    yield ""
    keys = dict.fromkeys((r["device"], r["problem"]) for r in document["rows"])
    for device, problem in keys:
        front = [r for r in document["rows"] if (r["device"], r["problem"]) == (device, problem) and r["pareto"]]
        if not front:
            continue
        designs = {(name_of(r), r["multiplier"]) for r in document["rows"] if (r["device"], r["problem"]) == (device, problem)}
        yield f"### {device}, {problem}"
        yield ""
        count = len([r for r in document["rows"] if (r["device"], r["problem"]) == (device, problem)])
        yield (f"Of {len(designs)} designs ({count} with their numbers of cores):" if len(designs) > 1 else
               f"One design is compared here, on {count} numbers of cores:" if count > 1 else "One design fits here:")
        yield ""
        rows = []
        for r in sorted(front, key=lambda r: r["seconds"]):
            modelled = set(r["modelled"])
            rows.append([name_of(r), r["cores"], r["lanes"], r["inner"], r["inner_iterations"], r["bound"],
                         mark(f"{r['clock_hz'] / 1e6:.0f}", "clock_hz" in modelled),
                         mark(f"{100 * r['area_share']:.3g} %", "area_share" in modelled),
                         mark(seconds(r["seconds"]), "seconds" in modelled)])
        yield from table(["datapath", "cores", "lanes", "inner", "iterations", "bound", "MHz", "area", "time"], rows,
                         (1, 2, 3, 4, 6, 7, 8))


def stages(document):
    if not document.get("stages"):
        return
    yield "## The best format of each stage"
    yield ""
    yield ("By time and by area times time, each with the best design that has it; the other stages are free. After "
           "each format stands among how many it is the best; where a stage has one format there is no choice. "
           "docs/compare.md says what is a stage.")
    yield ""
    names = list(dict.fromkeys(s["stage"] for s in document["stages"]))
    found = {(s["device"], s["problem"], s["by"], s["stage"]): s for s in document["stages"]}
    rows = []
    for device, problem, by in dict.fromkeys((s["device"], s["problem"], s["by"]) for s in document["stages"]):
        cells = []
        for name in names:
            s = found.get((device, problem, by, name))
            number = len(s["choices"]) if s else 0
            cells.append(mark(code(s["format"]), s.get("kind") == "modelled") +
                         (f" of {number}" if number > 1 else " (only)") if s else "")
        rows.append([device, problem, by, *cells])
    yield from table(["device", "problem", "by", *names], rows, ())


def peers(document):
    if not document["peers"]:
        return
    rows = [[p["problem"], p["engine"], p["label"] + ("" if p.get("reached", True) else " (missed the tolerance)"),
             p["iterations"], f"{p['true_residual']:.1e}" if p.get("true_residual") else "",
             seconds(p["seconds"])] for p in document["peers"]]
    yield "## Beside them"
    yield ""
    yield (f"The same problems on a processor and on a GPU, timed. Where the true residual stayed more "
           f"than 0.1 % above {document['tolerance']:g}, the run missed the tolerance.")
    yield ""
    yield from table(["problem", "on", "what", "iterations", "true residual", "time"], rows, (3, 4, 5))


def origins(document):
    yield "## Where the figures are from"
    yield ""
    seen = {}
    for o in document["origins"].values():
        key = (o["kind"], o["command"], o["commit"], o["machine"], o["date"][:10])
        seen[key] = seen.get(key, 0) + 1
    rows = [[n, kind, code(command) if command.startswith("mantissa") else command, commit, machine, date]
            for (kind, command, commit, machine, date), n in sorted(seen.items(), key=lambda item: -item[1])]
    yield from table(["figures", "kind", "command", "commit", "machine", "date"], rows, (0,))
    yield f"The file that this page is made from gives the origin of each figure by itself. {DAGGER} modelled, as assumed above."
    yield ""


def page(document, name):
    yield "# Results"
    yield ""
    yield (f"Made by `experiments/results_page.py {name}` from what `mantissa compare experiments/compare.toml` stored; "
           "[compare.md](compare.md) has the formulas. `mantissa report` shows the same as charts. Areas are of the RTL of the commits that the "
           "last section names; [synthesis.md](synthesis.md) has today's, which differ by a few slices.")
    yield ""
    yield from best(document)
    yield "## Findings"
    yield ""
    yield from (f"- {f}" for f in document["findings"])
    yield ""
    if document.get("section55"):
        yield f"**Section 5.5 of the paper, with these figures.** {document['section55']['text']}"
        yield ""
    yield "## Assumptions"
    yield ""
    yield from (f"- {a}" for a in document["assumptions"])
    yield ""
    yield from iterations(document)
    yield from cores(document)
    yield from rows_of(document)
    yield from stages(document)
    yield from peers(document)
    if document["gaps"]:
        yield "## Gaps"
        yield ""
        yield from (f"- {g['what']}: {g['why']}; {g['mend']}" for g in document["gaps"])
        yield ""
    yield from origins(document)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path, help="compare with this page and say where it differs")
    arguments = parser.parse_args()
    document = json.loads(arguments.document.read_text())
    text = "\n".join(page(document, f"experiments/results/{arguments.document.name}")).rstrip() + "\n"
    if arguments.check is None:
        sys.stdout.write(text)
        return 0
    old = arguments.check.read_text()
    if old == text:
        return 0
    for k, (a, b) in enumerate(zip(old.splitlines(), text.splitlines()), 1):
        if a != b:
            print(f"{arguments.check}:{k}: is not what {arguments.document} says; make it again\n- {a}\n+ {b}")
            return 1
    print(f"{arguments.check}: has another length than {arguments.document} asks for; make it again")
    return 1


if __name__ == "__main__":
    sys.exit(main())
