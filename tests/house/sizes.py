"""Sizes that keep the tree readable: lines of a C++ or CUDA function, files of a folder.

usage: sizes.py functions ROOT [--most 120]
       sizes.py folders ROOT/host/src [--most 15]
       sizes.py measure

`functions` and `folders` list what is over the limit, a line each, and end with 1. `measure` tells whether functions are
measured as they should be. Functions are found by tree-sitter's CUDA grammar (tests/requirements.txt), a superset of
C++; without it the exit code is 77, which CTest takes for skipped.

A function's lines are those from its declarator to its closing brace, lambdas inside included. Macros and attributes that
the grammar does not know make it recover, and then it may lose a function's head. Its body stays a block, or becomes part
of an error, so blocks and errors longer than the limit are listed as well: nothing long goes unseen.
"""
import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path

SUFFIXES = {".cpp", ".hpp", ".cc", ".h", ".cu", ".cuh"}
SKIPPED = 77


def parser():
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ImportError:
        print("skipped: tree-sitter and tree-sitter-cuda are not installed (tests/requirements.txt)")
        sys.exit(SKIPPED)
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


def name_of(node):
    """The function's name, as far as its declarator tells."""
    declarator = node.child_by_field_name("declarator")
    return declarator.text.decode().split("(")[0].split()[-1] if declarator else "?"


def long_pieces(tree, most):
    """(first line, lines, what) of each function, block or error of more than `most` lines, the outermost only."""
    found = []
    nodes = [tree.root_node]
    while nodes:
        node = nodes.pop()
        lines = node.end_point[0] - node.start_point[0] + 1
        if lines <= most:
            continue  # nothing inside is longer
        if node.type == "function_definition":
            found.append((node.start_point[0] + 1, lines, name_of(node)))
        elif node.type == "compound_statement":
            found.append((node.start_point[0] + 1, lines, "a block"))
        elif node.type == "ERROR":
            found.append((node.start_point[0] + 1, lines, "not understood"))
        else:
            nodes.extend(node.children)
    return sorted(found)


def sources(root):
    """C++ and CUDA files of the tree: those that git knows or would add, else all outside of build folders."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        paths = [root / line for line in listed.stdout.splitlines()]
    else:
        paths = [p for p in root.rglob("*") if not any(part.startswith(("build", ".")) for part in p.relative_to(root).parts)]
    return sorted(p for p in paths if p.suffix in SUFFIXES and p.is_file())


def check_functions(root, most):
    grammar = parser()
    files = sources(root)
    if not files:
        print(f"no sources below {root}")
        return 1
    over = 0
    for path in files:
        for line, lines, what in long_pieces(grammar.parse(path.read_bytes()), most):
            print(f"{path.relative_to(root)}:{line}: {what}: {lines} lines, more than {most}")
            over += 1
    print(f"{len(files)} files, {over} functions of more than {most} lines")
    return 1 if over else 0


def check_folders(root, most):
    count = Counter(p.parent for p in root.rglob("*") if p.is_file())
    if not count:
        print(f"no files below {root}")
        return 1
    over = {folder: n for folder, n in count.items() if n > most}
    for folder, n in sorted(over.items()):
        print(f"{folder}: {n} files, more than {most}")
    print(f"{len(count)} folders, {len(over)} of more than {most} files")
    return 1 if over else 0


# Each is a function of nine lines: with a limit of eight it is found, with nine it is not. BODY has seven.
BODY = "    int a = 0;\n" * 7
CASES = {
    "plain": "int plain(int x) {\n" + BODY + "}\n",
    "member": "struct S {\n    void member() const noexcept {\n" + BODY + "    }\n};\n",
    "constructor": "struct S {\n    explicit S(int f) : mask(~((1u << (23 - f)) - 1)) {\n" + BODY + "    }\n};\n",
    "kernel": "template <class T, int R>\n__global__ void __launch_bounds__(512, 1) kernel(const __grid_constant__ P a) {\n"
              + BODY + "}\n",
    "device": "__device__ __forceinline__ void f(const float (&x)[4]) {\n" + BODY + "}\n",
    "macro in front": "namespace n {\nMANTISSA_BOTH float add(float a, float b) {\n" + BODY + "}\n}\n",
    "test": "TEST(Suite, Name) {\n" + BODY + "}\n",
    "lambda at namespace scope": "const auto f = [](int x) {\n" + BODY + "};\n",
    "with inline assembly": "__device__ void g() {\n    asm volatile(\"x %0;\" ::\"l\"(p) : \"memory\");\n"
                            + "    int a = 0;\n" * 6 + "}\n",
}


def check_measure():
    grammar = parser()
    wrong = 0
    for name, text in CASES.items():
        tree = grammar.parse(text.encode())
        short, long = long_pieces(tree, 9), long_pieces(tree, 8)
        if short or [lines for _, lines, _ in long] not in ([9], [10]):  # 10: with the template's own line
            print(f"{name}: over nine lines {short}, over eight {long}")
            wrong += 1
    print(f"{len(CASES)} shapes of functions, {wrong} measured wrongly")
    return 1 if wrong else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("what", choices=["functions", "folders", "measure"])
    arguments.add_argument("root", type=Path, nargs="?")
    arguments.add_argument("--most", type=int)
    given = arguments.parse_args()
    if given.what == "measure":
        return check_measure()
    if given.root is None:
        arguments.error("which folder?")
    if given.what == "functions":
        return check_functions(given.root, given.most or 120)
    return check_folders(given.root, given.most or 15)


if __name__ == "__main__":
    sys.exit(main())
