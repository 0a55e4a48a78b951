"""Rounding a million doubles, beside other packages, interleaved in one run.

Equal work is doubles in, doubles out. All peers round the same array into s17e8 to nearest even where they can; ml_dtypes
has no such format, so its cast is into bfloat16 and back, and stands beside ours into bfloat16 too. (It rounds twice, to
a float on the way: some numbers in a million come out as a neighbour. The run counts them.) Its cast alone writes 2 bytes per element where a double has 8; it is listed, beside ours into doubles and into floats, and
is no equal work. A copy of the array, which rounds nothing, is what memory allows. Who takes threads is measured with one
and with two, and compared with ours of as many.

Each round of the run calls every task twice, in a shuffled order, and times both calls: the first ("after others") finds the
caches and the allocator as another task left them, the second ("again") as it left them itself. Medians and best times
of both are kept. Who takes more than SLOW seconds is called in every twentieth round: it would fill the run, and the caches.
"""
import argparse
import json
import os
import platform
import random
import statistics
import time

import numpy as np

import mantissa as mt

SLOW = 0.02
OURS, OURS_TWO = "mantissa s17e8", "mantissa s17e8, two threads"
CAST, CAST_AND_BACK = "ml_dtypes bfloat16, cast alone", "ml_dtypes bfloat16 and back"


def mantissa_tasks(x):
    kept = np.zeros_like(x)
    return {"numpy copy": lambda: x.copy(), OURS + ", out=": lambda: mt.round(x, "s17e8", out=kept),
            OURS: lambda: mt.round(x, "s17e8"), "mantissa s17e8:rne": lambda: mt.round(x, "s17e8:rne"),
            "mantissa s17e8:rne:subnormals": lambda: mt.round(x, "s17e8:rne:subnormals"),
            "mantissa bfloat16": lambda: mt.round(x, "bfloat16"), OURS_TWO: lambda: threaded(x),
            OURS + " into float32": lambda: mt.round(x, "s17e8", dtype=np.float32)}


def threaded(x):
    mt.set_threads(2)
    rounded = mt.round(x, "s17e8")
    mt.set_threads(1)
    return rounded


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

    return {CAST_AND_BACK: lambda: x.astype(ml_dtypes.bfloat16).astype(np.float64),
            CAST: lambda: x.astype(ml_dtypes.bfloat16)}


def cpfloat_tasks(x, library):
    import ctypes

    call = ctypes.CDLL(library).round_s17e8
    call.restype = None

    def rounded(threads):
        out = np.empty_like(x)
        call(out.ctypes.data_as(ctypes.c_void_p), x.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(x.size),
             ctypes.c_int(threads))
        return out

    return {"CPFloat s17e8, nearest": lambda: rounded(1), "CPFloat s17e8, nearest, two threads": lambda: rounded(2)}


def same_as(tasks, x):
    """Who rounds to s17e8, to nearest even, has our bits; who goes to bfloat16 through float, ours rounded twice so."""
    mine = mt.round(x, "s17e8:rne:subnormals")
    same = {name: bool(np.array_equal(np.asarray(task()), mine)) for name, task in tasks.items() if "nearest" in name}
    if CAST_AND_BACK in tasks:
        theirs = tasks[CAST_AND_BACK]()
        same[CAST_AND_BACK + ", as rounded to float first"] = bool(
            np.array_equal(theirs, mt.round(mt.round(x, "float"), "bfloat16")))
        same[CAST_AND_BACK + ", elements not rounded once"] = int(np.sum(theirs != mt.round(x, "bfloat16")))
    return same


def timed(tasks, rounds):
    """{"after others": {task: seconds of each round}, "again": ...}"""
    times = {when: {name: [] for name in tasks} for when in ("after others", "again")}
    order, shuffle = list(tasks.items()), random.Random(0)
    for number in range(rounds):
        shuffle.shuffle(order)  # nobody is always after the one that empties the caches, or frees memory to use again
        for name, task in order:
            if number % 20 != 0 and times["again"][name][0] > SLOW:
                continue
            for when in times:
                start = time.perf_counter()
                task()
                times[when][name].append(time.perf_counter() - start)
    return times


def compared(ms):
    """How many times our time: of the fastest equal work with one thread and with two, and of the cast alone."""
    peers = [n for n in ms if not n.startswith(("mantissa", "numpy")) and n != CAST]
    found = {}
    for ours, threads in ((OURS, 1), (OURS_TWO, 2)):
        able = [n for n in peers if threads == 2 or "two threads" not in n]
        if able:
            fastest = min(able, key=ms.get)
            found[ours] = {"fastest_equal_work": fastest, "times_ours": ms[fastest] / ms[ours]}
    if CAST in ms:
        found["cast_alone_times_ours"] = {n: ms[CAST] / ms[n] for n in (OURS, OURS + ", out=", OURS + " into float32", OURS_TWO)}
        found["bfloat16_and_back_times_ours"] = ms[CAST_AND_BACK] / ms["mantissa bfloat16"]
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=201)
    parser.add_argument("--cpfloat", help="the shared library that cpfloat_round.c makes")
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    given = arguments()
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
    times = timed(tasks, given.rounds)
    figures = {f"{kind}, {when}": {name: 1e3 * of(t) for name, t in by_task.items()}
               for when, by_task in times.items() for kind, of in (("median", statistics.median), ("best", min))}
    result = {"elements": given.elements, "rounds": given.rounds, "numpy": np.__version__, "machine": platform.processor()
              or platform.machine(), "instruction_set": mt._core.instruction_set(), "cores": os.cpu_count(),
              "load_at_end": os.getloadavg()[0], "milliseconds": figures, "same_bits": equal, "absent": absent,
              "compared": {kind: compared(ms) for kind, ms in figures.items()}}
    print("  ".join(f"{kind:>20}" for kind in figures) + "   ms")
    for name in sorted(tasks, key=figures["median, again"].get):
        print("  ".join(f"{ms[name]:20.3f}" for ms in figures.values()) + "   " + name)
    for kind, found in result["compared"].items():
        print(f"\n{kind}:")
        for ours in (OURS, OURS_TWO):
            if ours in found:
                print(f"  {found[ours]['fastest_equal_work']} takes {found[ours]['times_ours']:.1f} times the time of {ours}")
        for name, ratio in found.get("cast_alone_times_ours", {}).items():
            print(f"  {CAST}: {ratio:.1f} times the time of {name}")
        if "bfloat16_and_back_times_ours" in found:
            print(f"  {CAST_AND_BACK}: {found['bfloat16_and_back_times_ours']:.1f} times the time of mantissa bfloat16")
    print(f"\nsame bits: {equal}; absent: {absent or 'none'}")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
