"""Threads of the array operations. Results do not depend on them."""

from __future__ import annotations

import os
from typing import Optional

from ._arguments import whole

_threads = 1


def set_threads(count: int) -> None:
    """Threads that array operations may use, 0 for all cores. 1 at first. Small arrays take one thread whatever is set."""
    global _threads
    _threads = _checked(count)


def get_threads() -> int:
    """What set_threads() has set."""
    return _threads


def threads_of_call(count: Optional[int]) -> int:
    """What a call's threads= stands for: None for what is set, 0 for all cores."""
    chosen = _threads if count is None else _checked(count)
    return chosen if chosen != 0 else os.cpu_count() or 1


def _checked(count: int) -> int:
    return whole(count, "threads", 0, 1024, "; 0 is for all cores")
