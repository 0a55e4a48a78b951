#!/usr/bin/env python3
"""No sentence of a document has more than 40 words.

    check_sentences.py --source FOLDER [--most N]

Paragraphs and items of lists count; code, tables, headings, CHANGELOG.md and docs/results.md do not. A sentence ends at
a full stop, an exclamation mark or a question mark before a blank or a line's end, and with its paragraph or item. A
link counts as the words that it shows, a code span as the words in it.
"""

import argparse
import pathlib
import re
import sys

# The second's sentences are those that `mantissa compare` forms.
SKIPPED = {"CHANGELOG.md", "docs/results.md"}
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"( *)([-*+]|\d+[.)])( +)(?=\S)")
NO_TEXT = re.compile(r"\s*(\||#{1,6} |<!--|-->|<[a-zA-Z/!]|(---+|===+|\*\*\*+)\s*$|\[[^\]]*\]: )")
# Full stops after these end no sentence.
SHORT = re.compile(r"\b(e\.g|i\.e|et al|cf|vs|Eqs?|Figs?|Dr)\.$", re.I)
END = re.compile(r"[.!?][)\"'\u201d*_]*$")


def blocks(text):
    """Lists of (line number, line): paragraphs and items."""
    block, fence, column, blank = [], None, 0, True
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence or mark:
            if fence and mark and mark[1] == fence:
                fence = None
            elif not fence:
                fence = mark[1]
            yield block
            block, blank = [], True
            continue
        if not line.strip():
            yield block
            block, blank = [], True
            continue
        indent = len(line) - len(line.lstrip())
        if blank and indent < column and not ITEM.match(line):
            column = 0  # the list is over
        if blank and indent >= column + 4:
            continue  # code
        if NO_TEXT.match(line):
            yield block
            block, blank = [], not line.lstrip().startswith("|")
            continue
        item = ITEM.match(line)
        if item:
            yield block
            block, column = [], item.end()
            line = line[column:]
        block.append((number, line))
        blank = False
    yield block


def shown(block):
    """A block's words with their lines: links by their text, and no stop in a code span ends anything."""
    text = "".join(f"\0{number}\0 {line}\n" for number, line in block)
    text = re.sub(r"`+([^`]+)`+", lambda code: re.sub(r"[.!?]", "_", code[1]), text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    number = 0
    for word in text.split():
        line = re.fullmatch(r"\0(\d+)\0", word)
        if line:
            number = int(line[1])
        else:
            yield number, re.sub(r"\0\d+\0", "", word)


def sentences(text):
    """(line, number of words, the first few)"""
    for block in blocks(text):
        words, first, last = [], None, ""
        for number, word in shown(block):
            first = first or number
            if re.search(r"\w", word):
                words.append(word)
            if END.search(word) and not SHORT.search(f"{last} {word}"):
                yield first, len(words), " ".join(words[:6])
                words, first = [], None
            last = word
        if words:
            yield first, len(words), " ".join(words[:6])


def test():
    """It finds what is too long, where it is, and nothing else."""
    long, most = " ".join(["word"] * 41), " ".join(["word"] * 40)
    for text, found in [(f"Short.\n{long}.\n", [2]), (f"{most}. {most}.\n", []), (f"{most};\n{most}.", [1]),
                        (f"{most}:\n\n    {long}\n", []), (f"```\n{long}\n```\nShort.", []), (f"| {long} |\n", []),
                        (f"# {long}\n", []), (f"- Short.\n- {long}\n", [2]), (f"1. a.\n\n   {long}\n", [3]),
                        (f"{most} e.g. more", [1]), (f"[{long}](there)", [1]), (f"`{most}. more`", [1]),
                        (f"[Here](there) {most}", [1]), (f"{most} (in all.) Short.", [1])]:
        lines = [line for line, words, _ in sentences(text) if words > 40]
        if lines != found:
            sys.exit(f"the test of this check: lines {lines} in place of {found} in {text!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--most", type=int, default=40, help="words (40)")
    arguments = parser.parse_args()
    test()
    source = arguments.source.resolve()
    skipped = {".git", ".venv"}
    pages, read, wrong = 0, 0, 0
    for page in sorted(source.rglob("*.md")):
        place = page.relative_to(source)
        if skipped & set(place.parts) or place.parts[0].startswith("build") or place.as_posix() in SKIPPED:
            continue
        pages += 1
        for line, words, begin in sentences(page.read_text()):
            read += 1
            if words > arguments.most:
                wrong += 1
                print(f"{place}:{line}: {words} words, more than {arguments.most}: {begin} ...")
    if read < 1000:
        wrong += 1
        print(f"only {read} sentences were found")
    print(f"{pages} pages, {read} sentences, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
