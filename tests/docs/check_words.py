#!/usr/bin/env python3
"""One word for one thing: the words that docs/glossary.md avoids stand in no document, help page or report text.

    check_words.py --source FOLDER --program PROGRAM
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Other people's titles and names may have them.
EXEMPT = re.compile(r"https?://\S+|`[^`]*`|\"[A-Z][^\"]*\"")


def avoided(glossary):
    table = glossary.read_text().split("## Words that we avoid")[1]
    rows = re.findall(r"^\| (.*?) \| (.*?) \|$", table, re.M)[1:]
    words = {word.strip(): instead for left, instead in rows for word in left.split(",")}
    if len(words) < 5:
        sys.exit("docs/glossary.md: the table of avoided words is gone")
    return words


def texts(source, program):
    """(place, text): documents, help pages, and the string literals of the report's and the command's sources."""
    for page in [source / "README.md", *sorted(source.glob("docs/*.md")), *sorted(source.glob("*/README.md"))]:
        if page.name != "glossary.md":
            yield page.relative_to(source), EXEMPT.sub(" ", page.read_text())
    listed = subprocess.run([program, "help"], capture_output=True, text=True, check=True).stdout
    for topic in re.findall(r"^  ([a-z-]+)  ", listed, re.M):
        yield f"mantissa help {topic}", subprocess.run([program, "help", topic], capture_output=True, text=True).stdout
    for file in sorted([*source.glob("host/src/report/**/*.?pp"), *source.glob("host/src/command/**/*.?pp")]):
        literals = re.findall(r'"((?:[^"\\\n]|\\.)*)"', file.read_text())
        # A literal without a space or a capital is a key of a stored document: a name.
        text = " | ".join(literal for literal in literals if re.search(r"[A-Z ]", literal))
        yield file.relative_to(source), text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    words = avoided(source / "docs/glossary.md")
    wrong = 0
    for place, text in texts(source, arguments.program.resolve()):
        text = re.sub(r"\s+", " ", text)
        for word, instead in words.items():
            for match in re.finditer(rf"\b{re.escape(word)}s?\b", text, re.I):
                wrong += 1
                print(f"{place}: \"{text[max(0, match.start() - 30):match.end() + 20]}\": say {instead}")
    print(f"{len(words)} words avoided, {wrong} times not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
