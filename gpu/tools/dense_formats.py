#!/usr/bin/env python3
"""Which formats of LU factors suffice, on a GPU to n = 4096: runs `mantissa solve --dense --engine gpu`, and writes the
tables and the figure of docs/lu.md from what it kept.

    gpu/tools/dense_formats.py run RESULT.json [--program PATH] [--jobs J] [--seconds T]
    gpu/tools/dense_formats.py write RESULT.json [--docs FOLDER] [--check]

`run` keeps what RESULT.json has and solves the rest; after T seconds it begins nothing more. `write` fills the part of
FOLDER/lu.md between its marker lines and FOLDER/lu_formats.svg; with --check it changes nothing and ends with 1 where a
file is not what RESULT.json gives. Python's standard library only.
"""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import subprocess
import sys
import time

BEGIN, END = "<!-- tables: gpu/tools/dense_formats.py writes these -->", "<!-- end of the GPU's tables -->"
FORMATS = ("s4e8", "s7e8", "s10e5", "s14e8", "s17e8")
SUMS = (("each step truncated", ""), ("sums in s23e8", ",acc=s23e8"), ("sums in fixed[15:-34]", ",acc=fixed[15:-34]"))
SIZES = (256, 512, 1024, 2048, 4096)
KAPPAS = ("1e2", "1e4", "1e6", "1e8", "1e10", "1e12")
KEPT = ("problem", "unknowns", "spec", "refinement", "status", "end", "steps", "gmres_steps", "backward_error",
        "forward_error", "factor_error", "growth", "condition", "engine_seconds", "refine_seconds", "engine", "check")


def wanted():
    """(problem, specification, refinement, further options), what matters most first."""
    both = ("gmres-ir", "ir")
    for n in (1024, 4096):
        for refinement in both:
            yield f"n={n}", "lu:s10e5,acc=fixed[15:-34]", refinement, ["--check", "emulated"] if n == 1024 else []
    for _, sums in SUMS:
        for base in FORMATS:
            yield f"n={SIZES[-1]}", f"lu:{base}{sums}", "gmres-ir", []
    for n in SIZES:
        for _, sums in SUMS:
            for base in FORMATS:
                for refinement in both:
                    yield f"n={n}", f"lu:{base}{sums}", refinement, []
        if n == 1024:
            for kappa in KAPPAS:
                for base in FORMATS:
                    for refinement in both:
                        yield f"n={n},kind=randsvd,kappa={kappa}", f"lu:{base},acc=fixed[15:-34]", refinement, []
    for kappa in ("1e2", "1e6", "1e10"):
        for base in ("s10e5", "s17e8"):
            yield f"n=4096,kind=randsvd,kappa={kappa}", f"lu:{base},acc=fixed[15:-34]", "gmres-ir", []


def timed():
    """(size, specification) factored by both engines, the processor free for the emulation."""
    for sums in ("s10e5", "s10e5,acc=s23e8", "s10e5,acc=fixed[15:-34]", "s10e5:rne", "double",
                 "s10e5,acc=fixed[15:-34],pivot=full"):
        for n in (512, 1024, 2048, 4096):
            if n <= (1024 if "full" in sums else 4096):
                yield n, f"lu:{sums}"


def key(problem, spec, refinement):
    return f"{problem} {spec} {refinement}"


def solve(program, threads, problem, spec, refinement, more):
    command = [program, "solve", "--dense", problem, "--lu", spec, "--refine", refinement, "--engine", "gpu", "--json",
               "--threads", str(threads), *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.stderr.write(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
        return None
    found = json.loads(done.stdout)
    return {k: found[k] for k in KEPT if k in found}


def run(a):
    path = pathlib.Path(a.result)
    result = json.loads(path.read_text()) if path.exists() else {"kind": "dense_formats", "solves": {}}
    if "device" not in result:
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        said = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
        name, driver = (x.strip() for x in said.split(","))
        version = subprocess.run([a.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        result.update(device=name, driver=driver, program=version, date=datetime.date.today().isoformat())
    begin = time.monotonic()
    result.setdefault("times", {})
    for n, spec in timed():
        if a.times and f"{n} {spec}" not in result["times"]:
            check = ["--check", "emulated"] if n <= 2048 else []
            command = [a.program, "solve", "--dense", f"n={n}", "--lu", spec, "--refine", "none", "--engine", "gpu", "--json"]
            found = json.loads(subprocess.run(command + check, capture_output=True, text=True).stdout)
            result["times"][f"{n} {spec}"] = {"unknowns": n, "spec": spec, "seconds": found["engine_seconds"],
                                              "emulated_seconds": found.get("check", {}).get("seconds"),
                                              "threads": len(os.sched_getaffinity(0)) if check else None}
    path.write_text(json.dumps(result, indent=1) + "\n")
    missing = {}
    for job in wanted():
        if key(*job[:3]) not in result["solves"]:
            missing.setdefault(key(*job[:3]), job)

    def work(job):
        if a.seconds and time.monotonic() - begin > a.seconds:
            return job, None
        return job, solve(a.program, a.threads, *job)

    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for job, found in pool.map(work, missing.values()):
            if found:
                result["solves"][key(*job[:3])] = found
                path.write_text(json.dumps(result, indent=1) + "\n")
    done = sum(key(*job[:3]) in result["solves"] for job in missing.values())
    print(f"{done} of {len(missing)} solves in {time.monotonic() - begin:.0f} s; {len(result['solves'])} kept")


def fraction_bits(base):
    return int(base[1:base.index("e")])


def units(found, base):
    """The factors' error in units of 2^-M."""
    return found["factor_error"] * 2.0 ** fraction_bits(base) if found and found["end"] == "factored" else None


def steps(found):
    if not found:
        return ""
    if found["end"] != "factored":
        return found["end"]
    if found["status"] != "converged":
        return "x"
    return str(found["gmres_steps"] if found["refinement"] == "gmres-ir" else found["steps"])


def short(x):
    return "" if x is None else f"{x:.0f}" if x >= 20 else f"{x:.1f}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)] + \
           ["| " + " | ".join(row) + " |" for row in rows] + [""]


def tables(result):
    solves = result["solves"]
    lines = []
    for title, sums in SUMS:
        rows = []
        for base in FORMATS:
            cells = []
            for n in SIZES:
                ir, gmres = (solves.get(key(f"n={n}", f"lu:{base}{sums}", r)) for r in ("ir", "gmres-ir"))
                cells.append(f"{short(units(gmres or ir, base))} / {steps(ir)} / {steps(gmres)}")
            rows.append([f"`lu:{base}{sums}`"] + cells)
        lines += [f"**{title[0].upper()}{title[1:]}**: error / steps of `ir` / steps of GMRES", ""]
        lines += table(["factors"] + [f"n = {n}" for n in SIZES], rows)
    lines += ["**Condition**, `kind=randsvd`, sums in `fixed[15:-34]`: steps of `ir` / steps of GMRES", ""]
    rows = []
    for n in (1024, 4096):
        for base in FORMATS:
            cells = []
            for kappa in KAPPAS:
                problem = f"n={n},kind=randsvd,kappa={kappa}"
                ir, gmres = (solves.get(key(problem, f"lu:{base},acc=fixed[15:-34]", r)) for r in ("ir", "gmres-ir"))
                cells.append(f"{steps(ir)} / {steps(gmres)}" if ir else steps(gmres))
            if any(cells):
                rows.append([f"{base}, n = {n}"] + cells)
    return lines + table(["factors"] + [f"kappa {k}" for k in KAPPAS], rows) + time_table(result)


def time_table(result):
    rows = []
    for t in result.get("times", {}).values():
        n, seconds, emulated = t["unknowns"], t["seconds"], t["emulated_seconds"]
        rows.append([f"`{t['spec']}`", str(n), f"{1e3 * seconds:.1f}", f"{n ** 3 / 3e9 / seconds:.0f}",
                     f"{1e3 * emulated:.0f}" if emulated else "", f"{n ** 3 / 3e9 / emulated:.2f}" if emulated else "",
                     f"{emulated / seconds:.0f}" if emulated else ""])
    if not rows:
        return []
    threads = max(t["threads"] or 0 for t in result["times"].values())
    return ["**Time of a factorisation**, the matrix on the device; beside it the emulation on "
            f"{threads} threads in the same run. An update is w - l u; there are n^3 / 3.", ""] + \
        table(["factors", "n", "ms", "10^9 updates/s", "emulated, ms", "10^9 updates/s", "ratio"], rows)


def figure(result):
    """The factors' error in units of 2^-M over n, both scales logarithmic."""
    width, height, top, left = 560, 330, 48, 60
    colours = {"": "#b2182b", ",acc=s23e8": "#2166ac", ",acc=fixed[15:-34]": "#1b7837"}
    marks = dict(zip(FORMATS, ("5,3", "9,3", "", "2,2", "9,3,2,3")))
    points = {(base, sums): [(n, units(result["solves"].get(key(f"n={n}", f"lu:{base}{sums}", "gmres-ir")), base))
                             for n in SIZES] for _, sums in SUMS for base in FORMATS}
    points = {k: [(n, e) for n, e in v if e] for k, v in points.items()}
    high = math.log10(max([e for v in points.values() for _, e in v] + [1000]) * 1.3)
    x = lambda n: left + (math.log2(n) - 7.7) / 4.6 * width
    y = lambda e: top + height - math.log10(e) / high * height
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{top + height + 112}" '
           f'viewBox="0 0 {left + width + 30} {top + height + 112}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="22" font-size="15">Error of LU factors in units of 2^-M, by the size of the matrix</text>',
           f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>']
    for n in SIZES:
        out.append(f'<line x1="{x(n):.1f}" y1="{top}" x2="{x(n):.1f}" y2="{top + height}" stroke="#eee"/>'
                   f'<text x="{x(n):.1f}" y="{top + height + 16}" text-anchor="middle">{n}</text>')
    for e in (m * 10 ** k for k in range(5) for m in (1, 2, 5)):
        if math.log10(e) <= high:
            out.append(f'<line x1="{left}" y1="{y(e):.1f}" x2="{left + width}" y2="{y(e):.1f}" stroke="#eee"/>'
                       f'<text x="{left - 6}" y="{y(e) + 4:.1f}" text-anchor="end">{e}</text>')
    for slope, text in ((lambda n: 0.24 * n, "0.24 n"), (lambda n: 0.16 * math.sqrt(n), "0.16 sqrt(n)")):
        a, b = SIZES[0], SIZES[-1]
        out.append(f'<line x1="{x(a):.1f}" y1="{y(slope(a)):.1f}" x2="{x(b):.1f}" y2="{y(slope(b)):.1f}" stroke="#aaa" '
                   f'stroke-width="6" stroke-opacity="0.4"/><text x="{x(b) - 4:.1f}" y="{y(slope(b)) - 10:.1f}" '
                   f'text-anchor="end" fill="#666">{text}</text>')
    for (base, sums), line in points.items():
        dots = " ".join(f"{x(n):.1f},{y(e):.1f}" for n, e in line)
        out.append(f'<polyline fill="none" stroke="{colours[sums]}" stroke-width="1.8" stroke-dasharray="{marks[base]}" '
                   f'points="{dots}"/>')
        out += [f'<circle cx="{x(n):.1f}" cy="{y(e):.1f}" r="2.5" fill="{colours[sums]}"/>' for n, e in line]
    out.append(f'<text x="{left + width / 2}" y="{top + height + 34}" text-anchor="middle">n</text>')
    for i, (label, sums) in enumerate(SUMS):
        a, b = left + 190 * i, top + height + 62
        out.append(f'<line x1="{a}" y1="{b}" x2="{a + 26}" y2="{b}" stroke="{colours[sums]}" stroke-width="2.5"/>'
                   f'<text x="{a + 32}" y="{b + 4}">{label}</text>')
    for i, base in enumerate(FORMATS):
        a, b = left + 110 * i, top + height + 88
        out.append(f'<line x1="{a}" y1="{b}" x2="{a + 40}" y2="{b}" stroke="#444" stroke-width="1.8" '
                   f'stroke-dasharray="{marks[base]}"/><text x="{a + 46}" y="{b + 4}">{base}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def write(a):
    result = json.loads(pathlib.Path(a.result).read_text())
    page = (a.docs / "lu.md").read_text()
    if BEGIN not in page or END not in page:
        sys.exit(f"{a.docs / 'lu.md'}: no marker lines '{BEGIN}' and '{END}'")
    head, tail = page.split(BEGIN)[0], page.split(END)[1]
    files = {a.docs / "lu.md": head + BEGIN + "\n\n" + "\n".join(tables(result)) + END + tail,
             a.docs / "lu_formats.svg": figure(result)}
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if a.check:
        if stale:
            sys.exit(f"{', '.join(map(str, stale))}: not what {a.result} gives; run gpu/tools/dense_formats.py write")
        return
    for path in stale:
        path.write_text(files[path])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    solving = commands.add_parser("run", help="solve what is missing")
    solving.add_argument("result")
    solving.add_argument("--program", default="build/bin/mantissa")
    solving.add_argument("--jobs", type=int, default=4, help="solves side by side")
    solving.add_argument("--threads", type=int, default=4, help="threads of each")
    solving.add_argument("--seconds", type=float, default=0, help="begin nothing more after this; 0: no limit")
    solving.add_argument("--times", action="store_true", help="first factor one matrix at a time, for the clock")
    solving.set_defaults(action=run)
    writing = commands.add_parser("write", help="tables and figure")
    writing.add_argument("result")
    writing.add_argument("--docs", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "docs")
    writing.add_argument("--check", action="store_true")
    writing.set_defaults(action=write)
    a = parser.parse_args()
    a.action(a)


if __name__ == "__main__":
    main()
