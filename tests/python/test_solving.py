"""Solves, advice, dense systems, sweeps and stores: what `mantissa` gives on the command line."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mantissa as mt
from mantissa import plots


def test_a_solve_has_the_counts_of_the_documents():
    seven = mt.solve("poisson2d:level=7", "s17e8")
    assert seven.converged and seven.true_residual <= 1e-10
    assert len(seven.history) == seven.outer_iterations + 1
    assert seven.history.relative_defect[0] == 1 and seven.solution.shape == (129 * 129,)
    assert seven.error < 1e-4
    words = mt.solve("poisson2d:level=6", "fx18.16")
    assert words.converged and 0 < words.longest_words[2] <= 18


@pytest.mark.skipif(not os.environ.get("MANTISSA_PROGRAM"), reason="MANTISSA_PROGRAM does not name the command")
def test_a_solve_is_that_of_the_command():
    import json

    mine = mt.solve("poisson2d:level=5", "s14e8,u=s23e8", inner=7, jacobi=True)
    done = subprocess.run([os.environ["MANTISSA_PROGRAM"], "solve", "--problem", "poisson2d:level=5", "--spec",
                           "s14e8,u=s23e8", "--inner", "7", "--jacobi", "--json"], capture_output=True, check=True)
    theirs = json.loads(done.stdout)
    text = json.dumps(theirs)
    for number in (mine.inner_iterations, mine.outer_iterations):
        assert str(number) in text
    assert repr(mine.true_residual).rstrip("0") in text or mine.true_residual in _numbers(theirs)


def test_a_solve_begins_at_a_guess():
    solved = mt.solve("poisson2d:level=5", "s17e8")
    again = mt.solve("poisson2d:level=5", "s17e8", guess=solved.solution)
    assert again.converged and again.inner_iterations == 0 and np.array_equal(again.solution, solved.solution)
    near = mt.solve("poisson2d:level=5", "s17e8", guess=solved.solution * (1 + 1e-6))
    assert near.converged and 0 < near.inner_iterations < solved.inner_iterations
    for wrong in (solved.solution[:-1], np.full_like(solved.solution, np.nan)):
        with pytest.raises(ValueError, match="guess: "):
            mt.solve("poisson2d:level=5", guess=wrong)


@pytest.mark.parametrize("problem", ["poisson2d:level=4", "diffusion2d:level=4"])
@pytest.mark.parametrize("options", [{"spec": "double"}, {"spec": "fx18.16"}, {"preconditioner": "multilevel"}])
def test_dirichlet_nodes_keep_their_zeros_whatever_a_guess_has_there(problem, options):
    system = mt.problem(problem)
    solved = mt.solve(system, **options)
    begun = mt.solve(system, guess=np.full(system.unknowns, 7.0), **options)
    assert begun.converged and begun.true_residual < 1.001e-10
    np.testing.assert_allclose(begun.solution, solved.solution, atol=1e-8)


def test_a_datapath_that_a_cycle_does_not_use_is_refused():
    with pytest.raises(ValueError, match="a cycle is the inner solver itself and has words of its own"):
        mt.solve("poisson2d:level=4", "s17e8", preconditioner="multilevel:v11,w=10")


def test_equal_problems_have_equal_systems():
    one, other = mt.problem(np.eye(3)), mt.problem(np.eye(3) * 4)
    assert one != other and one == mt.problem(np.eye(3)) and hash(one) == hash(mt.problem(np.eye(3)))
    assert mt.problem(np.eye(3), np.ones(3)) != mt.problem(np.eye(3), np.zeros(3))
    assert mt.problem("poisson2d:level=3") == mt.problem("poisson2d:level=3") != mt.problem("poisson2d:level=4")
    with pytest.raises(ValueError, match="read-only"):
        one.b[0] = 9


def test_a_guess_may_have_a_column_for_each_right_hand_side():
    a = np.diag(np.full(30, 3.0)) - np.eye(30, k=1) - np.eye(30, k=-1)
    b = np.random.default_rng(1).standard_normal((30, 2))
    system = mt.problem(a, b)
    begin = np.linalg.solve(a, b)
    for options in ({"scheme": "jacobi-pcg", "spec": "double"}, {"spec": "s17e8"}):
        found = mt.solve_all(system, guess=begin, tolerance=1e-8, **options)
        assert [r.inner_iterations for r in found] == [0, 0] and all(r.converged for r in found)
        assert np.array_equal(np.stack([r.solution for r in found], axis=1), begin)
        one = mt.solve_all(system, guess=begin[:, 0], tolerance=1e-8, **options)
        assert one[0].inner_iterations == 0 < one[1].inner_iterations
    for wrong in (begin.T, begin.reshape(-1), np.zeros((30, 3))):
        with pytest.raises(ValueError, match=r"guess: an array of shape .* beside 30 unknowns; give \(30,\) or \(30, 2\)"):
            mt.solve_all(system, guess=wrong)


def test_an_exception_of_a_callback_ends_all_right_hand_sides():
    a = np.diag(np.full(30, 3.0)) - np.eye(30, k=1) - np.eye(30, k=-1)
    asked = []
    def once(*of):
        asked.append(of)
        if len(asked) == 1:
            raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        mt.solve_all(mt.problem(a, np.random.default_rng(1).standard_normal((30, 4))), "s17e8", scheme="gmres", callback=once)
    assert len(asked) == 1


def test_several_right_hand_sides():
    data, indices, indptr = mt.problem("poisson3d:level=2").csr()
    n = len(indptr) - 1
    b = np.random.default_rng(5).standard_normal((n, 3))
    several = mt.problem((data, indices, indptr), b)
    assert several.right_hand_sides == 3
    for options in ({"spec": "s17e8"}, {"scheme": "jacobi-pcg", "spec": "double"}):
        results = mt.solve_all(several, **options)
        assert len(results) == 3
        for k, result in enumerate(results):
            alone = mt.solve(mt.problem((data, indices, indptr), b[:, k]), **options)
            assert result.converged and np.array_equal(result.solution, alone.solution)
    with pytest.raises(ValueError, match="3 right-hand sides; solve_all"):
        mt.solve(several)
    with pytest.raises(ValueError, match="b: an array of shape"):
        mt.problem((data, indices, indptr), b.T)


def test_every_option_of_the_command_is_a_keyword():
    import inspect

    for function in (mt.solve, mt.simulate):
        keywords = inspect.signature(function).parameters
        assert keywords["inner"].default == 10 and keywords["tolerance"].default == 1e-10
        assert {"middle", "middle_digits", "headroom", "outer_loop", "spec"} <= set(keywords)
    cascade = mt.solve("poisson2d:level=4", "s14e8", outer_loop="defect-correction", recurrence="cg", digits=1.5,
                       middle=[mt.format("s36e11"), "s23e8"], middle_digits=3)
    assert cascade.converged and cascade.scheme == "defect-correction"
    stages = mt.solve("poisson2d:level=4", schedule=[(1, "s52e11"), (2e-3, mt.format("s23e8"))], headroom=None)
    assert stages.converged and stages.spec == "s52e11"
    with pytest.raises(TypeError, match="colour_depth"):
        mt.solve("poisson2d:level=4", colour_depth=3)


def _numbers(tree):
    if isinstance(tree, dict):
        return [n for value in tree.values() for n in _numbers(value)]
    return [n for value in tree for n in _numbers(value)] if isinstance(tree, list) else [tree]


def test_multilevel_cycles():
    result = mt.solve("poisson2d:level=6", preconditioner="multilevel:v11,w=8")
    assert (result.status, result.inner_iterations) == ("converged", result.outer_iterations)
    assert result.inner_iterations <= 11 < mt.solve("poisson2d:level=6", spec="double", scheme="direct").inner_iterations
    with pytest.raises(ValueError, match="leave format"):
        mt.solve("poisson2d:level=4", spec="s20e8", preconditioner="multilevel")


def test_ones_own_matrix():
    n = 60
    dense = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1) + np.diag(np.linspace(0, 1, n))
    b = np.linspace(1, 2, n)
    p = mt.problem(dense, b, name="mine")
    assert p.unknowns == n and np.array_equal(p.b, b)
    data, indices, indptr = p.csr()
    again = np.zeros((n, n))
    for i in range(n):
        again[i, indices[indptr[i]:indptr[i + 1]]] = data[indptr[i]:indptr[i + 1]]
    assert np.array_equal(again, dense)
    solved = mt.solve(p, "s17e8", jacobi=True)
    assert solved.converged and np.allclose(solved.solution, np.linalg.solve(dense, b), rtol=1e-7)
    dense[0, 5] = 1
    general = mt.problem(dense)
    assert p.symmetric and not general.symmetric
    with pytest.raises(ValueError, match=r"not symmetric \(entries \(1, 6\) and \(6, 1\) differ\)"):
        mt.solve(general, "s17e8")
    for options in ({"recurrence": "gmres(20)"}, {"scheme": "defect-correction", "recurrence": "gmres(20)", "inner": 20}):
        solved = mt.solve(general, "double", jacobi=True, **options)
        assert solved.converged and np.allclose(solved.solution, np.linalg.solve(dense, np.ones(n)), rtol=1e-7)
    negative = mt.problem(-np.eye(3))
    with pytest.raises(ValueError, match="not above zero.*take the recurrence"):
        mt.solve(negative, "s17e8")
    assert np.allclose(mt.solve(negative, "double", recurrence="gmres(3)").solution, -np.ones(3), rtol=1e-14)
    with pytest.raises(ValueError, match="give as many"):
        mt.problem(np.eye(3), np.ones(4))


@pytest.mark.parametrize("call, words", [
    (lambda: mt.solve("poisson2d:level=5", "s99e8"), "fraction width"),
    (lambda: mt.solve("nonsense"), "nonsense"),
    (lambda: mt.solve("poisson2d:level=5", engine="abacus"), "no such engine"),
    (lambda: mt.solve("poisson2d:level=5", engine="gpu"), "built without CUDA"),
    (lambda: mt.solve("poisson2d:level=5", "double,sum=free"), "native loops on this processor take sparse rows"),
    (lambda: mt.solve("poisson2d:level=5", "fx18.16,p=mxint8"), "p=mxint8 beside fixed vectors"),
    (lambda: mt.solve("poisson2d:level=5", "float,p=mxint9"), "the block formats are mxint8"),
    (lambda: mt.solve("poisson2d:level=5", plan="fastest"), "write one of automatic"),
    (lambda: mt.solve("poisson2d:level=5", plan="grid-stream"), "only a native solver has plans"),
    (lambda: mt.solve("poisson2d:level=5", plan="automatic"), "only a native solver has plans"),
    (lambda: mt.solve("poisson2d:level=5", tolerance=2), "tolerance"),
    (lambda: mt.solve("poisson2d:level=5", inner=0), "inner 0: give a whole number from 1 on"),
    (lambda: mt.solve("poisson2d:level=5", inner=-1), "inner -1: give a whole number from 1 on"),
    (lambda: mt.solve("poisson2d:level=5", inner=3, digits=2), "inner and digits exclude each other"),
    (lambda: mt.solve("poisson2d:level=5", schedule=[]), "schedule: stage ''"),
    (lambda: mt.solve("poisson2d:level=5", couplings="s5e8", scheme="direct"), "couplings: a floating format"),
    (lambda: mt.sweep(problem=["poisson2d:level=4"], colour=["red"]), "colour"),
    (lambda: mt.sweep(), "keywords"),
    (lambda: mt.synthesize("s17e8", "abacus"), "target 'abacus'"),
    (lambda: mt.simulate("poisson2d:level=4", cores=0), "cores"),
    (lambda: mt.simulate("poisson2d:level=4", lanes=4), "the lanes of other cores stand in their spec"),
    (lambda: mt.simulate("poisson2d:level=4", preconditioner="multilevel", stall=0.5), "the cycle core keeps all vectors"),
    (lambda: mt.solve_dense(np.ones((2, 3))), "square"),
    (lambda: mt.solve_dense(np.eye(3), lu="lu:double,sum=free"), "engine gpu alone"),
    (lambda: mt.solve_dense(np.eye(3), engine="abacus"), "no such engine"),
    (lambda: mt.solve_dense(np.eye(3), gmres_steps=4, krylov=4), "earlier name"),
    (lambda: mt.solve_dense(np.eye(3), gmres_tolerance=2.0), "between 0 and 1"),
])
def test_errors_have_one_line(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_missing_tool_is_a_runtime_error(monkeypatch, tmp_path):
    monkeypatch.setenv("MANTISSA_YOSYS", "no-such-yosys")
    with pytest.raises(RuntimeError, match="no-such-yosys") as caught:
        mt.synthesize("s17e8", store=tmp_path / "s.sqlite")
    assert "\n" not in str(caught.value)


def test_advice():
    advice = mt.advise("poisson2d:level=5")
    assert mt.solve("poisson2d:level=5", **advice.advised.solve_options).converged
    assert advice.advised.spec == mt.spec(advice.advised.spec)
    assert "Lanczos" in str(advice)
    assert mt.solve("poisson2d:level=5", advice.advised.spec, jacobi=True).converged


def test_advice_on_cycles():
    advice = mt.advise_cycles("poisson2d:level=6", threads=1)
    assert advice.cycle.startswith("v") and advice.levels[0] == 65 * 65
    assert advice.within and advice.pays
    assert advice.iterations <= max(advice.double_iterations + 1, advice.double_iterations * 5 // 4)
    assert advice.iterations < advice.jacobi_iterations
    solved = advice.solve()
    assert solved.converged and solved.inner_iterations == advice.iterations
    assert f"multilevel:{advice.cycle}" in str(advice)
    indefinite = mt.advise_cycles(np.diag(np.full(300, 1.0)) + 0.8 * (np.eye(300, k=1) + np.eye(300, k=-1)))
    assert indefinite.cycle is None and "not positive definite" in indefinite.why_not
    assert "mantissa solve --problem" not in indefinite.text
    with pytest.raises(ValueError, match="not positive definite"):
        indefinite.solve()
    with pytest.raises(ValueError, match="cycle 'z'"):
        mt.advise_cycles("poisson2d:level=4", "z")


def test_advice_mentions_cycles_that_are_far_faster():
    sparse = pytest.importorskip("scipy.sparse")
    n = 8000
    path = sparse.diags([np.full(n - 1, -1.0), np.full(n, 2.0001), np.full(n - 1, -1.0)], [-1, 0, 1], format="csr")
    advice = mt.advise(path, tolerance=1e-8, threads=1)
    assert advice.cycles is not None and "mantissa solve --problem" not in advice.text
    assert mt.solve(path, preconditioner=advice.cycles, tolerance=1e-8).converged


def test_dense_systems():
    result = mt.solve_dense("n=64,kind=randsvd,kappa=1e3", lu="lu:s10e5,acc=fixed[15:-34]")
    assert result.converged and result.forward_error < 1e-9
    a = np.random.default_rng(0).standard_normal((40, 40)) + 8 * np.eye(40)
    x = np.arange(40.0)
    own = mt.solve_dense(a, a @ x, lu="lu:s17e8:rne")
    assert own.converged and np.allclose(own.solution, x, rtol=1e-10, atol=1e-10)
    assert own.forward_error is None and mt.solve_dense(a).forward_error < 1e-9  # whose solution is known?


def test_sweeps_keep_their_points(tmp_path):
    grid = dict(problem=["poisson2d:level=4", "poisson2d:level=5"], format=["s10e8", "s17e8"], inner=10)
    store = tmp_path / "points.sqlite"
    first = mt.sweep(**grid, store=store, threads=2)
    assert (first.points, first.computed, first.stored_before, first.refused) == (4, 4, 0, [])
    assert mt.sweep(**grid, store=store).stored_before == 4
    alone = mt.solve("poisson2d:level=5", "s17e8", inner=10)
    row = next(r for r in first.rows if r["problem"] == "poisson2d:level=5" and r["spec"] == "s17e8")
    assert row["inner_iterations"] == alone.inner_iterations and row["true_residual"] == alone.true_residual
    kept = mt.sweep(problem="poisson2d:level=4", format="s17e8")
    assert kept.store is None and len(kept.rows) == 1
    dense = mt.sweep(n=[32], kind="uniform", format=["s10e5"], refine="gmres-ir")
    assert dense.rows and dense.rows[0]["status"] == "converged"
    file = tmp_path / "dense.toml"
    file.write_text("[[ dense ]]\nn = 8\nkind = 'uniform'\n")
    assert [row["unknowns"] for row in mt.sweep(file).rows] == [8]


def test_sweeps_of_dense_systems_take_their_keys(tmp_path):
    for keys in ({"problem": "n=16", "format": "s10e5", "pivot": "partial"}, {"n": 16, "steps": 3},
                 {"problem": (p for p in ["n=16,kind=uniform"]), "format": "s17e8"}, {"n": 16, "krylov_tolerance": 1e-3,
                                                                                      "refine": "gmres-ir"}):
        assert mt.sweep(**keys).points == 1, keys
    matrix = tmp_path / "a.mtx"
    matrix.write_text("%%MatrixMarket matrix array real general\n2 2\n2\n1\n1\n3\n")
    assert [row["unknowns"] for row in mt.sweep(file=matrix, format="s10e5").rows] == [2]
    assert [row["unknowns"] for row in mt.sweep(file=[str(matrix)]).rows] == [2]
    with pytest.raises(ValueError, match="give a sweep file, or its keys"):
        mt.sweep(file="a.toml", format="s10e5")
    store = tmp_path / "dense.sqlite"
    mt.sweep(n=16, store=store)
    with pytest.warns(UserWarning, match="it holds dense systems alone; dense=True reads them"):
        assert mt.read_store(store) == []
    assert len(mt.read_store(store, dense=True)) == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    pytest.importorskip(library, reason=f"{library} is not installed")
    swept = mt.sweep(problem="poisson2d:level=4", format=["s10e8", "s17e8"])
    frame = swept.frame(library)
    assert list(frame["spec"]) == ["s10e8", "s17e8"]
    results = mt.frame([mt.solve("poisson2d:level=4", f) for f in ("s10e8", "s17e8")], library)
    assert list(results["inner_iterations"]) == list(frame["inner_iterations"])


def test_plots():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    swept = mt.sweep(problem="poisson2d:level=5", format=["s10e8", "s14e8", "s17e8"])
    assert len(plots.which_bits(swept).lines[0].get_xdata()) == 3
    assert len(plots.convergence([mt.solve("poisson2d:level=5", f) for f in ("s10e8", "s17e8")]).lines) == 2
    cycles = mt.sweep(problem="poisson2d:level=5", preconditioner=["multilevel"], scheme="inexact-pcg")
    assert not plots.which_bits(cycles).lines  # (whose words are not a datapath's)
    points = [(1, 5), (2, 3), (3, 4), (4, 1), (2, 6)]
    assert plots.pareto_front(points) == [0, 1, 3]
    plots.pareto([{"a": a, "b": b} for a, b in points], "a", "b")


def test_progress_can_stop_and_raise():
    seen = []
    stopped = mt.solve("poisson2d:level=9", "s17e8", inner=1, progress=lambda *p: seen.append(p) or False)
    assert stopped.status == "iteration limit" and len(seen) == 1 and len(seen[0]) == 3

    def fault(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        mt.solve("poisson2d:level=9", "s17e8", inner=1, progress=fault)


WAYS = [{"scheme": s} for s in ("direct", "pipelined", "chronopoulos-gear", "flexible", "bicgstab", "gmres", "jacobi-pcg",
                                "residual-guided", "defect-correction")]


@pytest.mark.parametrize("options", WAYS + [{"recurrence": "gmres(5)", "scheme": "defect-correction", "inner": 5}])
def test_a_callback_ends_every_scheme(options):
    n = 4000
    i = np.arange(n)
    indptr = np.concatenate([[0], np.cumsum(np.where((i == 0) | (i == n - 1), 2, 3))])
    indices = np.concatenate([np.arange(max(k - 1, 0), min(k + 2, n)) for k in range(n)])
    data = np.where(indices == np.repeat(i, np.diff(indptr)), 2.0001, -1.0)
    problem = mt.problem((data, indices, indptr), np.random.default_rng(7).standard_normal(n))
    spec = "double" if options["scheme"] == "jacobi-pcg" else "s40e11"
    seen = []
    ended = mt.solve(problem, spec, callback=lambda *p: seen.append(p) or False, **options)
    assert len(seen) == 1 and seen[0][2] > 0
    assert ended.status == "iteration limit" and ended.detail == "stopped on request"
    assert 0 < ended.inner_iterations <= 128
    calls = []
    whole = mt.solve(problem, spec, callback=lambda *p: calls.append(p), **options)
    assert whole.inner_iterations > 3 * ended.inner_iterations and len(calls) >= 2
    assert [c[0] for c in calls] == sorted(c[0] for c in calls)
    if len(whole.history) > 2:  # rows as they come; the last one of a solve without outer steps may go untold
        assert [c[0] for c in calls][:len(whole.history) - 2] == list(whole.history.inner_iterations[1:-1])


def test_the_gil_is_free_during_a_solve():
    counted = [0]
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    mt.solve("poisson2d:level=8", "double", scheme="direct", solution=False)
    stop.set()
    thread.join()
    assert counted[0] > 3


INTERRUPTED = """
import mantissa as mt, sys
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("call", [
    "mt.solve('poisson2d:level=10', 's17e8', engine='emulated', tolerance=1e-15, inner=1, max_iterations=10**9)",
    "mt.sweep(problem=['poisson2d:level=8'], format=['s%de8' % m for m in range(8, 24)], inner=[3, 5, 10, 20])",
])
def test_ctrl_c_ends_long_work(call):
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(call=call)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    rest = child.communicate(timeout=60)[0]
    assert rest == "interrupted\n" and child.returncode == 0


@pytest.mark.parametrize("spread", [0.0, 3.0, 6.0])
def test_advice_on_a_matrix_in_memory_runs(spread):
    """What is advised solves as it is handed back, scaling included; no command is given that nobody can run."""
    n = 60
    scale = 10.0 ** (spread * np.arange(n) / n / 2)
    matrix = (np.diag(np.full(n, 2.5)) - np.eye(n, k=1) - np.eye(n, k=-1)) * scale[:, None] * scale[None, :]
    matrix = (matrix + matrix.T) / 2
    problem = mt.problem(matrix)
    advice = mt.advise(problem)
    options = advice.advised.solve_options
    assert options["jacobi"] == advice.advised.jacobi
    assert mt.solve(problem, **options).converged
    assert advice.advised.command.startswith("no command: this matrix is in memory")
    assert "**advice.advised.solve_options" in advice.advised.command
    assert "**advice.fewest.solve_options" in advice.fewest.command and "mantissa solve --problem" not in advice.text
    assert mt.advise("poisson2d:level=4").advised.command.startswith("mantissa solve --problem 'poisson2d:level=4'")


def test_progress_can_be_a_line(capfd):
    result = mt.solve("poisson2d:level=6", "s17e8", inner=10, progress=True)
    assert result.converged
    assert capfd.readouterr().err.endswith("\n")
    assert mt.solve("poisson2d:level=5", "s17e8", inner=10, progress=False).converged
    assert capfd.readouterr().err == ""
