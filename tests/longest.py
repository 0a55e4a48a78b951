#!/usr/bin/env python3
"""Prints the ten longest tests of a run and what each folder's tests took, from `ctest --output-junit FILE`.

usage: longest.py FILE

Seconds are CTest's, by the wall: as many tests as processors run at once, so a test of one thread has about its
processor's time. A folder is the part of a test's name before its first dot, slash or capital.
"""
import re
import sys
import xml.etree.ElementTree as xml
from collections import defaultdict

LONGEST = 10


def main(path):
    took = {case.get("name"): float(case.get("time") or 0) for case in xml.parse(path).iter("testcase")}
    if not took:
        return
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
