"""The hardware: the RTL core clock by clock (Verilator), and its area and clock (yosys, nextpnr)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from . import _core
from ._arguments import format_text, given_beside, number, truth, whole, word
from ._options import SolveOptions
from .formats import FormatLike
from .solving import _ONE_COLUMN, ProblemLike, SolveResult, _problem, _require_one, _shows_keywords, _solve_result

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Simulation:
    """A solve on the RTL core, and what it cost."""

    solve: SolveResult
    cycles: int
    """Clocks that the core was busy."""
    passes: int
    cycles_per_pass: float
    stalled: int
    """Clocks on which the pipeline stood still."""
    bytes_read: int
    bytes_written: int
    clock_hz: float
    predicted_seconds: float
    """Of the core at that clock; the host's work is not counted."""


@dataclass(frozen=True)
class Synthesis:
    """What a mapped netlist holds, and its clock."""

    spec: str
    target: str
    multiplier: str
    part: str
    bands: str
    tool: str
    luts: int
    memory_luts: int
    flip_flops: int
    carries: int
    multipliers: int
    memory_bits: int
    memory_blocks: int
    """Memories of 18 Kbit."""
    io_bits: int
    slices: int
    """Estimated (xc2v, ecp5), or a lower bound (xc7; xcup: CLBs)."""
    depth: int
    clock_mhz: Optional[float]
    """None without registers (combinational=True), and so the next two."""
    clock_kind: Optional[str]
    """"modelled", or "measured" by place and route."""
    clock_from: Optional[str]


def simulate(problem: ProblemLike, spec: Optional[FormatLike] = None, *, clock_mhz: float = 100, bandwidth_gb: float = 0,
             latency_ns: float = 0, stall: float = 0, seed: int = 1, cores: int = 1,
             lanes: int = 1, **options: Unpack[SolveOptions]) -> Simulation:
    """A solve on the RTL core under Verilator, with a memory of this bandwidth (GB/s, 0: no limit) and latency. spec:
    "s17e8" where nothing is given.

    cores: that share a grid. lanes: of the core of cycles (preconditioner="multilevel"), a power of two; those of other
    cores stand in their spec, as "fx18.16,lanes=2". The other keywords are those of solve(). The first simulation of a
    datapath builds a model (half a minute or more), which is kept. Raises RuntimeError, one line, where Verilator or a
    compiler is missing or fails, ValueError for a datapath or a problem that the core has not.
    """
    asked = given_beside(options, spec=None if spec is None else format_text(spec), history=True, solution=True)
    system = _problem(problem)
    _require_one(system, _ONE_COLUMN)
    fields = _core.simulate(system._core, asked, number(clock_mhz, "clock_mhz"), number(bandwidth_gb, "bandwidth_gb"),
                            number(latency_ns, "latency_ns"), number(stall, "stall"), whole(seed, "seed", 0, 2 ** 64 - 1),
                            whole(cores, "cores", 1, 64), whole(lanes, "lanes", 1, 256))
    return Simulation(solve=_solve_result(fields.pop("solve")), **fields)


if not TYPE_CHECKING:
    simulate = _shows_keywords(simulate)


def synthesize(spec: FormatLike = "s17e8", target: str = "xc2v", *, multiplier: str = "block", part: str = "core",
               bands: Optional[str] = None, combinational: bool = False, place: int = 0,
               store: Optional["os.PathLike[str] | str"] = None) -> Synthesis:
    """Area and clock of the RTL core, or of an operator of it (`part`), on a device family: xc2v, xc7, xcup or ecp5.

    bands: "streamed" or "constant" coefficients; by default what the core has. place: so many seeds of place and route,
    for ecp5 only. Results are kept in `store`, by default in the user's cache, and a known one needs no run; yosys must be
    there all the same. Raises RuntimeError, one line, where yosys is missing or fails.
    """
    return Synthesis(**_core.synthesize(
        format_text(spec), word(target, "target"), word(multiplier, "multiplier"), word(part, "part"),
        "" if bands is None else word(bands, "bands"), truth(combinational, "combinational"),
        whole(place, "place", 0, 2 ** 31 - 1), str(store or "")))
