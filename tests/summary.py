#!/usr/bin/env python3
"""Prints the ten longest tests of a run, what each folder's tests took and, last, what failing tests printed.

usage: summary.py FILE

FILE is what `ctest --output-junit FILE` wrote. A log is often kept by its end alone, so failures stand there.
Seconds are CTest's, by the wall: as many tests as processors run at once, so a test of one thread has about its
processor's time. A folder is the part of a test's name before its first dot, slash or capital.
"""
import re
import sys
import xml.etree.ElementTree as xml
from collections import defaultdict

LONGEST = 10
LAST_LINES = 24  # of a failing test


def main(path):
    cases = list(xml.parse(path).iter("testcase"))
    if cases:
        print_times({case.get("name"): float(case.get("time") or 0) for case in cases})
    for case in cases:
        if case.get("status") == "fail":
            print(f"== failed: {case.get('name')}; the last of what it printed:")
            print("\n".join((case.findtext("system-out") or "").splitlines()[-LAST_LINES:]))


def print_times(took):
    print(f"== {len(took)} tests, {sum(took.values()) / 60:.1f} minutes in all; the longest:")
    for name, seconds in sorted(took.items(), key=lambda test: -test[1])[:LONGEST]:
        print(f"{seconds:8.1f} s  {name}")
    folders = defaultdict(lambda: [0, 0.0])
    for name, seconds in took.items():
        folder = re.match(r"[a-z0-9_]*", name).group() or "others"
        folders[folder][0] += 1
        folders[folder][1] += seconds
    print("== by folder:", ", ".join(f"{folder} {seconds:.0f} s ({count})"
                                     for folder, (count, seconds) in sorted(folders.items(), key=lambda f: -f[1][1])
                                     if seconds >= 5))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
