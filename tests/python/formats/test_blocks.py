"""Blocks with a shared scale: rules of scales, elements, axes, dot products.

Rules are those of torchao's ScaleCalculationMode, and `floor` with its element roundings that of microxcaling.
"""
import math
from fractions import Fraction

import numpy as np
import pytest

import mantissa as mt
from conftest import same_bits

#: Largest number, exponent of the largest power of two, fraction bits.
ELEMENTS = {"mxfp8_e4m3": (448.0, 8, 3), "mxfp8_e5m2": (57344.0, 15, 2), "mxfp6_e3m2": (28.0, 4, 2),
            "mxfp6_e2m3": (7.5, 2, 3), "mxfp4_e2m1": (6.0, 2, 1)}


def exponent_of(rule, most, largest, top, fraction_bits):
    """Of a scale, in fractions; `rceil` in float32 as it is defined."""
    if rule == "rceil":
        most = Fraction(float(np.float32(most) * np.float32(1 / largest)))
        top = 0
        if most == 0:
            return -127
    else:
        most = Fraction(most)
    power = most.numerator.bit_length() - most.denominator.bit_length()
    power -= Fraction(2) ** power > most
    if rule in ("ceil", "rceil"):
        power += Fraction(2) ** power < most
    if rule == "even":
        power += most + Fraction(2) ** (power - fraction_bits - 1) >= Fraction(2) ** (power + 1)
    return max(-127, min(127, power - top))


@pytest.mark.parametrize("rule", ["floor", "ceil", "even", "rceil"])
@pytest.mark.parametrize("fmt", ELEMENTS)
def test_scales_follow_their_rule(fmt, rule):
    largest, top, fraction_bits = ELEMENTS[fmt]
    rng = np.random.default_rng(1)
    most = np.concatenate([np.exp2(rng.uniform(-145, 120, 300)), largest * np.exp2(rng.integers(-60, 60, 60)),
                           np.exp2(rng.integers(-140, 120, 60)), rng.integers(1, 64, 60) / 32]).astype(np.float32)
    most = np.concatenate([most, np.nextafter(most, np.float32(0)), np.nextafter(most, np.float32(np.inf))])
    most = most[most > 0]
    made = mt.blocks(most[:, None] * np.float32([1, -0.5]), fmt, block=2, scale=rule)
    assert made.scales[:, 0].tolist() == [2.0 ** exponent_of(rule, float(m), largest, top, fraction_bits) for m in most]
    assert np.array_equal(made.scales, mt.decode(mt.encode(made.scales, "e8m0"), "e8m0"))
    if rule == "rceil":
        assert (np.abs(most[:, None]) <= largest * made.scales * (1 + 2.0 ** -23)).all()


def test_published_cases_of_rceil():
    """torchao's test_to_mx_rceil: the scales of blocks whose largest float32 patterns these are."""
    def scale(pattern):
        x = np.zeros(32, np.float32)
        x[3] = np.uint32(pattern).view(np.float32)
        return int(mt.encode(mt.blocks(x, "mxfp8_e4m3", scale="rceil").scales, "e8m0")[0])
    assert scale(7585260) == 0  # a subnormal number
    assert scale(1064950601) == 119
    assert scale(0) == 0
    x = np.array([6142315, 67028, 33075, 7585260], np.uint32).view(np.float32)
    assert mt.encode(mt.blocks(x, "mxfp8_e4m3", scale="rceil").elements, "fp8_e4m3").tolist() == [60, 8, 4, 62]
    for bad in (np.nan, np.inf):
        made = mt.blocks([bad, 1.0], "mxfp8_e4m3", scale="rceil")
        assert np.isnan(made.scales).all() and np.isnan(made.elements).all()


@pytest.mark.parametrize("word, rounding", [("rna", "nearest"), ("rz", "floor"), ("rne", "even")])
@pytest.mark.parametrize("fmt", ["mxfp8_e4m3", "mxfp6_e2m3", "mxfp4_e2m1", "mxint8"])
def test_elements_round_as_microxcaling_rounds(fmt, word, rounding):
    largest, top, fraction_bits = ELEMENTS.get(fmt, (127 / 64, 0, 6))
    least = {"mxfp8_e4m3": -6, "mxfp6_e2m3": 0, "mxfp4_e2m1": 0, "mxint8": 0}[fmt]
    x = np.round(np.random.default_rng(3).standard_normal((40, 32)) * 64) / 64  # with ties
    made = mt.blocks(x, f"{fmt}:{word}")
    for row, scale, got in zip(x, made.scales[:, 0], made.values):
        most = np.abs(row).max()
        assert scale == 2.0 ** (math.floor(math.log2(most)) - top)
        for v, g in zip(row, got):
            size = abs(Fraction(v)) / Fraction(scale)
            power = max(least, math.floor(math.log2(size))) if size and fmt != "mxint8" else least
            unit = Fraction(2) ** (power - fraction_bits)
            units, rest = size // unit, size / unit - size // unit
            up = {"nearest": rest >= Fraction(1, 2), "floor": False,
                  "even": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and units % 2 == 1)}[rounding]
            assert g == math.copysign(float(min((units + up) * unit, Fraction(largest)) * Fraction(scale)), v)


def test_nvfp4():
    rng = np.random.default_rng(5)
    x = (rng.standard_normal((6, 64)) * np.exp2(rng.integers(-4, 4, (6, 1)))).astype(np.float32)
    x[2] = 0
    for given in (None, 1.0, 0.37):
        made = mt.blocks(x, "nvfp4", tensor_scale=given)
        whole = np.abs(x).max() / np.float32(448 * 6) if given is None else np.float32(given)
        most = np.abs(x.reshape(6, 4, 16)).max(-1)
        scales = mt.round(np.clip(most / np.float32(6) / whole, np.float32(2.0 ** -6), np.float32(448)), "fp8_e4m3")
        quotients = x.reshape(6, 4, 16) * ((np.float32(1) / whole) / scales.astype(np.float32))[..., None]
        assert made.block == 16 and made.tensor_scale == float(whole) and np.array_equal(made.scales, scales)
        assert same_bits(made.elements.reshape(6, 4, 16), mt.round(quotients, "fp4_e2m1"))
        assert same_bits(made.values, made.elements * np.repeat(made.scales, 16, -1) * made.tensor_scale)
    assert np.array_equal(made.values[2], np.zeros(64))
    with pytest.raises(ValueError, match="rule of its own"):
        mt.blocks(x, "nvfp4", scale="ceil")
    with pytest.raises(ValueError, match="tensor_scale"):
        mt.blocks(x, "mxfp4_e2m1", tensor_scale=1.0)


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_blocks_lie_along_any_axis(axis):
    x = np.random.default_rng(6).standard_normal((5, 35, 7))
    made = mt.blocks(x, "mxfp6_e3m2", block=4, axis=axis)
    moved = mt.blocks(np.moveaxis(x, axis, -1), "mxfp6_e3m2", block=4)
    assert np.array_equal(made.values, np.moveaxis(moved.values, -1, axis))
    assert np.array_equal(made.scales, np.moveaxis(moved.scales, -1, axis))
    with pytest.raises(ValueError, match="axis 3"):
        mt.blocks(x, "mxfp6_e3m2", axis=3)


@pytest.mark.parametrize("left, right", [("mxfp8_e4m3", "mxfp4_e2m1"), ("mxfp8_e5m2", "mxfp8_e5m2"), ("mxint8", "mxint8"),
                                         ("nvfp4", "nvfp4")])
def test_dot_products_of_blocks(left, right):
    rng = np.random.default_rng(7)
    x, y = (rng.standard_normal((3, 70)) * np.exp2(rng.integers(-9, 9, (3, 70))) for _ in range(2))
    a, b = mt.blocks(x, left, block=16), mt.blocks(y, right, block=16)
    for fmt in ("float", "s10e8", "double"):
        got = a.dot(b, fmt)
        for i in range(3):
            total = 0.0
            for k in range(0, 70, 16):
                exact = sum(Fraction(p) * Fraction(q) for p, q in zip(a.values[i, k:k + 16], b.values[i, k:k + 16]))
                rounded = float(exact) if fmt == "double" else float(mt.round(nearest_odd(exact), fmt))
                total = mt.add(total, rounded, fmt)
            assert got[i] == total
    assert a.dot(b, "s10e8", acc="double") == pytest.approx((a.values * b.values).sum(-1), rel=0.01, abs=1)
    with pytest.raises(ValueError, match="one shape"):
        a.dot(mt.blocks(y, right, block=8))


def nearest_odd(x):
    """A fraction as a double rounded to odd, from which shorter formats round as from the fraction; exact where it is one."""
    near = float(x)
    if Fraction(near) == x:
        return near
    toward = near if abs(Fraction(near)) < abs(x) else np.nextafter(near, 0)
    return float((np.float64(toward).view(np.uint64) | np.uint64(1)).view(np.float64))
