"""What the dataclasses of results share."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


def _same(a: Any, b: Any) -> bool:
    """Equal; a NaN is equal to a NaN, so that a result equals its copy."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=a is not None and b is not None)
    return bool(a == b or (a != a and b != b))


class Compared:
    """Equality of a dataclass whose fields may be arrays, for which the one that dataclass() makes raises. The class is
    declared with eq=False."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.compare)  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]
