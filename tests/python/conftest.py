"""What the Python tests share. MANTISSA_REFERENCE names the program of reference.cpp."""
import os
import subprocess

import numpy as np
import pytest

import mantissa as mt


@pytest.fixture(autouse=True)
def one_thread():
    mt.set_threads(1)
    yield
    mt.set_threads(1)


@pytest.fixture(scope="session")
def reference():
    """reference(format, operation, a, b, c): the definition's results in C++."""
    program = os.environ.get("MANTISSA_REFERENCE")
    if not program:
        pytest.skip("MANTISSA_REFERENCE does not name the reference program: run these tests by CTest")

    def run(fmt, operation, a, b, c):
        given = b"".join(np.ascontiguousarray(x, np.float64).tobytes() for x in (a, b, c))
        done = subprocess.run([program, fmt, operation, str(len(a))], input=given, stdout=subprocess.PIPE, check=True)
        return np.frombuffer(done.stdout)

    return run


def same_bits(x, y):
    """Equal to the bit, but for which NaN a NaN is."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return bool(np.all((x.view(np.int64) == y.view(np.int64)) | (np.isnan(x) & np.isnan(y))))
