#!/usr/bin/env python3
"""Every link from one file of the repository to another leads there, and to a heading that is there.

    check_links.py --source FOLDER
"""

import argparse
import pathlib
import re
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def text_of(page):
    """Without code, in which brackets are no links."""
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(), flags=re.M | re.S)
    return re.sub(r"^(    |\t).*$", "", re.sub(r"`[^`\n]*`", "`", text), flags=re.M)


def anchors(page):
    """Those that a hosting page gives to the headings: lower case, hyphens for spaces, no punctuation."""
    names = set()
    for heading in re.findall(r"^#+ +(.*?) *$", page.read_text(), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        names.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    source = parser.parse_args().source.resolve()
    skipped = {".git", ".venv"}
    pages = [p for p in source.rglob("*.md")
             if not skipped & set(p.relative_to(source).parts) and not p.relative_to(source).parts[0].startswith("build")]
    followed, lost = 0, []
    for page in sorted(pages):
        for link in LINK.findall(text_of(page)):
            if re.match(r"[a-z]+:", link):
                continue
            followed += 1
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                lost.append(f"{page.relative_to(source)}: {link}: there is no such file")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                lost.append(f"{page.relative_to(source)}: {link}: no such heading")
    if followed < 100:
        lost.append(f"only {followed} links were found")
    print(*lost, f"{len(pages)} pages, {followed} links, {len(lost)} faults", sep="\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
