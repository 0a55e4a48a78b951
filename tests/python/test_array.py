"""Arrays that stay in their format."""
import numpy as np
import pytest

import mantissa as mt
from conftest import same_bits


@pytest.fixture(params=["s17e8", "s10e5:rne:subnormals", "fx18.12", "s10e5:rna:subnormals", "fp8_e4m3"])
def fmt(request):
    return request.param


def test_operators_round_once(fmt):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.5, 1.5, (2, 100))
    a, b = mt.array(x, fmt), mt.array(y, fmt)
    for mine, function in ((a + b, mt.add), (a - b, mt.sub), (a * b, mt.mul), (a / b, mt.div)):
        assert mine.format == mt.format(fmt)
        assert same_bits(mine.values, function(a.values, b.values, fmt))
    assert same_bits((a * 0.3).values, mt.mul(a.values, mt.round(0.3, fmt), fmt))
    assert same_bits((2 - a).values, mt.sub(2, a.values, fmt))
    assert same_bits(np.square(a).values, (a * a).values)
    assert same_bits(np.maximum(a, b).values, np.maximum(a.values, b.values))
    assert same_bits(abs(-a).values, a.values)
    assert ((a < b) == (a.values < b.values)).all()


def test_in_place_and_slices():
    a = mt.array(np.arange(6.0).reshape(2, 3) / 3, "s7e8")
    first = a[0]
    first += 1
    assert same_bits(first.values, mt.add(mt.round(np.arange(3) / 3, "s7e8"), 1, "s7e8"))
    a[1] = 0.3
    assert same_bits(a.values[1], mt.round(np.full(3, 0.3), "s7e8"))
    assert a.T.shape == (3, 2) and len(a) == 2 and a.reshape(6).shape == (6,)
    assert same_bits(np.concatenate([a, a]).values, np.concatenate([a.values, a.values]))


def test_a_floating_array_shares_its_memory():
    a = mt.array(np.ones(4), "s17e8")
    assert np.shares_memory(np.asarray(a), a.values)
    assert mt.array(np.ones(4, np.float32), "s17e8").values.dtype == np.float32


def test_sums_and_products_go_through_numpy():
    x = np.random.default_rng(1).standard_normal((4, 5))
    a = mt.array(x, "s10e5")
    assert same_bits(np.sum(a, axis=0).values, mt.sum(a.values, "s10e5", axis=0))
    assert same_bits((a @ a.T).values, mt.matmul(a.values, a.values.T, "s10e5"))
    assert same_bits(np.sqrt(abs(a)).values, mt.sqrt(np.abs(a.values), "s10e5"))


def test_what_has_no_definition_is_refused():
    a = mt.array([1.0, 2.0], "s17e8")
    with pytest.raises(TypeError):
        np.exp(a)
    with pytest.raises(ValueError, match="say which is rounded"):
        a + mt.array([1.0, 2.0], "s10e5")
    with pytest.raises(ValueError, match="has none"):
        a.words
    with pytest.raises(OverflowError):
        mt.array([1.9], "fx18.16") + mt.array([1.9], "fx18.16")
    with pytest.raises(OverflowError):
        -mt.from_words([-2 ** 17], "fx18.16")


def test_words_and_bits():
    a = mt.array([-1.25, 0.5], "fx18.16")
    assert a.words.dtype == np.int32 and a.words.tolist() == [-81920, 32768]
    assert mt.array([1.0], "fx60.40").words.dtype == np.int64
    assert a.bits.tolist() == [2 ** 18 - 81920, 32768]
    assert mt.array([1.0], "s17e8").bits.tolist() == [127 << 17]
    assert a.astype("fx10.8").words.tolist() == [-320, 128]
    assert same_bits(a.astype("s10e5").values, [-1.25, 0.5])


def test_dlpack_shares_memory_with_numpy():
    x = mt.round(np.linspace(0, 1, 9), "s10e5")
    a = mt.from_dlpack(x, "s10e5")
    assert np.shares_memory(a.values, x)
    assert np.shares_memory(np.from_dlpack(a), x)
    assert same_bits(mt.from_dlpack(np.linspace(0, 1, 9), "s10e5").values, x)


def test_dlpack_of_a_read_only_array_is_a_copy_where_it_cannot_say_so():
    x = mt.round(np.linspace(0, 1, 9), "s10e5")
    x.flags.writeable = False
    a = mt.from_dlpack(x, "s10e5")
    assert np.shares_memory(a.values, x) and not a.values.flags.writeable

    class Older:  # a reader of DLPack's first version, which knows no flags
        def __dlpack__(self, **unused):
            return a.__dlpack__()

        def __dlpack_device__(self):
            return a.__dlpack_device__()

    read = np.from_dlpack(Older())
    assert same_bits(read, x) and not np.shares_memory(read, x)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_dlpack_with(library):
    if library == "torch":
        torch = pytest.importorskip("torch", reason="torch is not installed")
        theirs, back = torch.linspace(0, 1, 9, dtype=torch.float32), torch.from_dlpack
    else:
        jax = pytest.importorskip("jax", reason="jax is not installed")
        theirs, back = jax.numpy.linspace(0, 1, 9), jax.dlpack.from_dlpack
    a = mt.from_dlpack(theirs, "s10e5")
    assert same_bits(a.values, mt.round(np.asarray(theirs), "s10e5"))
    assert same_bits(np.asarray(back(a * 2)), (a * 2).values)
    assert same_bits(np.asarray(back(a)), a.values)  # whose memory is theirs, and may be read-only


@pytest.mark.parametrize("fmt", ["fx18.16", "fx18.16:sat", "ufx12.8", "s17e8", "fp8_e4m3"])
def test_a_number_stays_a_number(fmt):
    """An element of an array has no axes, nor has what is computed of it: a loop over samples needs that."""
    x = mt.array([0.5, 0.25], fmt)
    z = mt.array(0.0, fmt)
    for y in (x[0], x[0] * x[1], x[0] * x[1] + z, 0.5 * x[0], abs(x[0]), x[0].astype("fx20.15")):
        assert y.shape == ()
    assert float(x[0] * x[1]) == 0.125
    for y in (mt.add(0.5, 0.25, fmt), mt.round(0.5, fmt), mt.decode(mt.encode(0.5, fmt), fmt)):
        assert np.shape(y) == ()


def test_sums_over_several_axes_and_kept_ones():
    x = np.arange(24.0).reshape(2, 3, 4) / 32
    for fmt in ("s17e8", "fx24.12"):
        a = mt.array(x, fmt)
        assert mt.sum(x, fmt, axis=(0, 2)).tolist() == x.sum(axis=(0, 2)).tolist()
        assert mt.sum(x, fmt, axis=(-1, 0)).tolist() == x.sum(axis=(-1, 0)).tolist()
        assert np.sum(a, axis=1, keepdims=True).values.tolist() == x.sum(axis=1, keepdims=True).tolist()
        assert a.sum((0, 1), keepdims=True).shape == (1, 1, 4)
        assert a.sum(keepdims=True).shape == (1, 1, 1)
