"""Blocks of numbers with a shared scale: the MX formats of the Open Compute Project (Microscaling, version 1.0), and
NVIDIA's NVFP4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core, sums
from ._arguments import whole, word
from ._results import Compared
from .arithmetic import _as_operand, round
from .formats import Format, FormatLike, format
from .options import get_threads


@dataclass(frozen=True)
class _Element:
    """Of an element: its format; its smallest number above zero, as a power of two, and the bits of its largest in units
    of that."""

    format: str
    unit: int
    bits: int


#: binary8p7sf has mxint8's numbers, -127/64 to 127/64.
_ELEMENTS = {"mxfp8_e4m3": _Element("fp8_e4m3", 9, 18), "mxfp8_e5m2": _Element("fp8_e5m2:sat", 16, 32),
             "mxfp6_e3m2": _Element("fp6_e3m2", 4, 9), "mxfp6_e2m3": _Element("fp6_e2m3", 3, 6),
             "mxfp4_e2m1": _Element("fp4_e2m1", 1, 4), "mxint8": _Element("binary8p7sf:sat", 6, 7),
             "nvfp4": _Element("fp4_e2m1", 1, 4)}
_RULES = ("floor", "ceil", "even", "rceil")


@dataclass(frozen=True, repr=False, eq=False)
class Blocks(Compared):
    """An array in a block format: block k of the axis stands for scales[..., k, ...] times its elements."""

    format: str
    block: int
    elements: NDArray[np.float64]
    """Values of the element's format, in the shape of the array; NaN throughout a block whose scale is NaN."""
    scales: NDArray[np.float64]
    """Powers of two from 2^-127 to 2^127 (E8M0), or NaN; of NVFP4 values of fp8_e4m3. `axis` counts blocks."""
    axis: int = -1
    """The axis along which the blocks lie."""
    tensor_scale: float = 1.0
    """NVFP4's second scale, of the whole array, a float32; else 1."""

    def __repr__(self) -> str:
        """One line, whatever the size: format, shape and the range of the scales, not the arrays."""
        known = self.scales[np.isfinite(self.scales)]
        scales = f"{known.min():g} to {known.max():g}" if known.size else "none"
        shape = " x ".join(str(n) for n in self.elements.shape)
        return f"mantissa.Blocks({self.format}, {shape} elements in blocks of {self.block}, scales {scales})"

    @property
    def values(self) -> NDArray[np.float64]:
        """What the blocks stand for, exactly."""
        length = self.elements.shape[self.axis]
        scales = np.repeat(self.scales * self.tensor_scale, self.block, axis=self.axis)
        return self.elements * np.take(scales, np.arange(length), axis=self.axis)

    def dot(self, other: "Blocks", fmt: FormatLike = "float", *, acc: Optional[FormatLike] = None) -> Any:
        """The dot product of two arrays of one shape, blocked alike, over the axis of their blocks.

        The products of a block's elements and both scales give the exact dot product of the block, which is rounded
        once into fmt (section 6.2 of MX's specification leaves that open; it is IEEE P3109's BlockDotProduct). The
        blocks' dot products are added as mantissa.sum() adds: one after the other in fmt, or as `acc` says.
        """
        if not isinstance(other, Blocks):
            raise TypeError(f"dot: blocks and {type(other).__name__}; give two mantissa.Blocks")
        axes = [b.axis % b.elements.ndim for b in (self, other)]
        if self.elements.shape != other.elements.shape or self.block != other.block or axes[0] != axes[1]:
            raise ValueError("dot: give blocks of one shape, one length and one axis")
        f = format(fmt)
        if not isinstance(f, Format) or f.is_fixed:
            raise ValueError(f"dot: sums in {f} are not defined here; give a floating format of datapaths, as float")
        a, b = (_flat(x.elements, axes[0], self.block) for x in (self, other))
        sa, sb = (np.moveaxis(x.scales, axes[0], -1) * x.tensor_scale for x in (self, other))
        elements = [_ELEMENTS[x.format.partition(":")[0]] for x in (self, other)]
        out = np.empty(sa.size)
        _core.block_dots(f, a, np.ascontiguousarray(sa).reshape(-1), b, np.ascontiguousarray(sb).reshape(-1), out,
                         self.block, max(e.unit for e in elements),
                         max(e.bits - e.unit for e in elements) + max(e.unit for e in elements), get_threads())
        return sums.sum(out.reshape(sa.shape), f, axis=-1, acc=acc)


def _cut(a: NDArray[np.float64], block: int) -> NDArray[np.float64]:
    """The last axis as blocks, the last one filled up with zeros."""
    length = a.shape[-1]
    count = -(-length // block)
    padded = np.zeros(a.shape[:-1] + (count * block,))
    padded[..., :length] = a
    return padded.reshape(a.shape[:-1] + (count, block))


def _flat(elements: NDArray[np.float64], axis: int, block: int) -> NDArray[np.float64]:
    return _cut(np.moveaxis(elements, axis, -1), block).reshape(-1)


def _power_of_two_scales(cut: NDArray[np.float64], name: str, rule: str) -> NDArray[np.float64]:
    most = np.ascontiguousarray(np.max(np.abs(cut), axis=-1))
    scales = np.empty(most.size)
    _core.block_scales(f"{name}:{rule}", most.reshape(-1), scales)
    return scales.reshape(most.shape)


def _nvfp4(cut: NDArray[np.float64], tensor_scale: Optional[float]) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Quotients, scales and the scale of the whole, in float32 throughout."""
    x = cut.astype(np.float32)
    most = np.max(np.abs(x), axis=-1)
    if tensor_scale is None:
        largest = most[np.isfinite(most)].max(initial=np.float32(0))
        tensor_scale = float(largest / np.float32(448 * 6)) or 1.0
    whole = np.float32(tensor_scale)
    if not (np.isfinite(whole) and whole > 0):
        raise ValueError(f"tensor_scale {tensor_scale}: give a float32 above zero")
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        scales = np.clip(most / np.float32(6) / whole, np.float32(2.0 ** -6), np.float32(448))
        scales = round(scales, "fp8_e4m3").astype(np.float32)
        scales[~np.isfinite(most)] = np.nan
        quotients = x * ((np.float32(1) / whole) / scales)[..., None]
    return quotients.astype(np.float64), scales.astype(np.float64), float(whole)


def blocks(x: Any, fmt: str, *, block: Optional[int] = None, axis: int = -1, scale: str = "floor",
           tensor_scale: Optional[float] = None, seed: Optional[int] = None) -> Blocks:
    """x in a block format, blocks along an axis (the last block may be shorter).

    fmt: mxfp8_e4m3, mxfp8_e5m2, mxfp6_e3m2, mxfp6_e2m3, mxfp4_e2m1, mxint8 or nvfp4. Elements are x over the scale,
    rounded to nearest-even and saturated; a rounding word after a colon (rna, rz, odd, up, down, sr) is used instead.
    block: numbers in one, by default 32, and 16 for nvfp4.

    scale: how an MX block's scale, a power of two, follows from its largest magnitude m (e is the exponent of the largest
    power of two among the elements, max their largest number):

        floor   2^(floor(log2 m) - e), the specification's section 6.3; elements may saturate
        ceil    2^(ceil(log2 m) - e)
        even    as floor, of m rounded to the elements' fraction bits, half up
        rceil   the smallest not below m / max, formed in float32 as m (1 / max): no element beyond max

    A block of zeros has the scale 2^-127; one with an infinity or a NaN has the scale NaN. Elements of mxint8 are -127/64
    to 127/64.

    nvfp4: E2M1 elements, scales in fp8_e4m3, and tensor_scale, by default (largest magnitude) / (448 * 6). In float32: a
    scale is m / 6 / tensor_scale, at least 2^-6 and at most 448, rounded to fp8_e4m3; elements are x times
    (1 / tensor_scale) / scale, rounded to E2M1.
    """
    name, _, words = word(fmt, "fmt").partition(":")
    if name not in _ELEMENTS:
        raise ValueError(f"format '{fmt}': the block formats are {', '.join(_ELEMENTS)}")
    if block is None:
        block = 16 if name == "nvfp4" else 32
    block = whole(block, "block", 1)
    if scale not in _RULES or (name == "nvfp4" and scale != "floor"):
        known = "nvfp4 has a rule of its own; leave it out" if name == "nvfp4" else f"the rules are {', '.join(_RULES)}"
        raise ValueError(f"scale '{scale}': {known}")
    if tensor_scale is not None and name != "nvfp4":
        raise ValueError(f"tensor_scale: {name} has none; leave it out")
    a = np.atleast_1d(np.asarray(_as_operand(x), np.float64))
    if not -a.ndim <= axis < a.ndim:
        raise ValueError(f"axis {axis}: the array has {a.ndim}")
    element, of_all = _ELEMENTS[name], 1.0
    cut = _cut(np.moveaxis(a, axis, -1), block)
    if name == "nvfp4":
        quotients, scales, of_all = _nvfp4(cut, tensor_scale)
    else:
        scales = _power_of_two_scales(cut, name, scale)
        with np.errstate(invalid="ignore"):
            quotients = cut / np.where(np.isfinite(scales), scales, 1)[..., None]
    rounded = round(quotients, f"{element.format}:{words}" if words else element.format, seed=seed)
    if name == "mxint8":
        rounded = np.copysign(rounded, quotients)  # whose words have no -0, as these numbers do
    rounded[np.isnan(scales)] = np.nan
    length = a.shape[axis]
    elements = np.moveaxis(rounded.reshape(cut.shape[:-2] + (-1,))[..., :length], -1, axis)
    return Blocks(fmt, block, np.ascontiguousarray(elements), np.ascontiguousarray(np.moveaxis(scales, -1, axis)), axis,
                  of_all)
