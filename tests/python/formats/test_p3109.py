"""IEEE P3109's formats against the definition (interim report 4.0, sections 4.7.2 to 4.7.6), read here in fractions.

MANTISSA_P3109_TABLES names the folder of the working group's value tables ("Value Tables/Hexadecimal" of
https://github.com/P3109/Public) where they are there: then every code of each of them is compared, too.
"""
import csv
import functools
import math
import os
import pathlib
import re
from fractions import Fraction

import numpy as np
import pytest

import mantissa as mt
from conftest import same_bits

NAMES = [f"binary{k}p{p}{s}{d}" for k in range(3, 9) for s in "su" for p in range(1, k + (s == "u")) for d in "ef"]
LONG = ["binary10p1ue", "binary12p7se", "binary12p2ue", "binary16p1se", "binary16p1uf", "binary16p11se", "binary16p16ue"]


class Definition:
    def __init__(self, name):
        k, p, s, d = re.fullmatch(r"binary(\d+)p(\d+)([su])([ef])", name).groups()
        self.K, self.P, self.signed, self.extended = int(k), int(p), s == "s", d == "e"
        self.B = 2 ** (self.K - self.P - 1) if self.signed else 2 ** (self.K - self.P)

    def decode(self, x):
        K, P = self.K, self.P
        if x == (2 ** (K - 1) if self.signed else 2 ** K - 1):
            return math.nan
        if self.extended and x == (2 ** (K - 1) - 1 if self.signed else 2 ** K - 2):
            return math.inf
        if self.signed and self.extended and x == 2 ** K - 1:
            return -math.inf
        if self.signed and x > 2 ** (K - 1):
            return -self.decode(x - 2 ** (K - 1))
        T, E = x % 2 ** (P - 1), x // 2 ** (P - 1)
        significand = Fraction(T, 2 ** (P - 1)) + (E > 0)
        return significand * Fraction(2) ** (max(E, 1) - self.B)

    @functools.cached_property
    def finite(self):
        return [v for v in (self.decode(c) for c in range(2 ** self.K)) if isinstance(v, Fraction)]

    @functools.cached_property
    def extremes(self):
        return min(self.finite), max(self.finite)

    def project(self, x, rounding, saturation):
        if isinstance(x, float) and math.isnan(x):
            return x
        return self.saturate(x if isinstance(x, float) else self.rounded(x, rounding), rounding, saturation)

    def rounded(self, x, rounding):
        if x == 0:
            return x
        size = abs(x)
        power = size.numerator.bit_length() - size.denominator.bit_length()
        power -= Fraction(2) ** power > size
        Q = max(power, 1 - self.B) - self.P + 1
        S = size / Fraction(2) ** Q
        low = math.floor(S)
        rest = S - low
        even = low % 2 == 0 if self.P > 1 else low == 0 or (Q + self.B) % 2 == 0
        away = {"rz": False, "up": rest > 0 and x > 0, "down": rest > 0 and x < 0, "rna": rest >= Fraction(1, 2),
                "rne": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and not even), "odd": rest > 0 and even}[rounding]
        return (low + away) * Fraction(2) ** Q * (1 if x > 0 else -1)

    def saturate(self, x, rounding, mode):
        low, high = self.extremes
        if low <= x <= high:
            return x
        if mode == "satfinite":
            return high if x > high else low
        if isinstance(x, float):  # an infinity
            if x > 0:
                return x if self.extended else high
            if self.signed and self.extended:
                return x
            return math.nan if mode == "" and not self.signed else low
        if mode == "sat":
            return high if x > high else low
        if rounding == "odd" and not self.signed and self.extended and x > high:
            return high
        if (rounding in ("rz", "down") and x > high) or not self.extended and x > high:
            return high
        if x > high:
            return math.inf
        if rounding in ("rz", "up"):
            return low
        return math.nan if not self.signed else -math.inf if self.extended else low


@pytest.mark.parametrize("name", NAMES + LONG)
def test_every_code_is_that_of_the_definition(name):
    f, d = mt.format(name), Definition(name)
    assert f.width == d.K and str(f) == name and mt.format(name.replace("b", "B")) == f
    step = 1 if d.K <= 8 else 37
    for code in [*range(0, 2 ** d.K, step), 2 ** d.K - 1, 2 ** d.K - 2, 2 ** (d.K - 1) - 1, 2 ** (d.K - 1)]:
        wanted, got = d.decode(code), f.decode(code)
        assert (math.isnan(got) and math.isnan(wanted)) if isinstance(wanted, float) and math.isnan(wanted) else got == wanted
        assert f.encode(got) == code and f.encode(wanted) == code
    assert f.max == max(v for v in (d.decode(c) for c in range(2 ** d.K - 4 if not d.signed else 2 ** (d.K - 1) - 4, 2 ** d.K))
                        if isinstance(v, Fraction) and v > 0)


def operands(d, few):
    table = sorted(set(abs(v) for v in d.finite))
    table = table[:: max(1, len(table) // few)] + table[-2:]
    numbers = {v for a, b in zip(table, table[1:]) for v in (a, (a + b) / 2)}
    numbers |= {table[-1], table[-1] * Fraction(33, 32), table[-1] * Fraction(5, 4), table[-1] * 2, table[1] / 2, table[1] / 4}
    x = np.array([float(v) for v in sorted(numbers)])
    x = np.concatenate([x, np.nextafter(x, 0), np.nextafter(x, np.inf), [0, 1e300, 5e-324, np.inf, np.nan]])
    return np.concatenate([x, -x])


@pytest.mark.parametrize("name", [n for n in NAMES if n[6] in "345" or n[6:] in ("8p3se", "8p4sf", "8p1uf", "8p8ue", "7p3ue")])
def test_projection_is_that_of_the_definition(name):
    d = Definition(name)
    x = operands(d, 12)
    for rounding in ("rz", "rne", "rna", "odd", "up", "down"):
        for saturation in ("", "sat", "satfinite"):
            text = f"{name}:{rounding}" + (f":{saturation}" if saturation else "")
            wanted = [float(d.project(Fraction(v) if math.isfinite(v) else v, rounding, saturation)) + 0.0 for v in x.tolist()]
            got = mt.round(x, text)
            assert same_bits(got, wanted), [(a, b, c) for a, b, c in zip(x, got, wanted) if not same_bits(b, c)][:5]
    assert same_bits(mt.round(x, name), mt.round(x, name + ":rne"))  # NearestTiesToEven, SatNone


def test_codes_of_the_reports_tables():
    """Tables 4 to 7 of the report, as printed there: codes 1 to 7 of signed formats, 1 to 13 of unsigned ones."""
    printed = {"binary4p1se": [.125, .25, .5, 1, 2, 4, math.inf], "binary4p2se": [.25, .5, .75, 1, 1.5, 2, math.inf],
               "binary4p3sf": [.25, .5, .75, 1, 1.25, 1.5, 1.75], "binary4p1sf": [.125, .25, .5, 1, 2, 4, 8],
               "binary4p3ue": [.125, .25, .375, .5, .625, .75, .875, 1, 1.25, 1.5, 1.75, 2, 2.5, math.inf],
               "binary4p4uf": [.125, .25, .375, .5, .625, .75, .875, 1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75]}
    for name, values in printed.items():
        assert mt.decode(np.arange(1, 1 + len(values)), name).tolist() == values, name
        assert mt.encode(values, name).tolist() == list(range(1, 1 + len(values))), name
    assert mt.format("binary8p4se").encode(2.0) == 0x48 and mt.format("binary8p4se").encode(math.inf) == 0x7F
    assert mt.format("binary8p3") == mt.format("binary8p3se")


def test_stochastic_rounding_is_variant_a():
    """floor(2^32 t) + R >= 2^32, R being 2^32 - 1 less the element's random bits."""
    x = np.full(100_000, 1.0 + 0.375 / 4)  # binary8p3's step is a quarter
    rounded = mt.round(x, "binary8p3se:sr", seed=3)
    assert set(rounded) == {1.0, 1.25} and abs(np.mean(rounded > 1) - 0.375) < 0.01


def test_numbers_beyond_float64_are_fractions():
    f = mt.format("binary16p1se")
    assert f.decode(0x7FFE) == Fraction(2) ** 16382 and f.encode(-Fraction(1, 2 ** 16383)) == 0x8001
    assert f.max == Fraction(2) ** 16382 and f.min_positive == Fraction(1, 2 ** 16383) and not f.as_double
    with pytest.raises(ValueError, match="beyond float64"):
        mt.round([1.0], f)
    with pytest.raises(ValueError, match="no value"):
        f.encode(Fraction(1, 3))


@pytest.mark.parametrize("text, words", [("binary8p8se", "1 to 7"), ("binary8p9ue", "1 to 8"), ("binary2p1se", "3 to 16"),
                                         ("binary8p3s", "extended or finite"), ("binary8p0", "1 to 7"),
                                         ("binary8p3se:flush", "no policy word"), ("binary8p3sf:inf", "no policy word")])
def test_wrong_names(text, words):
    with pytest.raises(ValueError, match=words) as fault:
        mt.format(text)
    assert "\n" not in str(fault.value)


def exact_value(text):
    if text in ("Inf", "-Inf", "NaN"):
        return float(text)
    sign, whole, fraction, power = re.fullmatch(r"(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]\d+)", text).groups()
    size = Fraction(int(whole + (fraction or ""), 16), 16 ** len(fraction or "")) * Fraction(2) ** int(power)
    return -size if sign else size


def test_every_code_of_the_working_groups_tables():
    folder = os.environ.get("MANTISSA_P3109_TABLES")
    if not folder:
        pytest.skip("MANTISSA_P3109_TABLES does not name the folder of the value tables")
    tables = sorted(pathlib.Path(folder).rglob("Binary*.csv"))
    assert len(tables) == 504
    for table in tables:
        f = mt.format(table.stem)
        with open(table) as file:
            rows = list(csv.reader(file))[1:]
        assert len(rows) == 2 ** f.width
        for code, value, _ in rows:
            wanted, got = exact_value(value.strip()), f.decode(int(code, 16))
            assert got == wanted or (math.isnan(got) and math.isnan(wanted)), (table.stem, code)
            assert f.encode(wanted) == int(code, 16), (table.stem, code)
