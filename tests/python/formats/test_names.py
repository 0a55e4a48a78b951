"""Names of other libraries, their dtypes and arrays, E8M0 and the formats with one zero; roundings of long formats."""
import math
from fractions import Fraction

import numpy as np
import pytest

import mantissa as mt
from conftest import same_bits

#: ml_dtypes' names with ours.
THEIRS = {"float8_e4m3fn": "fp8_e4m3:nan", "float8_e5m2": "fp8_e5m2", "float8_e4m3fnuz": "fp8_e4m3fnuz:nan",
          "float8_e5m2fnuz": "fp8_e5m2fnuz:nan", "float8_e4m3b11fnuz": "fp8_e4m3b11fnuz:nan", "float8_e3m4": "s4e3:rne:subnormals",
          "float8_e4m3": "s3e4:rne:subnormals", "float6_e3m2fn": "fp6_e3m2", "float6_e2m3fn": "fp6_e2m3",
          "float4_e2m1fn": "fp4_e2m1", "float8_e8m0fnu": "e8m0", "bfloat16": "bfloat16"}


@pytest.mark.parametrize("alias, name", [*THEIRS.items(), ("fp16", "half"), ("float16", "half"), ("bf16", "bfloat16"),
                                         ("fp32", "float"), ("float32", "float"), ("fp64", "double"), ("float64", "double"),
                                         ("binary32", "float"), ("e4m3", "fp8_e4m3")])
def test_aliases(alias, name):
    assert mt.format(alias) == mt.format(name)


@pytest.mark.parametrize("dtype, name", [(np.float32, "float"), (np.dtype("float16"), "half"), (np.float64, "double")])
def test_dtypes_are_formats(dtype, name):
    assert mt.format(dtype) == mt.format(name)
    with pytest.raises((TypeError, ValueError)):
        mt.format(np.complex128)


@pytest.mark.parametrize("name", THEIRS)
def test_codes_arrays_and_casts_are_those_of_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    dtype = getattr(ml_dtypes, name)
    f = mt.format(dtype)
    assert f == mt.format(name) == mt.format(np.dtype(dtype))
    codes = np.arange(2 ** f.width, dtype=np.uint16 if f.width > 8 else np.uint8)
    with np.errstate(invalid="ignore"):
        values = codes.view(dtype).astype(np.float64)
    assert same_bits(mt.decode(codes, f), values)
    assert same_bits(mt.round(codes.view(dtype), "double"), values)  # their arrays as operands
    numbers = np.isfinite(values)
    assert np.array_equal(mt.encode(values[numbers], f), codes[numbers])
    x = np.random.default_rng(1).standard_normal(50_000) * np.exp2(np.random.default_rng(2).integers(-12, 12, 50_000))
    x = np.concatenate([x.astype(np.float32), np.float32([0, np.inf, 1e30, 1e-30, 448, 464, 465, 480, 240, 248, 57344, 61440])])
    x = np.abs(x[x != 0]) if name == "float8_e8m0fnu" else np.concatenate([x, -x])
    with np.errstate(over="ignore", invalid="ignore"):
        assert same_bits(mt.round(x.astype(np.float64), f), x.astype(dtype).astype(np.float64))


def test_powers_of_two_without_zero():
    f = mt.format("e8m0")
    assert f.width == 8 and not f.is_signed and f.encode(1.0) == 127 and f.decode(0) == 2.0 ** -127 and math.isnan(f.decode(255))
    rounded = mt.round([1.5, 3, 2.9, 1e-300, 2.0 ** 127, 1.6 * 2.0 ** 127, 0, -1], f)
    assert rounded[:5].tolist() == [2, 4, 2, 2.0 ** -127, 2.0 ** 127] and np.isnan(rounded[5:]).all()
    assert mt.round([1.5, 3, 1e300, -1], "e8m0:rne:sat").tolist() == [2, 2, 2.0 ** 127, 2.0 ** -127]


def test_one_zero():
    for name, most in (("fp8_e4m3fnuz", 240), ("fp8_e5m2fnuz", 57344), ("fp8_e4m3b11fnuz", 30)):
        f = mt.format(name)
        assert f.max == most and math.isnan(f.decode(0x80)) and not f.has_infinity
        assert not np.signbit(mt.round([-0.0, -1e-9], f)).any()
        assert mt.round([1e9, -np.inf], f).tolist() == [most, -most]
        assert np.isnan(mt.round([1e9, -np.inf], name + ":nan")).all()


def grid_rounded(x, bits, least, direction):
    """A fraction rounded to `bits` significant bits, the last one worth no less than 2^least."""
    if x == 0:
        return x
    size = abs(x)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= Fraction(2) ** power > size
    unit = Fraction(2) ** max(power - bits + 1, least)
    low = size // unit
    rest = size / unit - low
    up = {"rna": rest >= Fraction(1, 2), "odd": rest > 0 and low % 2 == 0, "up": rest > 0 and x > 0,
          "down": rest > 0 and x < 0}[direction]
    return (low + up) * unit * (1 if x > 0 else -1)


@pytest.mark.parametrize("direction", ["rna", "odd", "up", "down"])
@pytest.mark.parametrize("m, e", [(40, 11), (52, 11), (30, 9), (23, 8), (51, 11)])
def test_any_rounding_of_long_formats(m, e, direction):
    f = mt.format(f"s{m}e{e}:{direction}:subnormals")
    assert str(f) == f"s{m}e{e}:{direction}:subnormals" or mt.format(str(f)) == f
    rng = np.random.default_rng(4)
    a, b, c = (rng.standard_normal(300) * np.exp2(rng.integers(-40, 40, 300)) for _ in range(3))
    x, y, z = ([Fraction(v) for v in w] for w in (a, b, c))
    least = 2 - 2 ** (e - 1) - m
    for got, exact in ((mt.round(a, f), x), (mt.add(a, b, f), [p + q for p, q in zip(x, y)]),
                       (mt.mul(a, b, f), [p * q for p, q in zip(x, y)]), (mt.div(a, b, f), [p / q for p, q in zip(x, y)]),
                       (mt.fma(a, b, c, f), [p * q + r for p, q, r in zip(x, y, z)])):
        assert got.tolist() == [float(grid_rounded(v, m + 1, least, direction)) for v in exact]
    root = mt.sqrt(np.abs(a), f)
    for v, r in zip(x, root):
        neighbours = [Fraction(float(r)), Fraction(np.nextafter(r, 0)) if m == 52 else Fraction(float(r)) - Fraction(f.epsilon)]
        if direction == "up":
            assert neighbours[0] ** 2 >= abs(v) and (neighbours[1] ** 2 < abs(v) or m != 52)


def test_stochastic_rounding_of_long_formats():
    x = np.full(50_000, 1 + 0.25 * 2.0 ** -40)
    rounded = mt.round(x, "s40e11:sr", seed=5)
    assert set(rounded) == {1.0, 1 + 2.0 ** -40} and abs(np.mean(rounded > 1) - 0.25) < 0.01


def test_codes_of_arrays():
    x = np.array([[0.5, -1.25], [3.0, 0.1]])
    for fmt, dtype in (("fp8_e4m3", np.uint8), ("half", np.uint16), ("s17e8", np.uint32), ("double", np.uint64), ("fx18.12", np.uint32)):
        codes = mt.encode(x, fmt)
        assert codes.dtype == dtype and codes.shape == x.shape
        assert same_bits(mt.decode(codes, fmt), mt.round(x, fmt))
    assert np.array_equal(mt.encode(x, "half"), x.astype(np.float16).view(np.uint16))
    with pytest.raises(ValueError, match="0 to 255"):
        mt.decode([256], "fp8_e4m3")
