"""Builds the wheel and installs it into a folder. usage: wheel.py SOURCE FOLDER COMPILER

Without scikit-build-core and nanobind (tests/requirements.txt) the exit code is 77, which CTest takes for skipped.
"""
import importlib.util
import os
import subprocess
import sys

SKIPPED = 77


def main():
    source, folder, compiler = sys.argv[1:]
    missing = [name for name in ("scikit_build_core", "nanobind", "numpy", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (tests/requirements.txt)")
        return SKIPPED
    # The compiler by the main build's name for it: so its cache knows the objects.
    environment = dict(os.environ, CXX=compiler)
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-build-isolation", "--no-deps",
               "--upgrade", "--target", folder, source]
    return subprocess.run(command, env=environment).returncode


sys.exit(main())
