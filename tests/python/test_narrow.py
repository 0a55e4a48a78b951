"""Narrow formats and roundings, judged by exact fractions; MX blocks by their definition."""
import functools
import math
import re
from fractions import Fraction

import numpy as np
import pytest

import mantissa as mt
from conftest import same_bits

NAMED = ["fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1", "fp8_e4m3:nan"]


@functools.lru_cache
def values_of(f):
    """All magnitudes of a format, ascending, from its bit patterns."""
    found = {f.decode(bits) for bits in range(2 ** (f.width - 1))}
    return sorted(v for v in found if math.isfinite(v))


def judged(f, direction, x, beyond):
    """x (a fraction) rounded by looking at its two neighbours among all values."""
    table = values_of(f)
    size, sign = abs(x), -1 if x < 0 else 1
    step = Fraction(table[-1]) - Fraction(table[-2])
    grid = [Fraction(v) for v in table] + [Fraction(table[-1]) + step]
    if size >= grid[-1]:
        low = high = grid[-1]
        place = len(grid) - 1
        up = direction not in ("rz", "odd") and not (direction == "up" and sign < 0) and not (direction == "down" and sign > 0)
        return sign * (beyond if up else table[-1])
    place = max(i for i, v in enumerate(grid) if v <= size)
    low, high = grid[place], grid[min(place + 1, len(grid) - 1)]
    if size == low:
        rounded = low
    else:
        t = (size - low) / (high - low)
        up = {"rz": False, "rne": t > Fraction(1, 2) or (t == Fraction(1, 2) and place % 2 == 1), "rna": t >= Fraction(1, 2),
              "odd": place % 2 == 0, "up": sign > 0, "down": sign < 0}[direction]
        rounded = high if up else low
    if rounded > table[-1]:
        return sign * (table[-1] if direction == "odd" else beyond)
    return sign * float(rounded)


def operands(f, n, seed):
    rng = np.random.default_rng(seed)
    table = np.array(values_of(f))
    between = (table[1:] + table[:-1]) / 2  # ties
    near = np.concatenate([table, between, np.nextafter(between, 0), np.nextafter(between, np.inf), [1e9, 1e-9, 1e-320]])
    x = np.concatenate([near, rng.standard_normal(n) * np.exp2(rng.integers(-20, 12, n))])
    return np.concatenate([x, -x])


@pytest.mark.parametrize("direction", ["rz", "rne", "rna", "odd", "up", "down"])
@pytest.mark.parametrize("name", NAMED + ["s3e4", "s2e5:inf"])
def test_rounding_is_that_of_fractions(name, direction):
    text = f"{name}:subnormals:{direction}" if name.startswith("s") else f"{name}:{direction}"
    if not mt._core.is_narrow(text):
        pytest.skip(f"{text} is a Format, whose bits test_arithmetic compares")
    f = mt.format(text)
    beyond = math.inf if f.has_infinity and ":sat" not in text else math.nan if ":nan" in text else f.max
    x = operands(f, 150, 1)
    wanted = [math.copysign(judged(f, direction, Fraction(v), beyond), v) for v in x]
    assert same_bits(mt.round(x, f), wanted)


@pytest.mark.parametrize("name", ["fp8_e4m3", "s7e8:rna:subnormals", "s10e5:odd:subnormals", "s10e8:up:subnormals"])
@pytest.mark.parametrize("operation", ["add", "sub", "mul", "div", "fma", "sqrt"])
def test_operations_round_the_exact_result(name, operation):
    rng = np.random.default_rng(2)
    f = mt.format(name)
    a, b, c = (mt.round(rng.standard_normal(400) * np.exp2(rng.integers(-6, 6, 400)), f) for _ in range(3))
    b = np.where(b == 0, 1.0, b)
    if operation == "sqrt":
        a = np.abs(a)
        mine = mt.sqrt(a, f)
        # The root of a number to 300 bits, cut, and marked as inexact by one more.
        exact = [Fraction(2 * math.isqrt((Fraction(v) * 2 ** 600).__floor__()) + 1, 2 ** 301) if
                 math.isqrt((Fraction(v) * 2 ** 600).__floor__()) ** 2 != Fraction(v) * 2 ** 600 else
                 Fraction(math.isqrt((Fraction(v) * 2 ** 600).__floor__()), 2 ** 300) for v in a]
    else:
        x, y, z = ([Fraction(v) for v in w] for w in (a, b, c))
        exact = [{"add": p + q, "sub": p - q, "mul": p * q, "div": p / q, "fma": p * q + r}[operation]
                 for p, q, r in zip(x, y, z)]
        mine = getattr(mt, operation)(a, b, c, f) if operation == "fma" else getattr(mt, operation)(a, b, f)
    # To odd in 60 bits, as a pair of doubles' sum would be too long: the judge rounds the fraction itself.
    direction = next((d for d in ("rna", "odd", "up") if f":{d}" in str(f)), "rne")
    for value, wanted in zip(mine, exact):
        assert value == judged_by_grid(f, direction, wanted), (wanted, value)


def judged_by_grid(f, direction, x):
    """As judged(), for formats with too many values for a table."""
    if x == 0:
        return 0.0
    size, sign = abs(x), -1 if x < 0 else 1
    e = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** e > size:
        e -= 1
    e = max(e, round(math.log2(f.min_normal)))
    unit = Fraction(2) ** (e - f.fraction_bits)
    units = size // unit
    t = size / unit - units
    up = {"rne": t > Fraction(1, 2) or (t == Fraction(1, 2) and units % 2 == 1), "rna": t >= Fraction(1, 2),
          "odd": t > 0 and units % 2 == 0, "up": t > 0 and sign > 0}[direction]
    rounded = (units + up) * unit
    if rounded > f.max:
        return sign * (f.max if not f.has_infinity or direction == "odd" or (direction == "up" and sign < 0) else math.inf)
    return sign * float(rounded)


def test_e4m3_has_no_infinities():
    f = mt.format("fp8_e4m3")
    assert f.max == 448 and not f.has_infinity and f.encode(448) == 0x7E and math.isnan(f.decode(0x7F))
    assert mt.round([463.9, 464, 465, 1e9, np.inf, -np.inf], f).tolist() == [448] * 5 + [-448]
    nan = mt.round([464, 464.1, np.inf], "fp8_e4m3:nan")
    assert nan[0] == 448 and np.isnan(nan[1:]).all()
    with pytest.raises(ValueError, match="no infinities"):
        f.encode(math.inf)


@pytest.mark.parametrize("name", NAMED[:5])
def test_every_pattern_reads_back(name):
    f = mt.format(name)
    for bits in range(2 ** f.width):
        value = f.decode(bits)
        if not math.isnan(value):
            assert f.encode(value) == bits


@pytest.mark.parametrize("name, theirs", [("fp8_e4m3:nan", "float8_e4m3fn"), ("fp8_e5m2", "float8_e5m2"),
                                          ("fp6_e3m2", "float6_e3m2fn"), ("fp6_e2m3", "float6_e2m3fn"),
                                          ("fp4_e2m1", "float4_e2m1fn")])
def test_rounding_is_that_of_ml_dtypes(name, theirs):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    x = np.random.default_rng(3).standard_normal(100_000) * 4
    x = mt.round(x, "float")  # ml_dtypes goes through float
    assert same_bits(mt.round(x, name), x.astype(np.float32).astype(getattr(ml_dtypes, theirs)).astype(np.float64))


def test_stochastic_rounding_is_unbiased_and_repeats():
    x = np.full(200_000, 1 + 0.3 * 2.0 ** -7)
    rounded = mt.round(x, "s7e8:sr", seed=42)
    assert set(np.unique(rounded)) == {1.0, 1 + 2.0 ** -7}
    share = np.mean(rounded > 1)
    assert abs(share - 0.3) < 5 * math.sqrt(0.21 / len(x))
    assert same_bits(rounded, mt.round(x, "s7e8:sr", seed=42))
    assert not same_bits(rounded, mt.round(x, "s7e8:sr", seed=43))
    values = mt.round(x, "s7e8:rna")
    assert same_bits(mt.round(values, "s7e8:sr", seed=1), values)  # a value of the format stays


@pytest.mark.parametrize("text", NAMED + ["s10e5:odd", "s7e8:rna:subnormals:sat", "s7e8:sr", "fp8_e5m2:sr:sat"])
def test_texts_read_back(text):
    assert mt.format(str(mt.format(text))) == mt.format(text)


@pytest.mark.parametrize("text, words", [("fp8_e4m3:inf", "no policy word"), ("s53e8:rna", "outside 2..52"),
                                         ("fp4_e2m1:nan", "no policy word")])
def test_wrong_texts(text, words):
    with pytest.raises(ValueError, match=words):
        mt.format(text)


@pytest.mark.parametrize("fmt, element, largest", [("mxfp8_e4m3", "fp8_e4m3", 8), ("mxfp4_e2m1", "fp4_e2m1", 2)])
def test_blocks_share_an_exponent(fmt, element, largest):
    x = np.random.default_rng(4).standard_normal((3, 70)) * 5
    made = mt.blocks(x, fmt)
    assert made.scales.shape == (3, 3) and made.values.shape == x.shape
    for i in range(3):
        for k in range(3):
            part = x[i, 32 * k: 32 * (k + 1)]
            scale = 2.0 ** (math.floor(math.log2(np.abs(part).max())) - largest)
            assert made.scales[i, k] == scale
            assert same_bits(made.values[i, 32 * k: 32 * (k + 1)], mt.round(part / scale, element) * scale)


def test_blocks_at_the_limits():
    made = mt.blocks([0.0, 0.0, np.inf, 1.0, 1.0, 0.9], "mxint8", block=2)
    assert made.scales[0] == 2.0 ** -127 and np.isnan(made.scales[1]) and made.scales[2] == 1
    assert made.elements[4:].tolist() == [1.0, round(0.9 * 64) / 64]
    with pytest.raises(ValueError, match="the block formats are"):
        mt.blocks([1.0], "mxfp5")


@pytest.mark.parametrize("text", ["s17e8:foo", "s10e5:rnd", "s23e8:flush:nearest", "s4e3:satt"])
def test_a_wrong_policy_word_is_answered_with_all_of_them(text):
    with pytest.raises(ValueError) as fault:
        mt.format(text)
    words = str(fault.value)
    for word in ("rz", "rne", "rna", "odd", "up", "down", "sr", "flush", "subnormals", "inf", "sat"):
        assert re.search(rf"\b{word}\b", words), word
    assert "\n" not in words


@pytest.mark.parametrize("shape", [(3,), (1000,), (40, 70), (2, 3, 64)])
def test_blocks_show_themselves_in_a_line(shape):
    text = repr(mt.blocks(np.ones(shape), "mxfp8_e4m3"))
    assert "mxfp8_e4m3" in text and " x ".join(map(str, shape)) in text and "\n" not in text and len(text) < 120


def test_blocks_without_a_scale_show_themselves():
    assert "none" in repr(mt.blocks([np.nan], "mxint8"))


@pytest.mark.parametrize("fmt", ["s10e5", "s17e8", "double", "bfloat16"])
def test_an_exact_sum_of_floating_terms_is_refused_with_the_mend(fmt):
    for run in (lambda: mt.dot([1.0], [2.0], fmt, acc="exact"), lambda: mt.sum([1.0], fmt, acc="exact"),
                lambda: mt.matmul(np.eye(2), np.eye(2), fmt, acc="exact")):
        with pytest.raises(ValueError, match="window that holds them all"):
            run()


@pytest.mark.parametrize("fmt", ["fx18.16", "fx24.10", "fx32.20"])
def test_a_sum_of_words_is_exact_with_the_word_and_without(fmt):
    x = np.linspace(-0.5, 0.5, 9)
    assert mt.dot(x, x, fmt, acc="exact") == mt.dot(x, x, fmt)
    assert mt.sum(x, fmt, acc="exact") == mt.sum(x, fmt)


def test_a_sum_is_not_rounded_into_a_narrow_format():
    for call in (lambda: mt.sum([1.0, 2.0], "s10e5", result="fp8_e4m3"),
                 lambda: mt.dot([1.0], [2.0], "s10e5", result="s7e8:sr"),
                 lambda: mt.matmul(np.eye(2), np.eye(2), "s10e5", result="fp4_e2m1")):
        with pytest.raises(ValueError, match="sums are not rounded into it"):
            call()
