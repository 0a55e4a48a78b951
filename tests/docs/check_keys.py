#!/usr/bin/env python3
"""Every key of every file format is in its reference, and no reference has a key that the program does not take.

    check_keys.py --source FOLDER --program PROGRAM

The program itself lists the keys of a table where it meets one that it does not know.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

START = 'problem = "poisson2d:level=4"\ndevice = "{device}"\n'
# Page, the text that begins its table, the file that the program is given, and its command.
TABLES = [
    ("sweeps.md", "## Keys of a grid", '[[grid]]\nproblem = "poisson2d:level=4"\nbogus = 1\n', "sweep"),
    ("sweeps.md", "## Keys of a dense grid", "[[dense]]\nn = 4\nbogus = 1\n", "sweep"),
    ("compare.md", "A comparison file is TOML", "bogus = 1\n", "compare"),
    ("compare.md", "Each `[[design]]` names", START.format(device="xc2v8000") + "[[design]]\nbogus = 1\n", "compare"),
    ("compare.md", "Each `[[cycle]]` is", START.format(device="xc2v8000") +
     '[[design]]\nspec = "s17e8"\n[[cycle]]\nbogus = 1\n', "compare"),
    ("compare.md", "Each `[[published]]` is", START.format(device="xc2v8000") +
     '[[design]]\nspec = "s17e8"\n[[published]]\nbogus = 1\n', "compare"),
    ("compare.md", "`[section55]` asks for", START.format(device="xc2v8000") +
     '[[design]]\nspec = "s17e8"\n[section55]\nbogus = 1\n', "compare"),
    ("compare.md", "A device is a file in", START.format(device="device.toml") + '[[design]]\nspec = "s17e8"\n', "compare"),
]
# Tables of a file, which the page shows elsewhere.
ELSEWHERE = {"design", "cycle", "published", "section55"}


def documented(page, start):
    text = page.read_text()
    if start not in text:
        sys.exit(f"{page.name}: {start!r} is gone")
    table = re.search(r"^\|.*?(?=\n\n)", text[text.index(start):], re.M | re.S)[0]
    keys = set()
    for row in table.splitlines()[2:]:
        keys |= {key.strip("[]") for key in re.findall(r"`(\[*[a-z0-9_]+\]*)`", row.split("|")[1])}
    return keys


def taken(program, command, text):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "file.toml").write_text(text)
        (folder / "device.toml").write_text("bogus = 1\n")
        run = subprocess.run([program, command, "file.toml"], cwd=folder, capture_output=True, text=True)
    listed = re.search(r"the keys are (.*)", run.stderr)
    if run.returncode != 2 or listed is None:
        sys.exit(f"{command}: no list of keys in: {run.stderr}")
    return set(re.findall(r"[a-z0-9_]+", listed[1].replace(" and ", ", ")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    wrong = 0
    for page, start, text, command in TABLES:
        shown = documented(arguments.source / "docs" / page, start)
        keys = taken(arguments.program.resolve(), command, text)
        if start.startswith("A comparison file"):
            keys -= ELSEWHERE
        for key in sorted(keys ^ shown):
            wrong += 1
            print(f"docs/{page}, {start!r}: {key} is {'not shown' if key in keys else 'no key of the program'}")
        print(f"docs/{page}, {start!r}: {len(keys)} keys")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
