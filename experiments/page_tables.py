"""Tables of a page of docs/ that a script makes from a file of results, between two marker lines."""

import pathlib
import sys


def add_arguments(parser):
    """The file of results, and what becomes of the tables: printed, written into a page, or compared with it."""
    parser.add_argument("csv")
    parser.add_argument("--docs", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")


def put(made, arguments, name, markers, command):
    """`made` into page `name` of --docs, between `markers`; ends the program where --check finds another text there.
    `command` makes them, as a user types it in front of the file."""
    if arguments.docs is None:
        print(made, end="")
        return
    page = arguments.docs / name
    text = page.read_text()
    begin, end = text.index(markers[0]) + len(markers[0]) + 1, text.index(markers[1])
    if not arguments.check:
        page.write_text(text[:begin] + made + text[end:])
    elif text[begin:end] != made:
        sys.exit(f"{page}: its tables are not those of {arguments.csv}; run {command} {arguments.csv} "
                 f"--docs {arguments.docs}")
