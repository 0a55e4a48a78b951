#!/usr/bin/env python3
"""Runs a document's commands and compares what they print with what the document shows.

    check_tutorial.py DOCUMENT --source FOLDER --programs FOLDER

Blocks fenced as ```console hold commands, each after "$ ", and their output. "..." in a line of output stands for any
text, a line of nothing but "..." for any lines. A block fenced as ```toml with a first line "# NAME" is a file: it is
written before the commands that follow. All commands run in one shell, in a folder with the source's experiments and
the programs as build/bin. Exits with 1 at the first difference, and shows it.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


def steps(text):
    """('file', name, content) and ('run', command, expected lines), in order."""
    for language, body in re.findall(r"^```(console|toml)\n(.*?)^```$", text, re.M | re.S):
        lines = body.splitlines()
        if language == "toml":
            name = lines[0].removeprefix("# ").strip()
            yield "file", name, body
            continue
        command, shown = None, []
        for line in lines:
            if line.startswith("$ "):
                if command is not None:
                    yield "run", command, shown
                command, shown = line[2:], []
            elif command is None:
                sys.exit(f"a console block begins with output: {line!r}")
            else:
                shown.append(line)
        if command is not None:
            yield "run", command, shown


def matches(shown, printed):
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in shown[0].rstrip().split("..."))
    return re.fullmatch(pattern, printed[0].rstrip()) is not None and matches(shown[1:], printed[1:])


class Shell:
    MARK = "--- end of command"

    def __init__(self, folder):
        self.process = subprocess.Popen(["bash", "--norc"], cwd=folder, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, command):
        self.process.stdin.write(f"{command} </dev/null\nprintf '\\n{self.MARK} %d\\n' $?\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(self.MARK):
                if lines and lines[-1] == "":
                    lines.pop()
                return lines, int(line.split()[-1])
            lines.append(line.rstrip("\n"))
        raise RuntimeError("the shell ended")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        (folder / "build/bin").symlink_to(arguments.programs.resolve())
        (folder / "experiments").symlink_to((arguments.source / "experiments").resolve())
        shell = Shell(folder)
        ran = 0
        for kind, what, shown in steps(arguments.document.read_text()):
            if kind == "file":
                where, _ = shell.run("pwd")
                (pathlib.Path(where[0]) / what).write_text(shown)
                continue
            printed, code = shell.run(what)
            ran += 1
            if not matches(shown, printed):
                print(f"{arguments.document.name}: not as shown (exit code {code}): {what}")
                print("--- shown", *shown, "--- printed", *printed, sep="\n")
                return 1
            print(f"as shown: {what}", flush=True)
        if ran == 0:
            sys.exit("no commands found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
