#!/usr/bin/env python3
"""Builds the reference of the C++ library (docs/Doxyfile): no warnings, and every link within the site leads somewhere.

    check_site.py --source FOLDER --doxygen PROGRAM -o FOLDER
"""

import argparse
import html.parser
import pathlib
import re
import subprocess
import sys
import urllib.parse

# Allowed: members whose names say all, and what Doxygen 1.9 says of any specialisation of std's and fmt's templates, whose
# first declarations it has not read.
ALLOWED = re.compile(r"warning: (Member .* is not documented\.|Internal inconsistency: scope for class (std|fmt)::)")
# Without these the site would be no reference.
PAGES = ("Format", "DatapathSpec", "Float", "Fixed", "VectorUnit", "Engine", "SolveOptions", "Problem", "Store")


class Links(html.parser.HTMLParser):
    """What a page may be linked at, and what it links to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        link = given.get("href") or given.get("src")
        if link and not re.match(r"[a-z]+:", link):
            self.links.append(urllib.parse.unquote(link))


def build(source, doxygen, folder):
    """Doxygen's warnings that are not allowed, by lines."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = (source / "docs/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {folder}\n"
    done = subprocess.run([doxygen, "-"], input=settings, cwd=source, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"doxygen ends with {done.returncode}:\n{done.stderr}")
    return [line for line in done.stderr.splitlines() if line.strip() and not ALLOWED.search(line)]


def broken(site):
    """How many links were followed, and those that lead nowhere."""
    pages = {page.name: Links(page.read_text(errors="replace")) for page in site.glob("*.html")}
    followed, lost = 0, []
    for name, page in pages.items():
        for link in page.links:
            followed += 1
            path, _, anchor = link.partition("#")
            target = path or name
            if not (site / target).is_file():
                lost.append(f"{name}: {link}: there is no such file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                lost.append(f"{name}: {link}: {target} has no such anchor")
    return followed, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--doxygen", required=True)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    given = parser.parse_args()
    wrong = build(given.source.resolve(), given.doxygen, given.output.resolve())
    site = given.output.resolve() / "html"
    names = "\n".join(page.name for page in site.glob("*.html"))
    for name in PAGES:
        if not re.search(rf"(struct|class)mantissa_1_1{name}\.html", names):
            wrong.append(f"the site has no page of mantissa::{name}")
    followed, lost = broken(site)
    if followed < 1000:
        wrong.append(f"only {followed} links: the site is not whole")
    print(*wrong, *lost, sep="\n")
    print(f"{len(list(site.glob('*.html')))} pages, {followed} links, {len(lost)} broken, {len(wrong)} other faults")
    return 1 if wrong or lost else 0


if __name__ == "__main__":
    sys.exit(main())
