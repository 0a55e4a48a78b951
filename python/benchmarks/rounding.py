"""Rounding a million doubles, beside other packages, interleaved in one run.

All peers round the same array of doubles into a new array of doubles, into s17e8 to nearest even where they can; ml_dtypes
has no such format, so its cast is into bfloat16 and back. Its cast alone writes 2 bytes per element where a number of
s17e8 needs 4 and an array of doubles has 8; it stands beside ours into doubles and into floats. A copy of the array,
which rounds nothing, is what memory allows. Each round of the run times every one once; medians and best times are kept.
"""
import argparse
import json
import platform
import random
import statistics
import time

import numpy as np

import mantissa as mt


def mantissa_tasks(x):
    kept = np.zeros_like(x)
    return {"numpy copy": lambda: x.copy(), "mantissa s17e8, out=": lambda: mt.round(x, "s17e8", out=kept),
            "mantissa s17e8": lambda: mt.round(x, "s17e8"), "mantissa s17e8:rne": lambda: mt.round(x, "s17e8:rne"),
            "mantissa s17e8:rne:subnormals": lambda: mt.round(x, "s17e8:rne:subnormals"),
            "mantissa s17e8, two threads": lambda: threaded(x), "mantissa s17e8 into float32": lambda: mt.round(x, "s17e8", dtype=np.float32)}


def threaded(x):
    mt.set_threads(2)
    mt.round(x, "s17e8")
    mt.set_threads(1)


def pychop_tasks(x):
    import pychop
    from pychop import Chop

    try:
        pychop.backend("numpy")
    except Exception as fault:  # an older interface
        print("pychop.backend:", fault)
    # t counts the hidden bit; its maximum exponent is 2^(8-1) - 1.
    chop = Chop(exp_bits=8, sig_bits=17, rmode=1, subnormal=True)
    toward_zero = Chop(exp_bits=8, sig_bits=17, rmode=4, subnormal=False)
    return {"pychop s17e8, nearest": lambda: chop(x), "pychop s17e8, toward zero": lambda: toward_zero(x)}


def gfloat_tasks(x):
    from gfloat import Domain, FormatInfo, RoundMode, round_ndarray

    fmt = FormatInfo("s17e8", k=26, precision=18, bias=127, is_signed=True, domain=Domain.Extended, has_nz=True,
                     num_high_nans=2 ** 17 - 1, has_subnormals=True, is_twos_complement=False)
    return {"gfloat s17e8, nearest": lambda: round_ndarray(fmt, x, RoundMode.TiesToEven)}


def ml_dtypes_tasks(x):
    import ml_dtypes

    return {"ml_dtypes bfloat16 and back": lambda: x.astype(ml_dtypes.bfloat16).astype(np.float64),
            "ml_dtypes bfloat16, cast alone": lambda: x.astype(ml_dtypes.bfloat16)}


def cpfloat_tasks(x, library):
    import ctypes

    call = ctypes.CDLL(library).round_s17e8
    call.restype = None

    def run():
        out = np.empty_like(x)
        call(out.ctypes.data_as(ctypes.c_void_p), x.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(x.size))
        return out

    return {"CPFloat s17e8, nearest": run}


def same_as(tasks, x):
    """Who rounds to s17e8 to nearest even has the same bits as mantissa."""
    mine = mt.round(x, "s17e8:rne:subnormals")
    return {name: bool(np.array_equal(np.asarray(task()), mine)) for name, task in tasks.items() if "nearest" in name}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--cpfloat", help="a shared library over CPFloat with the function round_s17e8(double *out, const double *in, "
                        "size_t n)")
    parser.add_argument("--json")
    given = parser.parse_args()
    x = np.random.default_rng(0).standard_normal(given.elements)
    tasks, absent = mantissa_tasks(x), {}
    for name, make in (("pychop", pychop_tasks), ("gfloat", gfloat_tasks), ("ml_dtypes", ml_dtypes_tasks)):
        try:
            tasks |= make(x)
        except ImportError as missing:
            absent[name] = str(missing)
    if given.cpfloat:
        tasks |= cpfloat_tasks(x, given.cpfloat)
    else:
        absent["CPFloat"] = "no --cpfloat"
    equal = same_as(tasks, x)
    times = {name: [] for name in tasks}
    order, shuffle = list(tasks.items()), random.Random(0)
    for _ in range(given.rounds):
        shuffle.shuffle(order)  # nobody is always behind the one that empties the caches, or frees memory to use again
        for name, task in order:
            start = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - start)
    medians = {name: 1e3 * statistics.median(t) for name, t in times.items()}
    best = {name: 1e3 * min(t) for name, t in times.items()}
    peers = {n: m for n, m in medians.items() if not n.startswith(("mantissa", "numpy")) and "alone" not in n}
    fastest = min(peers, key=peers.get) if peers else None
    cast = "ml_dtypes bfloat16, cast alone"
    # How many times our time: of the bare cast, by what ours writes.
    beside_cast = {f"{kind}, {name}": t[cast] / t[f"mantissa s17e8{name}"] for kind, t in (("median", medians), ("best", best))
                   for name in ("", ", out=", " into float32") if cast in t}
    result = {"elements": given.elements, "rounds": given.rounds, "numpy": np.__version__, "machine": platform.processor()
              or platform.machine(), "instruction_set": mt._core.instruction_set(), "median_ms": medians, "best_ms": best,
              "same_bits": equal, "absent": absent, "fastest_peer": fastest,
              "ratio": peers[fastest] / medians["mantissa s17e8"] if fastest else None,
              "ratio_of_best": min(best[n] for n in peers) / best["mantissa s17e8"] if fastest else None,
              "cast_alone_over_ours": beside_cast}
    for name, ms in sorted(medians.items(), key=lambda item: item[1]):
        print(f"{ms:9.3f} ms   (best {best[name]:8.3f})   {name}")
    print(f"fastest peer: {fastest}, {result['ratio']:.1f} times mantissa's time (medians); best times: "
          f"{result['ratio_of_best']:.1f}" if fastest else "no peer is installed")
    for name, ratio in beside_cast.items():
        print(f"ml_dtypes' cast alone: {ratio:.1f} times the time of mantissa s17e8 ({name.rstrip(', ')})")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
