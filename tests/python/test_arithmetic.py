"""Arithmetic on NumPy arrays: the bits of the C++ definition, copies, broadcasting, errors."""
import numpy as np
import pytest

import mantissa as mt
from conftest import same_bits

MILLION = 1_000_000
FLOATING = ["s17e8", "s17e8:rne", "s10e5:rne:subnormals", "bfloat16", "s23e8:rne:sat", "s30e11", "double"]
FIXED = ["fx18.16", "fx32.20:floor", "fx48.40"]
OPERATIONS = {"convert": mt.round, "add": mt.add, "sub": mt.sub, "mul": mt.mul, "div": mt.div, "sqrt": mt.sqrt,
              "fma": mt.fma}


def call(operation, fmt, a, b, c):
    operands = {"convert": (a,), "sqrt": (a,), "fma": (a, b, c)}.get(operation, (a, b))
    return OPERATIONS[operation](*operands, fmt)


def numbers(fmt, seed):
    """A million operands, a seventh for each operation: numbers near each other, of any bits, zeros, infinities and NaN."""
    rng = np.random.default_rng(seed)
    f = mt.format(fmt)
    n = MILLION // len(OPERATIONS) + 1
    any_bits = rng.integers(0, 2 ** 64, n, np.uint64).view(np.float64)
    near = rng.standard_normal(n) * np.exp2(rng.integers(-12, 12, n))
    limits = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, f.max, -f.max, f.min_positive, f.min_positive / 2, f.min_normal])
    chosen = rng.integers(0, 10, n)
    return np.where(chosen < 2, any_bits, np.where(chosen < 9, near, rng.choice(limits, n)))


@pytest.mark.parametrize("fmt", FLOATING)
def test_a_million_operands_have_the_bits_of_the_definition(fmt, reference):
    count = 0
    for k, operation in enumerate(OPERATIONS):
        a, b, c = (numbers(fmt, 10 * k + j) for j in range(3))
        if mt.format(fmt).single and operation != "convert" and k % 2 == 0:  # values of the format, as floats
            a, b, c = (mt.round(x, fmt) for x in (a, b, c))
            with np.errstate(invalid="ignore"):  # a NaN's payload
                floats = [x.astype(np.float32) for x in (a, b, c)]
            assert same_bits(call(operation, fmt, *floats), call(operation, fmt, a, b, c))
            straight = {"add": lambda x, y, z: x + y, "mul": lambda x, y, z: x * y}.get(operation)
            if straight:
                assert same_bits(straight(*(mt.array(x, fmt) for x in floats)).values, call(operation, fmt, a, b, c))
        assert same_bits(call(operation, fmt, a, b, c), reference(fmt, operation, a, b, c)), operation
        count += len(a)
    assert count >= MILLION


@pytest.mark.parametrize("fmt", FIXED)
def test_a_million_words_have_the_bits_of_the_definition(fmt, reference):
    f = mt.format(fmt)
    n = MILLION // 6 + 1
    count = 0
    for k, operation in enumerate(["convert", "add", "sub", "mul", "div", "fma"]):
        rng = np.random.default_rng(k)
        a, b, c = (rng.uniform(-1, 1, n) * f.max * np.exp2(-rng.integers(0, f.width, n)) for _ in range(3))
        b = np.where(np.abs(b) < f.epsilon, f.epsilon, b)
        wanted = reference(fmt, operation, a, b, c)
        fits = ~np.isnan(wanted)
        if not fits.all():
            with pytest.raises(OverflowError, match="does not fit"):
                call(operation, fmt, a, b, c)
        a, b, c = a[fits], b[fits], c[fits]
        assert same_bits(call(operation, fmt, a, b, c), wanted[fits]), operation
        words = {"add": lambda x, y, z: x + y, "sub": lambda x, y, z: x - y, "mul": lambda x, y, z: x * y}
        if operation in words:
            assert same_bits(words[operation](*(mt.array(x, fmt) for x in (a, b, c))).values, wanted[fits])
        count += n
    assert count >= MILLION


@pytest.mark.parametrize("fmt", ["s17e8", "s10e5:rne", "s17e8:sr", "fx32.16"])
def test_threads_change_nothing(fmt):
    x = np.random.default_rng(5).standard_normal(200_003)
    seed = 7 if fmt.endswith("sr") else None
    one = mt.round(x, fmt, seed=seed)
    mt.set_threads(3)
    assert same_bits(mt.round(x, fmt, seed=seed), one)
    if seed is None:
        many = mt.mul(one, one, fmt)
        mt.set_threads(1)
        assert same_bits(mt.mul(one, one, fmt), many)


def test_results_go_where_the_caller_says_without_copies():
    x = np.linspace(-3, 3, 1001)
    out = np.empty_like(x)
    assert mt.round(x, "s10e5", out=out) is out
    assert same_bits(out, mt.round(x, "s10e5"))
    mt.add(out, 1.0, "s10e5", out=out)  # in place
    assert same_bits(out, mt.add(mt.round(x, "s10e5"), 1.0, "s10e5"))
    single = mt.round(x.astype(np.float32), "s10e5")
    assert single.dtype == np.float32
    assert mt.round(x, "s10e5", dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="does not fit|do not fit"):
        mt.round(x, "s30e8", dtype=np.float32)
    with pytest.raises(ValueError, match="its shape is"):
        mt.round(x, "s10e5", out=np.empty(3))
    with pytest.raises(ValueError, match="C order"):
        mt.round(x[:10].reshape(2, 5), "s10e5", out=np.empty((5, 2)).T)


@pytest.mark.parametrize("fmt", ["s17e8", "fx40.16", "fp8_e4m3"])
def test_a_result_may_overlap_its_operands(fmt):
    """As NumPy does it: as if the operands had been copied."""
    for size in (10, 100001):
        for to, of in ((slice(1, None), slice(0, -1)), (slice(0, -1), slice(1, None)), (slice(None), slice(None))):
            y = np.arange(float(size)) % 16 / 2
            expected = mt.add(y[of].copy(), y[of][::-1].copy(), fmt)
            reverse = y[of][::-1]
            mt.add(y[of], reverse, fmt, out=y[to])
            np.testing.assert_array_equal(y[to], expected)


def test_shapes_broadcast_and_any_layout_is_read():
    a = np.arange(12.0).reshape(3, 4) / 7
    assert same_bits(mt.add(a, a[0], "s7e8"), mt.add(a, np.broadcast_to(a[0], a.shape).copy(), "s7e8"))
    assert same_bits(mt.mul(a.T, 3, "s7e8"), mt.mul(a, np.full_like(a, 3), "s7e8").T)
    assert same_bits(mt.round(a[:, ::2], "s7e8"), mt.round(a, "s7e8")[:, ::2])
    assert mt.round(np.zeros((0, 3)), "s7e8").shape == (0, 3)
    assert mt.round(1 / 3, "s7e8").shape == ()


@pytest.mark.parametrize("call, error, words", [
    (lambda: mt.round([1.0], "s99e8"), ValueError, "the fraction width is outside 2..52"),
    (lambda: mt.round([1.0], 17), TypeError, "a format is a text"),
    (lambda: mt.round(["a"], "s17e8"), TypeError, "give numbers"),
    (lambda: mt.round([2.0], "fx18.16"), OverflowError, "does not fit fx18.16"),
    (lambda: mt.add([1.5], [1.5], "fx18.16"), OverflowError, "add: a result does not fit"),
    (lambda: mt.sqrt([1.5], "fx18.16"), ValueError, "fixed-point"),
    (lambda: mt.round([1.0], "fx60.16"), ValueError, "more than 53 bits"),
    (lambda: mt.add(np.ones(3), np.ones(4), "s17e8"), ValueError, "broadcast"),
    (lambda: mt.round([1.0], "s17e8", seed=1), ValueError, "stochastically"),
    (lambda: mt.round([1.0], "s17e8:sr"), ValueError, "give a seed"),
    (lambda: mt.set_threads(-1), ValueError, "threads"),
])
def test_errors_are_pythons_own_with_one_line(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_sums_have_their_order():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(1000), rng.standard_normal(1000)
    one = 0.0
    for a, b in zip(x, y):
        one = float(mt.add(one, mt.mul(a, b, "s10e5"), "s10e5"))
    assert mt.dot(x, y, "s10e5") == one
    lanes = np.zeros(16)
    for k, term in enumerate(mt.mul(x, y, "s10e5")):
        lanes[k % 16] = mt.add(lanes[k % 16], term, "s17e8")
    while len(lanes) > 1:
        lanes = mt.add(lanes[: len(lanes) // 2], lanes[len(lanes) // 2:], "s17e8")
    assert mt.dot(x, y, "s10e5", acc="s17e8/16", result="s17e8") == lanes[0]
    exact = mt.dot(x, y, "s10e5", acc="fixed[13:-50]", product="exact", result="double")
    assert abs(exact - np.dot(x, y)) < 1000 * 2.0 ** -50
    with pytest.raises(OverflowError, match="window"):
        mt.sum([1e6], "s17e8", acc="fixed[13:-40]")


@pytest.mark.parametrize("options", [{}, {"acc": "s23e8/4"}, {"acc": "s23e8", "product": "exact"}, {"acc": "fixed[13:-40]"}])
def test_matrix_products_are_dot_products(options):
    rng = np.random.default_rng(2)
    a, b = mt.round(rng.standard_normal((7, 33)), "s10e5"), mt.round(rng.standard_normal((33, 5)), "s10e5")
    product = mt.matmul(a, b, "s10e5", **options)
    wanted = [[mt.dot(row, column, "s10e5", **options) for column in b.T] for row in a]
    assert same_bits(product, wanted)
    assert same_bits(mt.matmul(a, b[:, 0], "s10e5", **options), product[:, 0])
    mt.set_threads(2)
    assert same_bits(mt.matmul(a, b, "s10e5", **options), product)


def test_words_add_exactly():
    rng = np.random.default_rng(3)
    a, b = rng.integers(-2 ** 12, 2 ** 12, (5, 9)), rng.integers(-2 ** 12, 2 ** 12, (9, 4))
    exact = a @ b  # in units of 2^-32
    x, y = mt.from_words(a, "fx18.16"), mt.from_words(b, "fx18.16")
    assert np.array_equal((x @ y).words, (exact + 2 ** 15) >> 16)
    assert np.array_equal(x.sum(axis=1).words, a.sum(axis=1))
    assert mt.dot(x.values[0], y.values[:, 0], "fx18.16") == (x @ y).values[0, 0]
