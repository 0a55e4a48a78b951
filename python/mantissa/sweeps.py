"""Sweeps over many solves, their stores, and frames of them."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Union

from . import _core
from ._arguments import plain, shown
from .formats import Format, NarrowFormat, WordFormat
from .options import threads_of_call
from .problems import Problem

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class SweepResult:
    """What a sweep did, and the rows of its store."""

    points: int
    stored_before: int
    computed: int
    not_converged: int
    refused: list[tuple[str, str]]
    """Points that could not be run, each with the reason."""
    store: Optional[str]
    """The results file; None where none was kept."""
    rows: list[dict[str, Any]]
    """All solves of the store, a dictionary each."""

    def frame(self, library: str = "pandas") -> Any:
        """The rows as a frame of pandas or polars."""
        return frame(self.rows, library)


def _text(text: str) -> str:
    """A text of TOML, whose escapes know no halves of a letter."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(key: str, given: Any) -> str:
    """As TOML has it. A generator or a range is a list; a matrix is none, though its rows can be gone through."""
    value = plain(given)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Problem):
        if value._text is None:
            raise ValueError(f"{key}: '{value.name}' is in memory, and a store knows a system by its text; give texts, as "
                             "'poisson2d:level=6' or 'mtx:FILE.mtx'")
        return _text(value._text)
    if isinstance(value, (str, os.PathLike, Format, NarrowFormat, WordFormat)):
        return _text(str(value))
    if isinstance(value, Iterable) and not isinstance(value, (Mapping, bytes)) and not hasattr(value, "tocsr"):
        return "[" + ", ".join(_value(key, v) for v in value) + "]"
    raise ValueError(f"{key} {shown(value)}: give numbers, texts or formats, or a list of them")


def _toml(grid: dict[str, Any]) -> str:
    """One grid as a sweep file has it. Dense systems have tables of their own."""
    problems = grid.get("problem")
    if isinstance(problems, Iterable) and not isinstance(problems, str):
        grid = {**grid, "problem": list(problems)}
    named = grid["problem"] if isinstance(grid.get("problem"), list) else [problems]
    dense = (set(_core.dense_sweep_keys()) & set(grid)
             or any(isinstance(p, str) and p.startswith(("n=", "file=")) for p in named))
    lines = ["[[dense]]" if dense else "[[grid]]"]
    return "\n".join(lines + [f"{key} = {_value(key, value)}" for key, value in grid.items()]) + "\n"


def sweep(file: Union[PathLike, Iterable[PathLike], None] = None, *, store: Optional[PathLike] = None, threads: Optional[int] = None,
          **grid: Any) -> SweepResult:
    """Solves many points: those of a sweep file (TOML), or the cross product of the lists given as keywords.

        mantissa.sweep(problem=["poisson2d:level=6"], format=["s10e8", "s14e8", "s17e8"], inner=10).frame()

    The keywords are the keys of a sweep file (docs/which_bits.md shows some): problem, format or spec, u, row, dot,
    scheme, inner, engine, ...; each a value or several (a list, a range, a NumPy array, a generator). With n, kind, format,
    acc, refine the systems are dense; beside other keywords file is such a key too, a MatrixMarket file or several. store: a results file (SQLite), in which points that are there already are not
    solved again; without one a sweep of keywords keeps nothing. threads: points at a time.

    ^C ends it after the points that are being solved; what is stored stays, and the same call goes on from there.
    """
    grid = {key: value for key, value in grid.items() if value is not None}
    one = isinstance(file, (str, os.PathLike))
    if file is not None and (grid or not one) and not (one and str(file).endswith(".toml")):
        file, grid = None, {"file": file, **grid}
    if (file is None) == (not grid):
        raise ValueError("sweep: give a sweep file, or its keys as keywords: sweep(problem=[...], format=[...])")
    count = threads_of_call(threads)
    if file is None and store is None:
        with tempfile.TemporaryDirectory() as folder:
            return _run("", grid, str(Path(folder) / "sweep.sqlite"), count, keep=False)
    path = str(store) if store is not None else _own_store(Path(file))  # type: ignore[arg-type]
    return _run("" if file is None else str(file), grid, path, count, keep=True)


def _own_store(file: Path) -> str:
    named = _core.sweep_store(str(file))
    return str(file.parent / named) if named else str(file.with_suffix(".sqlite"))


def _run(file: str, grid: dict[str, Any], store: str, threads: int, keep: bool) -> SweepResult:
    text = "" if file else _toml(grid)
    done = _core.sweep(text, file or "the keywords of sweep()", bool(file), store, threads)
    for note in done.pop("notes"):
        warnings.warn(note, stacklevel=3)
    dense = done.pop("dense")
    return SweepResult(store=store if keep else None, rows=read_store(store, dense=dense), **done)


def read_store(store: PathLike, *, dense: bool = False) -> list[dict[str, Any]]:
    """All solves of a results file, in the order stored; dense: those of dense systems."""
    if not Path(store).exists():
        raise FileNotFoundError(f"{store}: there is no such results file")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        _core.export_store(str(store), str(path), dense)
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        if not rows and not dense:
            _core.export_store(str(store), str(path), True)
            if path.read_text():
                warnings.warn(f"{store}: it holds dense systems alone; dense=True reads them", stacklevel=2)
        return rows


def frame(source: Union[PathLike, SweepResult, Iterable[Any]], library: str = "pandas", *, dense: bool = False) -> Any:
    """A frame of pandas or polars, a row for each solve.

    source: a results file, a SweepResult, or results (dataclasses or dictionaries). Raises ImportError where the library
    is not installed.
    """
    if isinstance(source, SweepResult):
        rows = source.rows
    elif isinstance(source, (str, os.PathLike)):
        rows = read_store(source, dense=dense)
    else:
        rows = [_row(r) for r in source]
    if library == "pandas":
        import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return pandas.DataFrame(rows)
    if library == "polars":
        import polars  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return polars.DataFrame(rows, infer_schema_length=None)
    raise ValueError(f"library '{library}': give pandas or polars")


def _row(result: Any) -> dict[str, Any]:
    """A result's numbers and texts; arrays are left out."""
    if isinstance(result, dict):
        return result
    fields = {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
    return {name: value for name, value in fields.items() if isinstance(value, (str, int, float, bool, type(None)))}
