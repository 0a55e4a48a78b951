"""Keywords of solve(), simulate() and solve_dense(). Made by `mantissa help keywords`; a test holds this file to it.

docs/options.md explains them.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, TypedDict, Union

from .formats import FormatLike


class SolveOptions(TypedDict, total=False):
    """Options of a solve beside its problem and datapath. None stands for the default."""

    scheme: Optional[str]
    recurrence: Optional[str]
    outer_loop: Optional[str]
    inner: Optional[int]
    digits: Optional[float]
    directions: Optional[int]
    bounds: Optional[str]
    middle: Optional[Union[str, Sequence[FormatLike]]]
    middle_digits: Optional[float]
    tolerance: Optional[float]
    schedule: Optional[Union[str, Sequence[tuple[float, FormatLike]]]]
    outer: Optional[FormatLike]
    resident: Optional[bool]
    headroom: Optional[int]
    couplings: Optional[FormatLike]
    plan: Optional[str]
    preconditioner: Optional[str]
    max_iterations: Optional[int]
    jacobi: Optional[bool]
    stop: Optional[str]
    bound: Optional[bool]


DEFAULTS: dict[str, Any] = {
    "scheme": "residual-guided",
    "recurrence": None,
    "outer_loop": None,
    "inner": 10,
    "digits": None,
    "directions": None,
    "bounds": None,
    "middle": None,
    "middle_digits": 2,
    "tolerance": 1e-10,
    "schedule": None,
    "outer": None,
    "resident": False,
    "headroom": None,
    "couplings": None,
    "plan": None,
    "preconditioner": None,
    "max_iterations": 0,
    "jacobi": False,
    "stop": None,
    "bound": False,
}


class DenseOptions(TypedDict, total=False):
    """Options of a dense solve. None stands for the default."""

    lu: Optional[str]
    method: Optional[str]
    refine: Optional[str]
    refine_steps: Optional[int]
    gmres_steps: Optional[int]
    gmres_tolerance: Optional[float]
    scale: Optional[bool]
