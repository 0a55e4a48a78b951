#!/usr/bin/env python3
"""experiments/iterations.py on files where one table of datapaths against problems would say what is not so.

    test_iterations.py ITERATIONS.PY
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
COLUMNS = ("problem unknowns engine scheme inner digits recurrence middle middle_digits spec tolerance "
           "max_iterations jacobi status inner_iterations").split()


def row(**values):
    usual = dict(problem="poisson2d:level=9", unknowns=263169, engine="emulated", scheme="residual-guided", inner=10,
                 spec="s17e8", tolerance="1e-10", max_iterations=0, jacobi=0, status="converged", inner_iterations=100)
    return {name: {**usual, **values}.get(name, "") for name in COLUMNS}


def printed(rows, code=0):
    with tempfile.TemporaryDirectory(prefix="mantissa_iterations_") as folder:
        path = pathlib.Path(folder) / "results.csv"
        with open(path, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        done = subprocess.run([sys.executable, PROGRAM, path], capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done
    return [line.split() for line in (done.stdout if code == 0 else done.stderr).splitlines()]


class Iterations(unittest.TestCase):
    def test_solves_of_another_setting_do_not_take_a_cells_place(self):
        lines = printed([row(inner_iterations=100), row(inner=50, inner_iterations=111),
                         row(inner="", digits=2, scheme="defect-correction", inner_iterations=222)])
        self.assertEqual([line[-1] for line in lines if line and line[0] == "s17e8"], ["100", "111", "222"])
        titles = [" ".join(line) for line in lines if "to" in line]
        self.assertEqual(titles, ["residual-guided, inner 10, to 1e-10", "residual-guided, inner 50, to 1e-10",
                                  "defect-correction, digits 2, to 1e-10"])

    def test_engines_that_disagree_are_both_shown(self):
        agreed = printed([row(), row(engine="rtl")])
        self.assertEqual(agreed[-1], ["s17e8", "100"])
        apart = printed([row(), row(engine="rtl", inner_iterations=101)])
        self.assertEqual(" ".join(apart[-1]), "s17e8 100 (emulated) / 101 (rtl)")

    def test_problems_stand_by_size_and_the_costliest_first_on_the_largest(self):
        large = dict(problem="poisson2d:level=10", unknowns=1050625)
        lines = printed([row(spec="s23e8", **large, inner_iterations=5), row(spec="s23e8", inner_iterations=900),
                         row(spec="s17e8", **large, inner_iterations=7), row(spec="s17e8", inner_iterations=1)])
        self.assertEqual(lines, [["inner", "iterations", "poisson2d:level=9", "poisson2d:level=10"],
                                 ["s17e8", "1", "7"], ["s23e8", "900", "5"]])

    def test_a_lower_limit_does_not_hide_a_solve_that_converged(self):
        lines = printed([row(), row(max_iterations=20, status="iteration_limit", inner_iterations=20)])
        self.assertEqual(lines[-1], ["s17e8", "100"])
        self.assertEqual(printed([row(status="iteration_limit")])[-1], ["s17e8", "iteration", "limit"])

    def test_no_solves_is_one_line(self):
        self.assertEqual(len(printed([], code=1)), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
