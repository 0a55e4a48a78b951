#!/usr/bin/env python3
"""A document's C++ examples as a program, and its output beside what the document shows.

    examples.py generate DOCUMENT -o FILE.cpp     one function for each block fenced as ```cpp
    examples.py check DOCUMENT --program PROGRAM   runs them; a block fenced as ```text right after one is its output

A block holds statements, and perhaps includes and using-directives: its #include lines go to the top of the program,
the rest into a function that begins with `using namespace mantissa` and `using namespace mantissa::literals`.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```\n(?:```text\n(.*?)^```$)?", re.M | re.S)


def examples(document):
    """(line of the document, code, shown output or None) of each block."""
    text = document.read_text()
    found = [(text.count("\n", 0, m.start()) + 2, m[1], m[2]) for m in BLOCK.finditer(text)]
    if len(found) != text.count("\n```cpp\n"):
        sys.exit(f"{document.name}: a ```cpp block does not end")
    if not found:
        sys.exit(f"{document.name}: no ```cpp blocks")
    return found


def generate(document, out):
    includes, functions, calls = [], [], []
    for line, code, _ in examples(document):
        body = [text if not text.startswith("#include") else "" for text in code.splitlines()]
        includes += [text for text in code.splitlines() if text.startswith("#include")]
        functions.append(f"static void example_{line}() {{\nusing namespace mantissa;\nusing namespace mantissa::literals;"
                         f"\n#line {line} \"{document.name}\"\n" + "\n".join(body) + "\n}\n")
        calls.append(f'    std::printf("--- example in line {line}\\n");\n    example_{line}();\n')
    includes = ["#include <cstdio>", "#include <mantissa/format.hpp>"] + includes
    out.write_text("\n".join(dict.fromkeys(includes)) + "\n\n" + "\n".join(functions) +
                   "\nint main() {\n" + "".join(calls) + "}\n")


def check(document, program):
    run = subprocess.run([program], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{program} ended with {run.returncode}\n{run.stdout}{run.stderr}")
    printed = re.split(r"^--- example in line (\d+)\n", run.stdout, flags=re.M)
    outputs = dict(zip(map(int, printed[1::2]), printed[2::2]))
    wrong = 0
    for line, _, shown in examples(document):
        if line not in outputs:
            sys.exit(f"{document.name}:{line}: the program is of another version of the document")
        if (shown or "") != outputs[line]:
            wrong += 1
            print(f"{document.name}:{line}: not as shown")
            print(*difflib.unified_diff((shown or "").splitlines(), outputs[line].splitlines(), "shown", "printed",
                                        lineterm=""), sep="\n")
    print(f"{len(outputs)} examples, {wrong} not as shown")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["generate", "check"])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--program")
    arguments = parser.parse_args()
    if arguments.action == "generate":
        return generate(arguments.document, arguments.output)
    return check(arguments.document, arguments.program)


if __name__ == "__main__":
    sys.exit(main())
