#!/usr/bin/env python3
"""Fewest clocks per iteration of Callipepla, a published CG accelerator, on given matrices.

    experiments/callipepla.py gyro_m.mtx [more.mtx ...]

Callipepla (Song and others, FPGA 2023, arXiv 2209.14350) computes Jacobi CG in double precision with coefficients in
float on an Alveo U280 or U55C. Its times per matrix are in a paper that could not be had; its source is public
(UCLA-VAST/Callipepla). This program repeats what the source fixes:

- 16 channels of 512 bits bring 8 entries each a clock, so 128 processing elements; row i belongs to element i mod 128;
- columns in windows of 4096. A window's p is loaded first, 8 words a clock; then its entries stream. Entries of an
  element are placed column by column at the earliest free clock that lies 7 or more after the last one of their row;
  the slowest element of a window sets its length;
- then the product is written out, 8 words a clock, with p'Ap beside it;
- then two passes over the vectors, 8 words a clock: r'z first; r, p and x after it.

The sum of these is a bound from below: latencies of memory and of the sums between the parts are left out. The clock is
that of the author's build for the U55C, 231 MHz (the .xclbin.info of the repository); its U280 build names none.
"""

import sys

ELEMENTS, WINDOW, DISTANCE, WORDS, MEGAHERTZ = 128, 4096, 7, 8, 231


def read_columns(path):
    """The row numbers of each column of a MatrixMarket coordinate file that are not zero, ascending, both triangles."""
    with open(path, encoding="ascii") as lines:
        banner = next(lines).lower().split()
        if banner[:3] != ["%%matrixmarket", "matrix", "coordinate"] or banner[4] not in ("symmetric", "general"):
            raise ValueError("not a symmetric or general coordinate file of MatrixMarket")
        line = next(lines)
        while line.startswith("%"):
            line = next(lines)
        rows, columns, _ = map(int, line.split())
        if rows != columns:
            raise ValueError(f"the matrix is not square: {rows} x {columns}")
        column_rows = [[] for _ in range(columns)]
        for line in lines:
            entry = line.split()
            if not entry or (len(entry) > 2 and float(entry[2]) == 0.0):
                continue
            row, column = int(entry[0]) - 1, int(entry[1]) - 1
            if not (0 <= row < rows and 0 <= column < columns):
                raise ValueError(f"an entry lies outside the matrix: {line.strip()}")
            column_rows[column].append(row)
            if banner[4] == "symmetric" and row != column:
                column_rows[row].append(column)
    for column in column_rows:
        column.sort()
    return column_rows


def schedule_length(rows):
    """Clocks that one processing element takes for entries of these local rows, placed in this order."""
    last, following, length = {}, {}, 0
    for row in rows:
        clock = max(0, last.get(row, -DISTANCE) + DISTANCE)
        passed = []
        while clock in following:  # taken: go on to where the next free clock may be
            passed.append(clock)
            clock = following[clock]
        for taken in passed:
            following[taken] = clock + 1
        following[clock] = clock + 1
        last[row] = clock
        length = max(length, clock + 1)
    return length


def entry_clocks(column_rows):
    """Clocks of all entries, over all windows."""
    total = 0
    for first in range(0, len(column_rows), WINDOW):
        elements = [[] for _ in range(ELEMENTS)]
        for rows in column_rows[first : first + WINDOW]:
            for row in rows:
                elements[row % ELEMENTS].append(row // ELEMENTS)
        total += max(map(schedule_length, elements))
    return total


def main(paths):
    if not paths or paths[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if paths else 2
    print("| matrix | rows | entries | clocks of entries | filled | clocks per iteration, at least | us, at least |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for path in paths:
        try:
            columns = read_columns(path)
        except (OSError, ValueError, IndexError, StopIteration) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
        entries = sum(map(len, columns))
        beats = entry_clocks(columns)
        clocks = beats + 4 * -(-len(columns) // WORDS)
        name = path.rsplit("/", 1)[-1].removesuffix(".mtx")
        print(
            f"| {name} | {len(columns)} | {entries} | {beats} | {entries / ELEMENTS / max(beats, 1):.2f} | {clocks} "
            f"| {clocks / MEGAHERTZ:.1f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
