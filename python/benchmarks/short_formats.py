"""Rounding a million doubles into short formats beside ml_dtypes' casts of the same numbers, interleaved in one run.

Each round calls every task once, in a shuffled order. Best times are printed: of the casts, and of a format in each
rounding as a multiple of the cast to bfloat16, ml_dtypes' fastest. A cast writes an eighth or a quarter of the bytes that
ours writes. MANTISSA_ISA=avx2 in the environment shows what a processor without AVX-512 does.
"""
import argparse
import random
import time

import ml_dtypes
import numpy as np

import mantissa as mt

CASTS = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float4_e2m1fn")
FORMATS = ("bfloat16", "half", "s7e8:flush", "s10e5:flush", "s6e9:flush", "s12e3:subnormals", "s4e11:subnormals",
           "s4e11:flush", "fp8_e4m3", "fp8_e5m2", "fp8_e4m3fnuz", "fp8_e4m3b11fnuz", "fp6_e2m3", "fp4_e2m1", "e8m0",
           "binary8p3se", "binary8p3sf", "binary8p4uf", "binary16p11se", "binary16p8uf", "binary11p1se", "fp8_e4m3:satfinite",
           "half:sat")
ROUNDINGS = ("rne", "rz", "rna", "odd", "up", "down", "sr")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=21)
    given = parser.parse_args()
    x = np.random.default_rng(0).standard_normal(given.elements)
    tasks = {"copy": x.copy}
    for name in CASTS:
        tasks[name] = lambda dtype=getattr(ml_dtypes, name): x.astype(dtype)
    for name in FORMATS:
        for rounding in ROUNDINGS:
            seed = 1 if rounding == "sr" else None
            tasks[name, rounding] = lambda fmt=f"{name}:{rounding}", seed=seed: mt.round(x, fmt, seed=seed)
    best, order = dict.fromkeys(tasks, float("inf")), list(tasks)
    for _ in range(given.rounds):
        random.shuffle(order)
        for name in order:
            start = time.perf_counter()
            tasks[name]()
            best[name] = min(best[name], time.perf_counter() - start)
    cast = best["bfloat16"]
    print(f"instruction set {mt._core.instruction_set()}, {given.elements} doubles, best of {given.rounds}")
    for name in ("copy", *CASTS):
        print(f"{1e3 * best[name]:8.3f} ms   {'NumPy' if name == 'copy' else 'ml_dtypes'} {name}")
    print("\nours / the cast to bfloat16")
    print(" " * 20 + "".join(f"{rounding:>7}" for rounding in ROUNDINGS))
    for name in FORMATS:
        print(f"{name:20}" + "".join(f"{best[name, rounding] / cast:7.2f}" for rounding in ROUNDINGS))
    ours = {key: taken for key, taken in best.items() if isinstance(key, tuple)}
    slowest = max(ours, key=ours.__getitem__)
    print(f"slowest: {':'.join(slowest)}, {1e9 * ours[slowest] / given.elements:.2f} ns an element, "
          f"{ours[slowest] / cast:.2f} of the cast")
    print(f"slower than the cast: {sum(taken > cast for taken in ours.values())} of {len(ours)}")


if __name__ == "__main__":
    main()
