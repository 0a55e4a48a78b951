"""Formats by their texts, and by the dtypes of NumPy and of ml_dtypes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Union

import numpy as np

from ._core import Format as Format, NarrowFormat as NarrowFormat, WordFormat as WordFormat, is_narrow, is_words

AnyFormat = Union[Format, NarrowFormat, WordFormat]
FormatLike = Union[str, Format, NarrowFormat, WordFormat, "np.dtype[Any]", type]

#: Element types of ml_dtypes, by name, whose values are all float32: its arrays are taken without importing it.
ML_DTYPES = frozenset({
    "bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int1", "int2", "int4",
    "uint1", "uint2", "uint4"})


@lru_cache(maxsize=256)
def _parsed(text: str) -> AnyFormat:
    if is_narrow(text):
        return NarrowFormat(text)
    if is_words(text):
        return WordFormat(text)
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
    "fp8_e4m3", "binary8p3se" and their like, and roundings with the words rna, odd, up, down and sr, are NarrowFormats;
    fixed-point ones without a sign, that saturate or wrap, or round otherwise ("ufx18.16", "fx18.16:sat"), WordFormats.
    A dtype of NumPy or of ml_dtypes (or its scalar type) stands for the format of its values.

    Raises ValueError, one line that says what is wrong with the text and how to write it.
    """
    if isinstance(text, (Format, NarrowFormat, WordFormat)):
        return text
    if isinstance(text, (np.dtype, type)):
        try:
            text = np.dtype(text).name
        except TypeError:
            raise TypeError(f"a format is a text, as 's17e8', a mantissa.Format or a dtype, not the type {text!r}") from None
    if not isinstance(text, str):
        raise TypeError(f"a format is a text, as 's17e8', or a mantissa.Format, not {type(text).__name__}")
    return _parsed(text)
