"""Solves: mixed-precision refinement of conjugate gradients in any datapath, and advice on which bits a matrix asks for."""

from __future__ import annotations

import inspect
import os
import sys
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arguments import doubles, format_text, function, given_beside, number, truth, whole, word
from ._options import DEFAULTS, SolveOptions
from ._results import Compared
from .formats import FormatLike
from .options import threads_of_call
from .problems import Problem, on_file, problem as make_problem

if TYPE_CHECKING:
    from typing_extensions import Unpack

ProblemLike = Union[str, Problem]
_T = TypeVar("_T")
#: Called with inner iterations, outer iterations and the relative defect; to return False ends the solve.
ProgressFunction = Callable[[int, int, float], Optional[bool]]
Progress = Union[ProgressFunction, bool, None]


@dataclass(frozen=True, eq=False)
class History(Compared):
    """Three columns, a row for the start and for each outer step."""

    inner_iterations: NDArray[np.int64]
    outer_iterations: NDArray[np.int64]
    relative_defect: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.relative_defect)


@dataclass(frozen=True, eq=False)
class SolveResult(Compared):
    """What came of a solve."""

    problem: str
    spec: str
    """The datapath, in its full text."""
    scheme: str
    engine: str
    status: str
    """"converged", "diverged", "stagnated", "breakdown" or "iteration limit": decided by true_residual, with
    stop="energy=..." by energy_bounds."""
    detail: str
    """One line, why, where it did not converge."""
    inner_iterations: int
    outer_iterations: int
    true_residual: float
    """||b - A u|| / ||b|| in double precision, formed anew from u."""
    error: Optional[float]
    """Root mean square against the continuous solution, where it is known."""
    energy_error: Optional[float]
    """With stop="energy=...": ||u - x*|| / ||x*|| in the A-norm, estimated."""
    energy_bounds: Optional[tuple[float, float]]
    """It lies between these, but for rounding and for a smallest eigenvalue that is estimated."""
    error_bound: Optional[float]
    """With bound=True: no element of u - x* is larger, for sure; None where there is no bound."""
    relative_error_bound: Optional[float]
    """The same over the largest element of x*."""
    bound_method: Optional[str]
    """"M-matrix", "Cholesky", "doubled Cholesky", or "none: " and why."""
    sigma_guards: int
    overflows: int
    equation_scale: float
    bits_multiplied: float
    """Partial products of all multiplications: bits of one factor times bits of the other."""
    bits_added: float
    longest_words: tuple[int, int, int, int]
    """Bits that the longest words of u, r, p and q took; 0 for floating vectors."""
    cycles: Optional[int]
    """Clocks, of engines that have them."""
    plan: Optional[str]
    """Of a native solve: where its vectors and its matrix were."""
    plan_reason: Optional[str]
    levels: Optional[str]
    """Of a multilevel cycle: how many, of what, how large."""
    set_up_seconds: Optional[float]
    """What making them took, a part of `seconds`."""
    device_seconds: Optional[float]
    """Of a native solve, or of cycles on a device: the device's, transfers not included."""
    seconds: float
    history: History
    solution: Optional[NDArray[np.float64]]

    @property
    def converged(self) -> bool:
        return self.status == "converged"


@dataclass(frozen=True)
class Widths:
    """A datapath that a matrix asks for, and the bits that it is made of."""

    spec: str
    scheme: str
    inner: int
    jacobi: bool
    tolerance: float
    headroom: Optional[int]
    max_iterations: int
    """0: as many as a solve takes by itself."""
    tried_iterations: Optional[int]
    """Of the trial solve with these words that converged; None where time for trials was up before."""
    coefficient_bits: int
    coefficient_word: int
    vector_bits: int
    product_bits: int
    integer_bits: int
    iterate_bits: int
    operand_bits: int
    exact_rows: bool
    command: str
    """The `mantissa solve` that runs it; of a matrix in memory, a line that says why no command can."""

    @property
    def solve_options(self) -> dict[str, Any]:
        """All that mantissa.solve() needs beside the problem, Jacobi scaling included: solve(problem, **solve_options)."""
        return {"spec": self.spec, "scheme": self.scheme, "inner": self.inner, "jacobi": self.jacobi,
                "tolerance": self.tolerance, "headroom": self.headroom, "max_iterations": self.max_iterations}


@dataclass(frozen=True)
class Hardware:
    """What the advised datapath takes on a device, as `mantissa compare` has it."""

    device: str
    target: str
    """The family that it is synthesised for, as "xc7"."""
    rows: list[dict[str, Any]]
    """A row for each arrangement, fewest cores or lanes first, with the names of compare's JSON (docs/compare.md)."""
    missing: list[str]
    """A sentence for each figure that could not be had, with the reason."""
    comparison: str
    """The comparison file that gives the same figures; of a matrix in memory, a line that says why there is none."""


@dataclass(frozen=True)
class Advice:
    """Which bits a matrix asks for; docs/advise.md explains the rule."""

    unknowns: int
    smallest_eigenvalue: float
    """Of the matrix scaled to a unit diagonal, by Lanczos."""
    largest_eigenvalue: float
    settled: bool
    double_reached: bool
    double_iterations: int
    floor: float
    advised: Optional[Widths]
    """Few more iterations than double precision."""
    fewest: Optional[Widths]
    """The fewest bits that should converge."""
    cycles: Optional[str]
    """A preconditioner, multilevel cycles in words, where it is far faster than CG in double precision; see
    advise_cycles()."""
    why_not: str
    text: str
    """All of it in sentences."""
    hardware: Optional[Hardware]
    """On the device that was asked for; None where none was, or where nothing is advised."""
    _problem: Problem = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text

    def solve(self, *, engine: str = "emulated", **changes: Any) -> SolveResult:
        """Runs the advised solve. changes: other keywords of mantissa.solve(), or other values of the advised ones.

        Raises ValueError, with the reason, where nothing is advised."""
        if self.advised is None:
            raise ValueError(f"advise: no datapath to solve with: {self.why_not}")
        return solve(self._problem, engine=engine, **{**self.advised.solve_options, **changes})


@dataclass(frozen=True)
class CycleAdvice:
    """Which multilevel cycle a matrix asks for; docs/advise.md explains the rule."""

    levels: list[int]
    """Unknowns of each, in double precision; none where no hierarchy suits the matrix."""
    double_iterations: Optional[int]
    """Of the cycle of the same shape in double precision; None where none converges."""
    jacobi_iterations: int
    """Of CG in double precision on the matrix scaled to a unit diagonal."""
    jacobi_reached: bool
    cycle: Optional[str]
    """The shortest words, as "v11,w=8,f=9"; None where no cycle is advised."""
    iterations: Optional[int]
    """That a solve with it took."""
    products: Optional[float]
    """... its work in products with the matrix, of which CG takes one an iteration."""
    within: bool
    """At most 1.25 times double_iterations."""
    pays: bool
    """Less work than CG."""
    why_not: str
    text: str
    """All of it in sentences."""
    _problem: Problem = field(repr=False, compare=False)
    _tolerance: float = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text

    @property
    def solve_options(self) -> dict[str, Any]:
        """Keywords of mantissa.solve(). Raises ValueError, with the reason, where no cycle is advised."""
        if self.cycle is None:
            raise ValueError(f"advise_cycles: no cycle to solve with: {self.why_not}")
        return {"preconditioner": f"multilevel:{self.cycle}", "tolerance": self._tolerance}

    def solve(self, **changes: Any) -> SolveResult:
        """Runs the advised solve. changes: other keywords of mantissa.solve(), or other values of the advised ones."""
        return solve(self._problem, **{**self.solve_options, **changes})


#: No command has a matrix that lives in this process.
_IN_MEMORY = ("no command: this matrix is in memory, where no mantissa solve finds it; "
              "mantissa.solve(problem, **advice.{}.solve_options), or write it to a .mtx file")


#: What mends it where one right-hand side is taken.
_ONE_COLUMN = "give a problem with one, as problem(matrix, b[:, 0])"


def _problem(what: ProblemLike) -> Problem:
    return what if isinstance(what, Problem) else make_problem(what)


def _require_one(system: Problem, mend: str) -> None:
    if system.right_hand_sides != 1:
        raise ValueError(f"problem: it has {system.right_hand_sides} right-hand sides; {mend}")


def _solve_result(fields: dict[str, Any]) -> SolveResult:
    columns = list(zip(*fields.pop("history"))) or [(), (), ()]
    history = History(np.array(columns[0], np.int64), np.array(columns[1], np.int64), np.array(columns[2], np.float64))
    return SolveResult(history=history, **fields)


def _shows_keywords(function: Callable[..., _T]) -> Callable[..., _T]:
    """Gives the function a signature in which its **options are spelt out."""
    own = inspect.signature(function)
    shown = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
    shown += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS[name],
                                annotation=annotation.__forward_arg__)
              for name, annotation in SolveOptions.__annotations__.items()]
    function.__signature__ = own.replace(parameters=shown)  # type: ignore[attr-defined]
    return function


def solve(problem: ProblemLike, spec: Optional[FormatLike] = None, *, engine: str = "emulated", threads: Optional[int] = None,
          solution: bool = True, guess: Optional[ArrayLike] = None, progress: Progress = None,
          callback: Optional[ProgressFunction] = None, **options: Unpack[SolveOptions]) -> SolveResult:
    """Solves a system from u = 0: the inner solver in the datapath `spec`, the outer loop in double precision.

    With engine="gpu" and nothing of a datapath the solve goes the fastest way to double accuracy that the program has
    there: by multilevel cycles, or where they do not pay by CG; `scheme` of the result says which. With spec="double" or
    "float" alone it is native: CG preconditioned by the diagonal, by the plan that the system's size asks for (or `plan`,
    as "sparse-stream").

    problem: a Problem, or its text. spec: a format, as "s17e8" (where nothing is given) or "fx18.16", or a full datapath,
    as "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]". The other keywords are the options of `mantissa solve`, in
    docs/options.md; None stands for the default. (Of a matrix file and nothing of a datapath the command takes CG in
    double, as scheme="jacobi-pcg" does here.) guess: where to begin in place of zero, an array of as many numbers as
    unknowns. Options take numbers of NumPy, too, and a dtype where they take a format.

    callback(inner iterations, outer iterations, relative defect) is called for each outer step: for each row of the
    result's history after its first, as it comes. A solve without outer steps calls it every so often, with the residual
    of its recurrence: direct, pipelined, gmres and the other recurrences after some dozens of iterations, jacobi-pcg after
    each, native ones when the device is looked at. progress takes the same, ten times a second at most, also within an
    outer step (the defect is 0 there: none is formed). Either ends the solve by returning False, where it is not done at
    that moment. progress=True shows a line on standard error that changes as the solve goes on.

    ^C ends it with KeyboardInterrupt. Raises ValueError, one line, for a request that cannot be carried out. A solve that
    does not converge is a result, no exception: look at status.
    """
    system = _problem(problem)
    _require_one(system, "solve_all() takes them")
    return solve_all(system, spec, engine=engine, threads=threads, solution=solution, guess=guess, progress=progress,
                     callback=callback, **options)[0]


def solve_all(problem: ProblemLike, spec: Optional[FormatLike] = None, *, engine: str = "emulated", threads: Optional[int] = None,
              solution: bool = True, guess: Optional[ArrayLike] = None, progress: Progress = None,
              callback: Optional[ProgressFunction] = None, **options: Unpack[SolveOptions]) -> list[SolveResult]:
    """solve() for each of a problem's right-hand sides (problem(matrix, b) with b of shape (unknowns, count), or
    "mtx:FILE,rhs=file:PATH" with columns): a result each. guess: that of all, or of shape (unknowns, count) a column for
    each."""
    asked = given_beside(options, spec=None if spec is None else format_text(spec), threads=threads_of_call(threads),
                         history=True, solution=truth(solution, "solution"))
    system = _problem(problem)
    begin = None if guess is None else _columns(guess, system)
    shown = _show if progress is True else function(progress, "progress") if progress else None
    asked_for = None if callback is None else function(callback, "callback")
    solved = _core.solve(system._core, word(engine, "engine"), asked, begin, shown, asked_for)
    results = [_solve_result(r) for r in solved]
    if progress is True:
        print(file=sys.stderr)
    return results


def _columns(guess: ArrayLike, system: Problem) -> NDArray[np.float64]:
    """Where to begin, one column after the other."""
    begin = doubles(guess, "guess")
    n, count = system.unknowns, system.right_hand_sides
    if begin.shape not in ((n,), (n, 1), (n, count)):
        several = f" or ({n}, {count})" if count > 1 else ""
        raise ValueError(f"guess: an array of shape {begin.shape} beside {n} unknowns; give ({n},){several}")
    return np.ascontiguousarray(begin.reshape(-1, order="F"))


def _show(inner: int, outer: int, defect: float) -> None:
    reached = f", relative defect {defect:.1e}" if defect > 0 else ""
    print(f"\r{inner} inner, {outer} outer iterations{reached:28}", end="", file=sys.stderr, flush=True)


if not TYPE_CHECKING:
    solve = _shows_keywords(solve)
    solve_all = _shows_keywords(solve_all)


def advise(problem: ProblemLike, *, tolerance: float = 1e-10, inner: int = 10, threads: Optional[int] = None,
           engine: Union[str, Sequence[str], None] = None, device: Union[str, os.PathLike[str], None] = None,
           store: Union[str, os.PathLike[str], None] = None) -> Advice:
    """Measures a matrix and derives the widths that it asks for. Some matrices have none: then why_not says why.

    engine: the engine that the datapath shall run on, or several; a datapath that one of them refuses is not advised.
    device: a name in experiments/devices ("alveo-u280") or a path of a .toml file: Advice.hardware has area, clock,
    memory and time of the advised datapath there. It wants yosys where the area is not kept yet, and takes minutes then.
    store: a results file that keeps what the device's part computes.

    Raises ValueError, one line, for an engine or a device that is none.
    """
    system = _problem(problem)
    _require_one(system, _ONE_COLUMN)
    names = engine if engine is None or isinstance(engine, str) else ",".join(word(e, "engine") for e in engine)

    def advice_on(given: Problem) -> dict[str, Any]:
        return _core.advise(given._core, number(tolerance, "tolerance"), whole(inner, "inner", 1, 2 ** 64 - 1),
                            threads_of_call(threads), names or "", "" if device is None else os.fspath(device),
                            "" if store is None else os.fspath(store))

    file = ""
    if device is not None and system._text is None:  # the model of a device takes a system by its text
        with tempfile.TemporaryDirectory() as folder:
            filed = on_file(system, folder)
            file, fields = filed.name, advice_on(filed)
    else:
        fields = advice_on(system)
    if (command := fields.pop("cycles_command")) is not None and system._text is None:
        fields["text"] = fields["text"].replace(command, f"mantissa.solve(problem, preconditioner={fields['cycles']!r})")
    for name in ("advised", "fewest"):
        if fields[name] is None:
            continue
        if system._text is None:
            instead = _IN_MEMORY.format(name)
            fields["text"] = fields["text"].replace(fields[name]["command"], instead)
            fields[name]["command"] = instead
        fields[name] = Widths(**fields[name])
    if file:
        _name_again(fields, file, system.name)
    if fields["hardware"] is not None:
        fields["hardware"] = Hardware(**fields["hardware"])
    return Advice(_problem=system, **fields)


def _name_again(fields: dict[str, Any], file: str, name: str) -> None:
    """What was found of the file of a matrix in memory, which is gone, as that of the matrix."""
    fields["text"] = fields["text"].replace(file, name)
    if (hardware := fields["hardware"]) is None:
        return
    hardware["rows"] = [{key: name if value == file else value for key, value in row.items()} for row in hardware["rows"]]
    hardware["missing"] = [line.replace(file, name) for line in hardware["missing"]]
    hardware["comparison"] = ("no comparison file: this matrix is in memory, where no mantissa compare finds it; write it to "
                              "a .mtx file")


def advise_cycles(problem: ProblemLike, cycle: str = "v11,w=10", *, tolerance: float = 1e-10,
                  threads: Optional[int] = None) -> CycleAdvice:
    """The shortest words of a multilevel cycle with which a solve takes at most 1.25 times the iterations of the same
    cycle in double precision, found by trial solves. Where cycles do not work why_not says why.

    cycle: its shape, as "v22" or "b2"; of the usual "v11,w=10" v22 is tried too.

    Raises ValueError, one line, for a cycle that is none and for a matrix that is not symmetric.
    """
    system = _problem(problem)
    _require_one(system, _ONE_COLUMN)
    tolerance = number(tolerance, "tolerance")
    found = _core.advise_cycles(system._core, word(cycle, "cycle"), tolerance, threads_of_call(threads))
    advised = found.get("advised") or {}
    text = found["text"]
    for command in (advised.get("command"), found["jacobi"]["command"]):
        if command is not None and system._text is None:
            text = text.replace(command, "no command: this matrix is in memory")
    same = [t for t in found["in_double"] if t["converged"] and t["cycle"][:3] == (advised.get("cycle") or "")[:3]]
    return CycleAdvice(levels=found["levels"]["unknowns"], double_iterations=same[0]["iterations"] if same else None,
                       jacobi_iterations=found["jacobi"]["iterations"], jacobi_reached=found["jacobi"]["reached"],
                       cycle=advised.get("cycle"), iterations=advised.get("iterations"),
                       products=advised.get("products"), within=found.get("within", False),
                       pays=found.get("pays", False), why_not=found.get("why_not", ""), text=text, _problem=system,
                       _tolerance=tolerance)


def engines() -> dict[str, str]:
    """Engines by name, each with its description, or with the reason why it is not here."""
    return {name: missing or description for name, description, missing in _core.engines()}


def spec(text: str) -> str:
    """The full, canonical text of a datapath. Raises ValueError for one that no engine can mean."""
    return _core.parse_spec(format_text(text))
