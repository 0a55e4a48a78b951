"""Fixed-point words that saturate, wrap or have no sign, in any rounding, judged by fractions."""
import math
from fractions import Fraction

import numpy as np
import pytest

import mantissa as mt

FORMATS = [(8, 4, True), (8, 4, False), (6, -2, True), (5, 9, False), (24, 12, True), (40, 20, False), (53, 30, True)]
ROUNDINGS = ["nearest", "floor", "up", "rz", "rne", "rna", "odd"]


def rounded(x, rounding):
    """A fraction to an integer."""
    low = math.floor(x)
    rest = x - low
    half = Fraction(1, 2)
    return low + {"nearest": rest >= half, "floor": False, "up": rest > 0, "rz": rest > 0 and x < 0,
                  "rne": rest > half or (rest == half and low % 2 == 1), "rna": rest > half or (rest == half and x > 0),
                  "odd": rest > 0 and low % 2 == 0}[rounding]


def fitted(units, w, signed, overflow):
    low, high = (-(2 ** (w - 1)), 2 ** (w - 1) - 1) if signed else (0, 2 ** w - 1)
    if overflow == "sat":
        return min(max(units, low), high)
    return (units - low) % 2 ** w + low


@pytest.mark.parametrize("overflow", ["sat", "wrap"])
@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("w, point, signed", FORMATS)
def test_operations_are_those_of_fractions(w, point, signed, rounding, overflow):
    f = mt.format(f"{'' if signed else 'u'}fx{w}.{point}:{rounding}:{overflow}")
    assert mt.format(str(f)) == f and f.width == w and f.is_signed == signed
    rng = np.random.default_rng(w)
    scale = 2.0 ** (w - point)
    x = rng.standard_normal(300) * scale * np.exp2(rng.integers(-6, 2, 300))
    ties = (rng.integers(-40, 40, 60) + 0.5) * 2.0 ** -point
    x = np.concatenate([x, ties, [0, 1e300, -1e300, 5e-324, -5e-324]])
    unit = Fraction(2) ** -point
    words = [fitted(rounded(Fraction(v) / unit, rounding), w, signed, overflow) for v in x.tolist()]
    a = mt.array(x, f)
    assert a.words.tolist() == words
    assert mt.round(x, f).tolist() == [float(v * unit) for v in words]
    b = mt.array(rng.permutation(x), f)
    for operation, exact in (("add", lambda p, q: p + q), ("sub", lambda p, q: p - q), ("mul", lambda p, q: p * q)):
        got = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[operation](a, b)
        wanted = [fitted(rounded(exact(p * unit, q * unit) / unit, rounding), w, signed, overflow)
                  for p, q in zip(words, b.words.tolist())]
        assert got.words.tolist() == wanted, operation
    over = b.words != 0
    wanted = [fitted(rounded(Fraction(p, q) / unit, rounding), w, signed, overflow)
              for p, q, o in zip(words, b.words.tolist(), over) if o]
    assert (a[over] / b[over]).words.tolist() == wanted
    total = rounded(sum(Fraction(p) * q for p, q in zip(words, b.words.tolist())) * unit, rounding)
    assert int((a @ b).words) == fitted(total, w, signed, overflow)
    assert int(a.sum().words) == fitted(sum(words), w, signed, overflow)


def test_published_examples():
    """UG1399 of AMD, "Quantization Modes" and "Overflow Modes": ap_fixed<3, 2, ...> is fx3.1."""
    for rounding, up, down in (("nearest", 1.5, -1.0), ("rna", 1.5, -1.5), ("rne", 1.0, -1.0), ("floor", 1.0, -1.5), ("rz", 1.0, -1.0)):
        assert mt.round([1.25, -1.25], f"fx3.1:{rounding}:sat").tolist() == [up, down], rounding
    assert mt.round([19.0, -19.0], "fx4.0:sat").tolist() == [7.0, -8.0]
    assert mt.round([19.0, -19.0], "ufx4.0:sat").tolist() == [15.0, 0.0]
    assert mt.round([19.0, -19.0], "fx4.0:wrap").tolist() == [3.0, -3.0]
    assert mt.round([19.0, -19.0], "ufx4.0:wrap").tolist() == [3.0, 13.0]


def test_overflow_is_reported_without_a_word():
    assert mt.round([0, 3.75, 2.6], "ufx4.2").tolist() == [0, 3.75, 2.5]
    for x in (4.0, -0.2):
        with pytest.raises(OverflowError, match="ufx4.2, whose words are 0 to 3.75"):
            mt.round([x], "ufx4.2")
    with pytest.raises(OverflowError):
        mt.sub([1.0], [2.0], "ufx4.2")
    for fmt in ("fx8.4:sat", "ufx8.4:wrap"):
        with pytest.raises(OverflowError, match="NaN"):
            mt.round([np.nan], fmt)
    assert mt.div([1.0, -1.0], [0.0, 0.0], "fx8.4:sat").tolist() == [7.9375, -8.0]
    with pytest.raises(OverflowError, match="quotient by zero"):
        mt.div([1.0], [0.0], "fx8.4:wrap")


def test_datapaths_formats_stay_what_they_were():
    assert isinstance(mt.format("fx18.16"), mt.Format) and isinstance(mt.format("fx18.16:floor"), mt.Format)
    x = np.random.default_rng(1).uniform(-1.9, 1.9, 1000)
    for text in ("fx18.16", "fx18.16:floor", "fx12.8"):
        assert np.array_equal(mt.array(x, text).words, mt.array(x, text + ":sat").words)


def test_stochastic_words():
    x = np.full(50_000, 0.25)
    for fmt in ("fx8.0:sr", "ufx8.0:sr:sat"):
        rounded_ = mt.round(x, fmt, seed=1)
        assert set(rounded_) == {0.0, 1.0} and abs(rounded_.mean() - 0.25) < 0.01
        assert np.array_equal(rounded_, mt.round(x, fmt, seed=1))
    assert abs(mt.round(-x, "fx8.0:sr", seed=2).mean() + 0.25) < 0.01
    with pytest.raises(ValueError, match="give a seed"):
        mt.round(x, "fx8.0:sr")


@pytest.mark.parametrize("text, words", [("fx18.16:foo", "policy words"), ("ufx18", "write fx"), ("ufx64.0", "1 to 63"),
                                         ("fx20.70:sat", "-31 to 63")])
def test_wrong_texts(text, words):
    with pytest.raises(ValueError, match=words) as fault:
        mt.format(text)
    assert "\n" not in str(fault.value)
