"""clang-tidy over the sources of a folder as one text: their headers are read, and checked, once.

usage: tidy.py CLANG_TIDY SOURCE FOLDER [ALONE...] -- COMPILER_OPTION...

SOURCE is the project's, FOLDER a folder in it, ALONE names of sources with names of their own that others have too. A complaint names
its file and line. The exit code is clang-tidy's.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

clang_tidy, source, part, *rest = sys.argv[1:]
alone, options = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
folder = pathlib.Path(source) / part
sources = sorted(folder.glob("*.cpp"))
if not sources or set(alone) - {file.name for file in sources}:
    sys.exit(f"{folder}: no sources, or not those that are named: {' '.join(alone)}")
lines = []  # of the text: where each is from
with tempfile.TemporaryDirectory() as work:
    text = pathlib.Path(work) / "all.cpp"
    with text.open("w") as out:
        for file in (file for file in sources if file.name not in alone):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                out.write(line + "\n")
                lines.append(f"{file}:{number}")
    done = subprocess.run([clang_tidy, "--quiet", f"--config-file={source}/.clang-tidy", "--checks=-clang-analyzer-*",
                           "--warnings-as-errors=*", text, *(folder / name for name in alone), "--", *options, f"-I{folder}"],
                          stdout=subprocess.PIPE, text=True)
    print(re.sub(rf"{re.escape(str(text))}:(\d+)", lambda at: lines[int(at[1]) - 1], done.stdout), end="")
sys.exit(done.returncode)
