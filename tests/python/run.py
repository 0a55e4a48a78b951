"""One file of tests by pytest, or 77 where pytest or the package is missing. usage: run.py FILE"""
import importlib.util
import sys

missing = [name for name in ("pytest", "numpy", "mantissa") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {', '.join(missing)} not installed (tests/requirements.txt)")
    sys.exit(77)

import pytest

# No cache folder in the sources; reasons of skipped tests are told.
sys.exit(pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *sys.argv[1:]]))
