"""Formats by their texts."""

from __future__ import annotations

from functools import lru_cache
from typing import Union

from ._core import Format as Format, NarrowFormat as NarrowFormat, is_narrow

AnyFormat = Union[Format, NarrowFormat]
FormatLike = Union[str, Format, NarrowFormat]


@lru_cache(maxsize=256)
def _parsed(text: str) -> AnyFormat:
    if is_narrow(text):
        return NarrowFormat(text)
    try:
        return Format(text)
    except ValueError as fault:
        known = "the policy words are rz, rne, flush, subnormals, inf and sat"
        if known not in str(fault):
            raise
        # Array operations take more roundings than the datapaths, which the library's line speaks of.
        every = "the policy words are rz, rne, rna, odd, up, down, sr, flush, subnormals, inf and sat"
        raise ValueError(str(fault).replace(known, every)) from None


def format(text: FormatLike) -> AnyFormat:
    """The format of a text; a format is passed through.

    "s17e8", "s10e5:rne:subnormals", "fx18.16", "bfloat16" and their like are Formats, which datapaths have too.
    "fp8_e4m3" and its like, and roundings with the words rna, odd, up, down and sr, are NarrowFormats.

    Raises ValueError, one line that says what is wrong with the text and how to write it.
    """
    if isinstance(text, (Format, NarrowFormat)):
        return text
    if not isinstance(text, str):
        raise TypeError(f"a format is a text, as 's17e8', or a mantissa.Format, not {type(text).__name__}")
    return _parsed(text)
