"""Pictures with matplotlib (an optional package: pip install mantissa[plots])."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from .solving import SolveResult


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt  # type: ignore[import-untyped,import-not-found,unused-ignore]

    return plt.subplots(figsize=(6, 4))[1]


def convergence(results: Union[SolveResult, Mapping[str, SolveResult], Iterable[SolveResult]], ax: Any = None) -> Any:
    """The relative defect against inner iterations, a curve for each solve. Returns the axes."""
    if isinstance(results, SolveResult):
        results = [results]
    named = results.items() if isinstance(results, Mapping) else [(r.spec, r) for r in results]
    ax = _axes(ax)
    for name, result in named:
        ax.semilogy(result.history.inner_iterations, result.history.relative_defect, label=name)
    ax.set_xlabel("inner iterations")
    ax.set_ylabel("defect, relative to the first")
    ax.grid(True, which="major", alpha=0.3)
    ax.legend()
    return ax


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Indices of the points that no other one beats in both numbers (smaller is better), by the first number."""
    order = sorted(range(len(points)), key=lambda i: points[i])
    front: list[int] = []
    for i in order:
        if not front or points[i][1] < points[front[-1]][1]:
            front.append(i)
    return front


def pareto(frame: Any, x: str, y: str, label: Optional[str] = None, ax: Any = None) -> Any:
    """Rows of a frame (or dictionaries) as points, smaller being better both ways, with the Pareto front drawn."""
    rows = frame.to_dict("records") if hasattr(frame, "columns") and hasattr(frame, "to_dict") and hasattr(frame, "iloc") \
        else frame.to_dicts() if hasattr(frame, "to_dicts") else list(frame)
    points = [(float(r[x]), float(r[y])) for r in rows]
    ax = _axes(ax)
    ax.scatter(*zip(*points), color="0.6")
    front = [points[i] for i in pareto_front(points)]
    ax.step(*zip(*front), where="post", color="C0", label="Pareto front")
    ax.scatter(*zip(*front), color="C0")
    if label is not None:
        for row, point in zip(rows, points):
            ax.annotate(str(row[label]), point, textcoords="offset points", xytext=(4, 4), fontsize=8)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.legend()
    return ax


def which_bits(rows: Any, ax: Any = None, bits: str = "fraction_bits", group: Optional[str] = None) -> Any:
    """Inner iterations against fraction bits, of the solves of a sweep that converged.

    rows: a SweepResult, a frame of pandas, or dictionaries with the key "spec". group: a key to draw a curve for each
    value of.
    """
    from .formats import format

    rows = getattr(rows, "rows", rows)
    rows = rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows)
    ax = _axes(ax)
    curves: dict[Any, list[tuple[int, int]]] = {}
    for row in rows:
        if row["status"] != "converged" or not isinstance(row["spec"], str):  # (cycles have words of their own)
            continue
        width = getattr(format(row["spec"].split(",")[0]), bits)
        curves.setdefault(row[group] if group else "", []).append((width, row["inner_iterations"]))
    for name, points in curves.items():
        ax.plot(*zip(*sorted(points)), marker="o", label=str(name))
    ax.set_xlabel("fraction bits of a number")
    ax.set_ylabel("inner iterations")
    ax.grid(True, alpha=0.3)
    if group:
        ax.legend()
    return ax
