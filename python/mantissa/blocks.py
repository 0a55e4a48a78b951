"""Blocks of numbers with a shared exponent: the MX formats of the Open Compute Project (Microscaling, version 1.0)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arithmetic import _as_operand, round

#: Of an element: its format, and the exponent of its largest power of two.
_ELEMENTS = {"mxfp8_e4m3": ("fp8_e4m3", 8), "mxfp8_e5m2": ("fp8_e5m2:sat", 15), "mxfp6_e3m2": ("fp6_e3m2", 4),
             "mxfp6_e2m3": ("fp6_e2m3", 2), "mxfp4_e2m1": ("fp4_e2m1", 2), "mxint8": (None, 0)}


@dataclass(frozen=True, repr=False)
class Blocks:
    """An array in an MX format: block k of the last axis stands for scales[..., k] times its elements."""

    format: str
    block: int
    elements: NDArray[np.float64]
    """Values of the element's format, in the shape of the array; NaN throughout a block whose scale is NaN."""
    scales: NDArray[np.float64]
    """Powers of two from 2^-127 to 2^127 (E8M0), or NaN; the last axis counts blocks."""

    def __repr__(self) -> str:
        """One line, whatever the size: format, shape and the range of the scales, not the arrays."""
        known = self.scales[np.isfinite(self.scales)]
        scales = f"{known.min():g} to {known.max():g}" if known.size else "none"
        shape = " x ".join(str(n) for n in self.elements.shape)
        return f"mantissa.Blocks({self.format}, {shape} elements in blocks of {self.block}, scales {scales})"

    @property
    def values(self) -> NDArray[np.float64]:
        """What the blocks stand for, exactly."""
        return self.elements * np.repeat(self.scales, self.block, axis=-1)[..., : self.elements.shape[-1]]


def blocks(x: Any, fmt: str, *, block: int = 32) -> Blocks:
    """x in an MX format, blocks along the last axis (the last one may be shorter).

    fmt: mxfp8_e4m3, mxfp8_e5m2, mxfp6_e3m2, mxfp6_e2m3, mxfp4_e2m1 or mxint8. As section 6.3 of the specification has it:
    the scale is the largest power of two in the block's largest magnitude, divided by the largest power of two of the
    element's format; elements are the quotients, rounded to nearest-even and saturated. A block of zeros has the scale
    2^-127; one with an infinity or a NaN has the scale NaN. Elements of mxint8 are -127/64 to 127/64.
    """
    if fmt not in _ELEMENTS:
        raise ValueError(f"format '{fmt}': the MX formats are {', '.join(_ELEMENTS)}")
    if isinstance(block, bool) or not isinstance(block, int) or block < 1:
        raise ValueError(f"block {block!r}: give 1 or more numbers")
    element, largest = _ELEMENTS[fmt]
    a = np.atleast_1d(np.asarray(_as_operand(x), np.float64))
    length = a.shape[-1]
    count = -(-length // block)
    padded = np.zeros(a.shape[:-1] + (count * block,))
    padded[..., :length] = a
    cut = padded.reshape(a.shape[:-1] + (count, block))
    most = np.max(np.abs(cut), axis=-1)
    finite = np.isfinite(most)
    exponent = np.frexp(np.where(finite, most, 1))[1] - 1 - largest
    exponent = np.where(most == 0, -127, np.clip(exponent, -127, 127))
    with np.errstate(invalid="ignore"):
        quotients = np.ldexp(np.where(finite[..., None], cut, 0), -exponent[..., None])
    rounded = np.clip(np.rint(quotients * 64), -127, 127) / 64 if element is None else round(quotients, element)
    rounded[~finite] = np.nan
    scales = np.where(finite, np.ldexp(1.0, exponent), np.nan)
    return Blocks(fmt, block, rounded.reshape(padded.shape)[..., :length], scales)
