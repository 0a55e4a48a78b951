"""mypy --strict over the package and over what its users write. usage: check_types.py PACKAGE USE

Without mypy or NumPy (tests/requirements.txt) the exit code is 77, which CTest takes for skipped.
"""
import importlib.util
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    package, use = sys.argv[1:]
    missing = [name for name in ("mypy", "numpy", "typing_extensions") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tests/requirements.txt)")
        return SKIPPED
    for name in ("py.typed", "_core.pyi"):
        if not os.path.exists(os.path.join(package, name)):
            print(f"{package}: {name} is missing, without which checkers of types do not look at the package")
            return 1
    environment = dict(os.environ, MYPYPATH=os.path.dirname(package))
    with tempfile.TemporaryDirectory(prefix="mantissa_types_") as cache:
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, package, use],
                              env=environment).returncode


sys.exit(main())
