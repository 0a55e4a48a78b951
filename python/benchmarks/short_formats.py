"""Rounding a million doubles into short formats beside ml_dtypes' casts of the same numbers, interleaved in one run.

Each round calls every task once, in a shuffled order; best times and medians are printed. A cast writes an eighth or a
quarter of the bytes that ours writes.
"""
import argparse
import random
import statistics
import time

import ml_dtypes
import numpy as np

import mantissa as mt

CASTS = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float4_e2m1fn")
OURS = (*CASTS, "half", "s10e5", "s7e8:rne", "s6e9", "s10e5:rna:subnormals", "s10e5:up:subnormals", "s10e5:odd:subnormals",
        "s7e8:sr", "binary8p3se", "binary8p4uf", "binary16p11se", "binary16p8uf")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=41)
    given = parser.parse_args()
    x = np.random.default_rng(0).standard_normal(given.elements)
    tasks = {"numpy copy": x.copy}
    for name in CASTS:
        tasks[f"ml_dtypes {name}"] = lambda dtype=getattr(ml_dtypes, name): x.astype(dtype)
    for name in OURS:
        seed = 1 if name.endswith(":sr") else None
        tasks[f"mantissa {name}"] = lambda name=name, seed=seed: mt.round(x, name, seed=seed)
    times, order = {name: [] for name in tasks}, list(tasks)
    for _ in range(given.rounds):
        random.shuffle(order)
        for name in order:
            start = time.perf_counter()
            tasks[name]()
            times[name].append(1e3 * (time.perf_counter() - start))
    print(f"instruction set {mt._core.instruction_set()}; best and median, ms")
    for name, taken in times.items():
        print(f"{min(taken):8.3f} {statistics.median(taken):8.3f}   {name}")


if __name__ == "__main__":
    main()
