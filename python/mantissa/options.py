"""Threads of the array operations. Results do not depend on them."""

from __future__ import annotations

_threads = 1


def set_threads(count: int) -> None:
    """Threads that array operations may use, 0 for all cores. 1 at first. Small arrays take one thread whatever is set."""
    global _threads
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= 1024:
        raise ValueError(f"threads {count!r}: give 1 to 1024, or 0 for all cores")
    _threads = count


def get_threads() -> int:
    """What set_threads() has set."""
    return _threads
