#!/usr/bin/env python3
"""Starts every `mantissa` command that the documents and the program's own help show.

    check_commands.py --source FOLDER --program PROGRAM [--seconds S] [--jobs N] [--only TEXT]

A command is a line of an indented or fenced block that begins with "mantissa" (perhaps after "$ " or "build/bin/"),
with the lines that a backslash joins to it. Each runs in a folder of its own that holds experiments/, a small matrix, a
small mesh and a small results file under the names that the documents use. A command passes when it ends with exit code
0, or with 1 where that is a solve's answer (not converged), or still runs after S seconds: a wrong option, file or
spec is refused at once. A refusal passes only where it names what this machine lacks: a GPU, MPI or a tool.

Documents in ```console blocks that show output are checked to the letter by check_tutorial.py.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

# What a machine may lack; each is the program's own line.
LACKS = ["no CUDA", "no GPU", "not in this build", "built without", "no MPI"]
# Options of a solve that need several GPUs or processes, or a file that is not there, or are shown in docs/lu.md; and two
# whose names are those of pages.
WITHOUT_EXAMPLE = {"rank-wait", "gpus", "devices", "method", "unscaled", "gmres-tolerance", "store", "guess", "problem", "spec"}
MESHES = ["face.obj", "scan.obj", "scan.ply", "bff_face.obj", "camelhead.off", "kitten.obj", "bff_kitten.obj"]
MATRICES = ["FILE", "FILE.mtx", "MATRIX.mtx", "M.mtx", "gyro_m.mtx", "wathen100.mtx", "my.mtx", "matrix.mtx"]


def commands(text):
    """The command lines of a document, joined and without comments."""
    lines = text.splitlines()
    fenced = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("```"):
            fenced = not fenced
            continue
        match = re.match(r"(?:\$ )?(?:build/bin/)?(mantissa [a-z].*)$", line.strip())
        if match is None or not (fenced or line.startswith("    ")):
            continue
        command = match[1]
        while command.endswith("\\") and at < len(lines):
            command = command[:-1] + " " + lines[at].strip()
            at += 1
        command = re.sub(r"\s{2,}#.*$|\s#\s.*$", "", command).strip()
        if not re.search(r"\.\.\.\]|\bNAME\b|SUBCOMMAND|TOPIC", command):  # a synopsis is no command
            yield command.replace(".../experiments", "experiments")


def grid_mesh(side, noise):
    vertices = [(x / side, y / side, noise * ((x * 7 + y * 13) % 5)) for y in range(side + 1) for x in range(side + 1)]
    faces = []
    for y in range(side):
        for x in range(side):
            a = y * (side + 1) + x
            faces += [(a, a + 1, a + side + 2), (a, a + side + 2, a + side + 1)]
    return vertices, faces


def write_mesh(path):
    vertices, faces = grid_mesh(12, 0.01)
    if path.suffix == ".obj":
        body = "".join("v %g %g %g\n" % v for v in vertices)
        body += "".join("f %d %d %d\n" % tuple(i + 1 for i in f) for f in faces)
    elif path.suffix == ".off":
        body = f"OFF\n{len(vertices)} {len(faces)} 0\n" + "".join("%g %g %g\n" % v for v in vertices)
        body += "".join("3 %d %d %d\n" % f for f in faces)
    else:
        body = (f"ply\nformat ascii 1.0\nelement vertex {len(vertices)}\nproperty float x\nproperty float y\n"
                f"property float z\nelement face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
        body += "".join("%g %g %g\n" % v for v in vertices) + "".join("3 %d %d %d\n" % f for f in faces)
    path.write_text(body)


def write_matrix(path):
    n = 64
    entries = [(i, i, 4.0 + (i % 3)) for i in range(1, n + 1)] + [(i, i - 1, -1.0) for i in range(2, n + 1)]
    entries += [(i, i - 8, -1.0) for i in range(9, n + 1)]
    path.write_text(f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {len(entries)}\n" +
                    "".join("%d %d %g\n" % e for e in entries))


def write_data(folder, source):
    """Small stand-ins for the matrices and meshes that the sweep files name."""
    for sweep in (source / "experiments").glob("*.toml"):
        for path in set(re.findall(r"(?:matrices|meshes)/[\w.-]+\.\w+", sweep.read_text())):
            (folder / path).parent.mkdir(exist_ok=True)
            (write_matrix if path.startswith("matrices") else write_mesh)(folder / path)


def make_folder(folder, source, program):
    shutil.copytree(source / "experiments", folder / "experiments", ignore=shutil.ignore_patterns("*.sqlite*"))
    (folder / "gpu").symlink_to(source / "gpu")
    (folder / "docs").mkdir()
    for name in MESHES:
        write_mesh(folder / name)
    for name in MATRICES:
        write_matrix(folder / name)
    write_data(folder, source)
    subprocess.run(["gzip", "-k", folder / "FILE.mtx"], check=True)
    (folder / "b.mtx").write_text("%%MatrixMarket matrix array real general\n64 1\n" + "1\n" * 64)
    (folder / "small.toml").write_text('problem = "poisson2d:level=4"\nformat = ["s17e8", "double"]\n')
    store = folder / "RESULTS"
    made = subprocess.run([program, "compare", source / "experiments/results/compare.json", "--store", store],
                          cwd=folder, capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"the stored comparison: {made.stderr}")
    for name in ["results.sqlite", "kept.sqlite", "bits.sqlite", "build/quickstart.sqlite", "experiments/lu.sqlite",
                 "FILE.sqlite", "upsets.sqlite"]:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(store, folder / name)
    shutil.copy(source / "experiments/results/compare.json", folder / "DOCUMENT.json")
    for page in ["tutorial.md", "sweeps.md"]:
        for name, body in re.findall(r"^```toml\n# (\S+)\n(.*?)^```$", (source / "docs" / page).read_text(), re.M | re.S):
            (folder / name).write_text(body)
    shutil.copy(folder / "designs.toml" if (folder / "designs.toml").exists() else
                source / "experiments/quickstart_compare.toml", folder / "FILE.toml")


def start(command, arguments):
    """Why the command does not pass, or nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "here"
        shutil.copytree(arguments.template, folder, symlinks=True)
        if command.startswith("mantissa compare FILE"):
            command = command.replace("FILE", "FILE.toml", 1)
        # A cache of its own: what is stopped half way changes nothing for the others.
        environment = dict(os.environ, PATH=f"{arguments.program.parent}:{os.environ['PATH']}",
                           MANTISSA_CACHE=str(folder.parent / "cache"), OMP_NUM_THREADS="1")
        with subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as child:
            try:
                _, err = child.communicate(timeout=arguments.seconds)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGTERM)
                try:
                    child.communicate(timeout=20)
                except subprocess.TimeoutExpired:
                    os.killpg(child.pid, signal.SIGKILL)
                    return "does not end within 20 s of SIGTERM"
                return ""
        if child.returncode == 0 or (child.returncode == 1 and "solve" in command):
            return ""
        if child.returncode == 2 and any(lack in err for lack in LACKS):
            return ""
        return f"exit code {child.returncode}: {err.strip()[-400:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="commands that hold this text")
    arguments = parser.parse_args()
    arguments.source, arguments.program = arguments.source.resolve(), arguments.program.resolve()
    found = {}
    documents = [arguments.source / "README.md", *sorted(arguments.source.glob("docs/*.md")),
                 *sorted(arguments.source.glob("*/README.md")), *sorted(arguments.source.glob("experiments/*/README.md"))]
    for document in documents:
        for command in commands(document.read_text()):
            found.setdefault(command, document.relative_to(arguments.source))
    listed = subprocess.run([arguments.program, "help"], capture_output=True, text=True, check=True).stdout
    for topic in re.findall(r"^  ([a-z-]+)  ", listed, re.M):
        page = subprocess.run([arguments.program, "help", topic], capture_output=True, text=True, check=True).stdout
        for line in re.findall(r"^  +(mantissa [a-z].*)$", page, re.M):
            found.setdefault(line.strip(), f"mantissa help {topic}")
    tables = (arguments.source / "docs/options.md").read_text().split("## Arithmetic")[1]
    options = re.findall(r"^\| `(?:--)?([a-z-]+)(?:\{\w+\})?` \|", tables, re.M)
    lone = []
    for option in options:
        page = subprocess.run([arguments.program, "help", option], capture_output=True, text=True).stdout
        shown = re.findall(r"^  (mantissa [a-z].*)$", page, re.M)
        lone += [] if shown or option in WITHOUT_EXAMPLE else [option]
        for line in shown:
            found.setdefault(line.strip(), f"mantissa help {option}")
    if lone:
        sys.exit(f"mantissa help {lone[0]}: no example (and of {len(lone) - 1} more); host/src/command/help/option_help.cpp")
    chosen = {c: d for c, d in found.items() if arguments.only in c}
    if len(found) < 50 or not chosen:
        sys.exit(f"only {len(found)} commands found, {len(chosen)} chosen: the documents' form has changed")
    wrong = 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        arguments.template = pathlib.Path(name) / "template"
        arguments.template.mkdir()
        make_folder(arguments.template, arguments.source, arguments.program)
        for (command, document), why in zip(chosen.items(), pool.map(lambda c: start(c, arguments), chosen)):
            if why:
                wrong += 1
                print(f"{document}: {command}\n    {why}", flush=True)
    print(f"{len(chosen)} commands, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
