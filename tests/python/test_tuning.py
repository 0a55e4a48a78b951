"""mt.tune finds the cheapest formats of small spaces whose every setting is evaluated here too; mt.area's figures."""
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import mantissa as mt

FORMATS = [f"s{bits}e8" for bits in range(5, 17)]


def filter_error(f):
    taps = 0.25 * np.sinc(0.25 * (np.arange(16) - 7.5)) * np.hamming(16)
    signal = np.sin(np.arange(200) * 0.05) + 0.1 * np.sin(np.arange(200))
    exact = np.convolve(signal, taps, mode="valid")
    x, t = mt.round(signal, f["sample"]), mt.round(taps, f["sample"])
    total = np.zeros(185)
    for k in range(16):
        total = mt.add(total, mt.mul(x[15 - k:200 - k], t[k], f["sample"]), f["sum"])
    return float(np.max(np.abs(total - exact)))


def cost(f):
    return mt.area("mul", f["sample"], "xcup").luts + mt.area("add", f["sum"], "xcup").luts


def test_the_cheapest_formats_of_a_filter():
    space = {"sample": FORMATS, "sum": FORMATS}
    limit = 1e-3
    least = min(cost(f) for a, b in itertools.product(FORMATS, FORMATS)
                if filter_error(f := {"sample": a, "sum": b}) <= limit)
    found = mt.tune(filter_error, space, cost, limit=limit, points=40)
    assert found.best.error <= limit
    assert found.best.cost <= 1.02 * least
    assert len(found.trials) <= 40 < found.space == 144
    assert len({tuple(t.formats.items()) for t in found.trials}) == len(found.trials)
    assert found.best in found.front
    again = mt.tune(filter_error, space, cost, limit=limit, points=40)
    assert again.trials == found.trials


def test_settings_of_infinite_cost_are_not_evaluated():
    seen = []

    def error(f):
        seen.append(f["a"])
        return 1.0 / f["a"]

    found = mt.tune(error, {"a": [1, 2, 4, 8, 16, 32]}, lambda f: math.inf if f["a"] == 8 else f["a"], limit=0.2)
    assert found.best.formats == {"a": 16}
    assert 8 not in seen


def test_what_it_cannot_do_is_said_in_one_line():
    with pytest.raises(ValueError, match="space"):
        mt.tune(lambda f: 0, {}, lambda f: 0, limit=1)
    with pytest.raises(ValueError, match="no values"):
        mt.tune(lambda f: 0, {"a": []}, lambda f: 0, limit=1)
    for space in ({"a": "s7e8"}, {"a": 7}, ["a"], "a"):
        with pytest.raises(ValueError, match="space: .* list of values"):
            mt.tune(lambda f: 0, space, lambda f: 0, limit=1)
    for evaluate, cost, words in ((0, lambda f: 1, "evaluate 0"), (lambda f: 0, None, "cost None")):
        with pytest.raises(ValueError, match=f"{words}: give a function"):
            mt.tune(evaluate, {"a": [1]}, cost, limit=1)
    with pytest.raises(ValueError, match="cost: that of every setting is inf or nan"):
        mt.tune(lambda f: 0, {"a": [1, 2]}, lambda f: math.nan, limit=1)
    with pytest.raises(ValueError, match="limit: no setting"):
        mt.tune(lambda f: 2.0, {"a": [1, 2]}, lambda f: 1, limit=1)
    with pytest.raises(ValueError, match="fault of the user"):
        def failing(f):
            raise ValueError("fault of the user")
        mt.tune(failing, {"a": [1, 2]}, lambda f: 1, limit=1)


def test_a_difference_is_no_error():
    with pytest.raises(ValueError, match="evaluate: its error -3: give a number from 0 on"):
        mt.tune(lambda f: -3.0, {"a": [1, 2]}, lambda f: 1, limit=1)


def test_values_may_be_arrays():
    found = mt.tune(lambda f: 1 / f["a"].sum(), {"a": [np.ones(2), np.ones(9)]}, lambda f: len(f["a"]), limit=0.2)
    assert len(found.best.formats["a"]) == 9


@pytest.mark.parametrize("first", [0.0, 0.05, 1e-320, math.nan, math.inf, 3e40])
def test_errors_are_as_they_were_returned(first):
    errors = {1: first, 2: 0.04}
    found = mt.tune(lambda f: errors[f["a"]], {"a": [1, 2]}, lambda f: f["a"], limit=0.05)
    for trial in found.trials:
        expected = errors[trial.formats["a"]]
        assert trial.error == expected or (math.isnan(trial.error) and math.isnan(expected))
    assert found.best.formats == {"a": 1 if first <= 0.05 else 2}
    assert found.front[0] == found.best or found.front[0].error > 0.05
    assert not any(math.isnan(t.error) for t in found.front)


def test_errors_are_numbers_of_any_kind():
    for error in (mt.array([0.25], "s17e8").sum(), np.float32(0.25), np.array(0.25), Fraction(1, 4), False):
        best = mt.tune(lambda f: error, {"a": [1]}, lambda f: np.int64(2), limit=0.5).best
        assert best.error == float(error) and best.cost == 2
    for wrong in ("0.25", 1j, None, np.zeros(3)):
        with pytest.raises(ValueError, match="evaluate: its error .*: give a number"):
            mt.tune(lambda f: wrong, {"a": [1]}, lambda f: 1, limit=0.5)


def test_the_limit_is_exact():
    for limit in (0.05, 0.1, 1e-3, 0.7, 3.0):
        for error, fits in ((limit, True), (math.nextafter(limit, math.inf), False), (math.nextafter(limit, 0), True)):
            def tuned():
                return mt.tune(lambda f: error, {"a": [1]}, lambda f: 1, limit=limit)
            if fits:
                assert tuned().best.error == error
            else:
                with pytest.raises(ValueError, match="limit: no setting"):
                    tuned()


def test_areas_are_netlists_and_lines_between_them():
    known, below, above = (mt.area("mul", f"s{bits}e8", "xcup") for bits in (20, 17, 23))
    between = mt.area("mul", "s18e8", "xcup")
    assert known.exact and not between.exact
    assert between.luts == pytest.approx(below.luts + (known.luts - below.luts) / 3)
    assert above.luts + above.multipliers > below.luts / 2
    for bad in [("mul", "s17e11", "xcup"), ("mul", "fx18.16", "xcup"), ("root", "s17e8", "xcup"), ("mul", "s40e8", "xcup")]:
        with pytest.raises(ValueError, match="area"):
            mt.area(*bad)
