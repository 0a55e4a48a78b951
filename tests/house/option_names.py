#!/usr/bin/env python3
"""An option is spelt in the tables of options, and nowhere else in host/ and python/.

usage: option_names.py ROOT [--extra NAME ...]

Names are those of docs/options.md, which another test holds to the tables. Looked for are string literals that are the
name, with dashes or underscores, and the name after "--". Ordinary words that name other things too are left out; so
are files (or FILE:NAME) that USERS lists, each with what it does with the name, and comments. Of dense systems and of what
commands have beside a solve's options (--problem, --engine, --threads, ...) only "--NAME" by itself is looked for: a sentence to the
user may name them, and their words name columns and fields. Lists what it finds, a line each, and ends with 1.
"""
import argparse
import re
import sys
from pathlib import Path

# Words that also name columns, formats, cores and options of other commands.
ORDINARY = {"plan", "stop", "bound", "scheme", "spec", "format", "inner", "outer", "tolerance", "middle",
            "resident", "history"}
USERS = {
    "host/src/options": "the table and what is made from it",
    "host/src/command/help": "commands that users are shown",
    "host/src/sweep/sweep_file.cpp": "stop = \"digits=2\" is short for an option",
    "host/src/report/paper_tables.cpp": "the paper's tables have a column digits2",
    "host/src/tune": "axes of the space are fields of a datapath and options, and commands are printed",
    "host/src/report/read_stores.cpp:headroom": "the table of tune's answers has a column of it",
    "host/src/report/sections/tuned.cpp": "a design is shown as it would be typed",
    "host/src/findings/verdict.cpp": "the report names the command to type next",
    "host/src/comparison/document.cpp": "the document says how a design's solves are scaled",
    "python/mantissa/__init__.py": "a preconditioner has an option's name",
    "host/src/advise": "the advice writes a command and names what it proposes",
    "python/src/solving.cpp": "the same as fields of a result",
    "python/mantissa/solving.py": "the same",
    "python/mantissa/_options.py": "made from the table",
    "host/src/store/result_json.cpp": "headroom at the end of a resident solve is a figure",
    "host/src/store/store.cpp:recurrence": "columns of files from before it was one are read",
    "host/src/solve": "the solver's own words when it refuses",
    "host/src/command/answers/solve_answer.cpp:max-iterations": "the limit that a solve ended at is named to the user",
    "host/src/command/answers/solve_answer.cpp:bounds": "a row of the answer: those that a Chebyshev solve used",
    "host/src/command/simulate.cpp:preconditioner": "a row and a field of the answer",
    "host/src/compare/comparison_file.cpp": "keys of a design, which say how its solves are scaled and what they iterate",
    "host/src/command/meshes": "parameterize and smooth have options of their own",
    "host/src/command/bench_gpu.cpp": "which options its modes take",
    "host/src/command/cevahir/cevahir.cpp": "reproduce's --problem and --parts are of one table of the paper",
    "host/src/command/solve.cpp:advise": "the beginning of a sentence",
    "host/src/synthesis/place_and_route.cpp:json": "an option of the place and route tool",
}


def names(page):
    """Those of a solve, and those of dense systems and of commands beside."""
    solve, beside = page.read_text().split("\n## Arithmetic")[1].split("\n## Of dense systems")
    found = [set(re.findall(r"^\| `([a-z-]+)` \|", part, re.M)) for part in (solve, beside)]
    if any(len(part) < 15 for part in found):
        sys.exit(f"{page}: {[len(part) for part in found]} options; the page has another form")
    return found


def occurrences(text, name, by_itself):
    spellings = {name, name.replace("-", "_")}
    form = r"""["']--%s[{"']""" if by_itself else r"""["'](--)?%s["']|--%s(?![\w-])"""
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r"(^|\s)(//+<?|#)\s.*", "", line)
        for spelling in spellings:
            if re.search(form.replace("%s", spelling), code):
                yield number, line.strip()
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--extra", nargs="*", default=[], help="further names, for the test of this test")
    arguments = parser.parse_args()
    solve, beside = names(arguments.root / "docs/options.md")
    anywhere = (solve - ORDINARY) | set(arguments.extra)
    wanted = sorted(anywhere) + sorted(beside - anywhere)
    found = 0
    for folder in ["host/src", "host/include", "python/src", "python/mantissa"]:
        for path in sorted((arguments.root / folder).rglob("*")):
            where = path.relative_to(arguments.root).as_posix()
            if path.suffix not in {".cpp", ".hpp", ".py"} or any(
                    where == user or where.startswith(user + "/") for user in USERS):
                continue
            text = path.read_text()
            for name in wanted:
                if f"{where}:{name}" in USERS:
                    continue
                for number, line in occurrences(text, name, name not in anywhere):
                    print(f"{where}:{number}: {name}: {line}")
                    found += 1
    sys.exit(found != 0)


if __name__ == "__main__":
    main()
