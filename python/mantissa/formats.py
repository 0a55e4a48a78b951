"""Formats by their texts."""

from __future__ import annotations

from functools import lru_cache
from typing import Union

from ._core import Format

FormatLike = Union[str, Format]


@lru_cache(maxsize=256)
def _parsed(text: str) -> Format:
    return Format(text)


def format(text: FormatLike) -> Format:
    """The format of a text, as "s17e8", "s10e5:rne:subnormals", "fx18.16" or "bfloat16"; a Format is passed through.

    Raises ValueError, one line that says what is wrong with the text and how to write it.
    """
    if isinstance(text, Format):
        return text
    if not isinstance(text, str):
        raise TypeError(f"a format is a text, as 's17e8', or a mantissa.Format, not {type(text).__name__}")
    return _parsed(text)
