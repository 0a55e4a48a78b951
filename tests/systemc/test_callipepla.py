#!/usr/bin/env python3
"""experiments/callipepla.py on matrices whose clocks can be counted by hand.

    test_callipepla.py PROGRAM
"""

import pathlib
import subprocess
import sys
import tempfile


def run(program, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "small.mtx"
        path.write_text(text, encoding="ascii")
        return subprocess.run([sys.executable, "-B", program, path], capture_output=True, text=True, check=False)


def figures(program, rows, entries):
    """Clocks of entries and of an iteration, as the program says for a symmetric matrix of these lower entries."""
    lines = "".join(f"{row} {column} 1\n" for row, column in entries)
    head = f"%%MatrixMarket matrix coordinate real symmetric\n% a comment\n{rows} {rows} {len(entries)}\n"
    result = run(program, head + lines)
    assert result.returncode == 0, result.stderr
    cells = [cell.strip() for cell in result.stdout.splitlines()[-1].strip("|").split("|")]
    return int(cells[3]), int(cells[5])


def main(program):
    # One entry for each of two elements: one clock; four passes of one beat.
    assert figures(program, 2, [(1, 1), (2, 2)]) == (1, 5)
    # Row 1 has three entries: clocks 0, 7 and 14.
    assert figures(program, 3, [(1, 1), (2, 1), (3, 1), (2, 2), (3, 3)]) == (15, 19)
    # Rows 1 and 129 share an element and fill each other's gaps: 0 and 7; 1 and 8. ceil(129 / 8) = 17 beats a pass.
    assert figures(program, 129, [(1, 1), (129, 1), (129, 129)]) == (9, 9 + 4 * 17)
    # Two windows of 4096 columns: one clock in each.
    assert figures(program, 4097, [(1, 1), (4097, 4097)]) == (2, 2 + 4 * 513)
    # A stored zero is no entry.
    zero = run(program, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 2 0\n")
    assert zero.stdout.splitlines()[-1].split("|")[3].strip() == "1", zero.stdout
    for bad in ["", "%%MatrixMarket matrix array real general\n1 1\n1\n", "not a file\n",
                "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n",
                "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n"]:
        result = run(program, bad)
        assert result.returncode == 2 and result.stderr.count("\n") == 1, (bad, result)


if __name__ == "__main__":
    main(*sys.argv[1:])
