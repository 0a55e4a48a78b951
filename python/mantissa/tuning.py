"""Tuning: which formats of an algorithm cost least, where its error may not pass a limit.

    def error(formats): ...                                   # runs the algorithm in these formats
    best = mt.tune(error, {"tap": ["s7e8", "s10e8"], "sum": ["s10e8", "s13e8", "s16e8"]},
                   lambda f: 32 * (mt.area("mul", f["tap"], "xcup").luts + mt.area("add", f["sum"], "xcup").luts),
                   limit=1e-3)

The search is that of `mantissa tune` (docs/tune.md).
"""

from __future__ import annotations

import bisect
import json
import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence

from . import _core
from ._arguments import function, number, returned, shown, whole
from .formats import Format, format


@dataclass(frozen=True)
class Trial:
    """One setting of the formats that was evaluated."""

    formats: dict[str, Any]
    error: float
    """As evaluate() returned it, nan and inf included."""
    cost: float


@dataclass(frozen=True)
class Tuned:
    """What tune() found."""

    best: Trial
    """The trial of least cost whose error is within the limit."""
    trials: list[Trial]
    """All of them, in the order made."""
    space: int
    """How many settings there are."""
    open: int
    """Of those not evaluated, how many could still be cheaper, by the search's guess."""
    end: str
    """Why the search ended."""

    @property
    def front(self) -> list[Trial]:
        """Trials that no other beats in both error and cost, the cheapest first."""
        front: list[Trial] = []
        known = (t for t in self.trials if not math.isnan(t.error))
        for trial in sorted(known, key=lambda t: (t.cost, t.error)):
            if not front or trial.error < front[-1].error:
                front.append(trial)
        return front


def tune(evaluate: Callable[[dict[str, Any]], float], space: Mapping[str, Sequence[Any]],
         cost: Callable[[dict[str, Any]], float], *, limit: float, seed: int = 1, points: int = 60) -> Tuned:
    """The cheapest formats for an algorithm of one's own.

    `space` names what can be chosen and its values, each list from the coarsest to the finest (so that neighbours are
    alike); `evaluate(formats)` runs the algorithm with one value of each and returns its error, a number from 0 on
    (nan or inf: it failed); `cost(formats)` is what it costs, quickly worked out (inf: impossible). Returned is the
    cheapest setting with an error of at most `limit` among at most `points` that were evaluated. The same seed gives
    the same answer. Raises ValueError for an empty space, an error below 0 or where nothing within the limit was found.
    """
    if not isinstance(space, Mapping) or not space:
        raise ValueError("space: name at least one thing to choose, with a list of values")
    names = list(space)
    for name in names:  # (a text would be gone through letter by letter)
        if isinstance(space[name], (str, bytes)) or not isinstance(space[name], Iterable):
            raise ValueError(f"space: {name} is {shown(space[name])}; give a list of values")
    values = [list(space[name]) for name in names]
    for name, list_ in zip(names, values):
        if not list_:
            raise ValueError(f"space: {name} has no values")
    function(evaluate, "evaluate")
    function(cost, "cost")
    limit = number(limit, "limit")
    if not limit > 0 or not math.isfinite(limit):
        raise ValueError("limit: give an error above 0")
    seed, points = whole(seed, "seed", 0, 2 ** 64 - 1), whole(points, "points", 1, 2 ** 63 - 1)

    def formats_of(choice: Sequence[int]) -> dict[str, Any]:
        return {name: list_[i] for name, list_, i in zip(names, values, choice)}

    def cost_of(choice: Sequence[int]) -> float:
        return returned(cost(formats_of(choice)), "cost: its value")

    def error_of(choice: Sequence[int]) -> float:
        error = returned(evaluate(formats_of(choice)), "evaluate: its error")
        if error < 0:  # any limit would hold for it
            raise ValueError(f"evaluate: its error {error:g}: give a number from 0 on, as the magnitude of a difference")
        return error

    found = _core.search([len(v) for v in values], cost_of, error_of, limit, seed, points)
    trials = [Trial(formats_of(c), error, cost_of(c)) for c, error in found["tried"]]
    if not trials:
        raise ValueError("cost: that of every setting is inf or nan, so none is possible; give finite ones")
    if found["best"] is None:
        least = min((t.error for t in trials if not math.isnan(t.error)), default=math.inf)
        raise ValueError(f"limit: no setting of {len(trials)} has an error of at most {limit:g}, the least was "
                         f"{least:g}; give finer formats, or raise the limit")
    best = next(t for t, (choice, _) in zip(trials, found["tried"]) if choice == found["best"])
    return Tuned(best, trials, math.prod(len(v) for v in values), found["open"], found["end"])


@dataclass(frozen=True)
class Area:
    """What an operator takes, mapped by yosys."""

    luts: float
    """LUTs, those that serve as memory among them."""
    flip_flops: float
    multipliers: float
    """Hard multipliers."""
    slices: float
    """Estimated (xc2v), or a lower bound (xcup: CLBs)."""
    clock_mhz: float
    """By the model of docs/synthesis.md."""
    exact: bool
    """True: the netlist of this format; False: on the line between those of its neighbours."""


@lru_cache(maxsize=1)
def _operators() -> dict[tuple[str, str], list[tuple[int, dict[str, Any]]]]:
    table = json.loads((Path(__file__).parent / "operators.json").read_text(encoding="utf-8"))
    rows: dict[tuple[str, str], list[tuple[int, dict[str, Any]]]] = {}
    for row in table["operators"]:
        known = format(row["format"])
        rows.setdefault((row["operator"], row["target"]), []).append((known.fraction_bits, row))
    for row_list in rows.values():
        row_list.sort(key=lambda r: r[0])
    return rows


def area(operator: str, fmt: str | Format, target: str = "xcup") -> Area:
    """What an adder ("add") or a multiplier ("mul") of a floating format takes on a device family (xcup, xc2v).

    From netlists that the package ships, of formats with 8 exponent bits; formats between these are on the line between
    their neighbours. No tool runs. Raises ValueError for what the table has not.
    """
    table = _operators()
    rows = table.get((operator, target))
    if rows is None:
        raise ValueError(f"area: no netlists of '{operator}' on '{target}'; there are " +
                         ", ".join(f"{o} on {t}" for o, t in sorted(table)))
    known = format(fmt) if isinstance(fmt, str) else fmt
    if not isinstance(known, Format) or getattr(known, "word_bits", False) or known.exponent_bits != 8:
        raise ValueError(f"area: the netlists are of floating formats with 8 exponent bits, and not of {fmt}")
    bits = known.fraction_bits
    if not rows[0][0] <= bits <= rows[-1][0]:
        raise ValueError(f"area: the netlists are of {rows[0][0]} to {rows[-1][0]} fraction bits, and {fmt} has {bits}")
    at = bisect.bisect_left([r[0] for r in rows], bits)
    above = rows[at]
    below = above if above[0] == bits else rows[at - 1]
    share = 0.0 if above is below else (bits - below[0]) / (above[0] - below[0])

    def between(field: str) -> float:
        return float(below[1][field] + share * (above[1][field] - below[1][field]))

    return Area(between("luts") + between("memory_luts"), between("flip_flops"), between("multipliers"),
                between("slices"), between("clock_mhz"), above is below)
