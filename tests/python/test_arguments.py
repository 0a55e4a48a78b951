"""What callers give: arrays that are no real numbers, options of other types, NumPy's scalars, copies and pickles."""
import copy
import dataclasses
import os
import pickle
import subprocess

import numpy as np
import pytest

import mantissa as mt

N = 60
MATRIX = 2.1 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1)
RIGHT = np.random.default_rng(3).standard_normal(N)


@pytest.fixture(scope="module")
def system():
    return mt.problem(MATRIX, RIGHT)


def one_line(call, words, fault=ValueError):
    with pytest.raises(fault, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


HERMITIAN = np.array([[4, 1 + 1j], [1 - 1j, 4]])
REAL = np.array([[4.0, 1.0], [1.0, 4.0]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call, what", [
    (lambda: mt.problem(HERMITIAN, [1, 1]), "matrix"),
    (lambda: mt.problem(REAL.astype(complex)), "matrix"),
    (lambda: mt.problem((np.array([4j, 4]), [0, 1], [0, 1, 2])), "matrix"),
    (lambda: mt.problem(np.array([[4, 1 + 1j], [1 - 1j, 4]], object)), "matrix"),
    (lambda: mt.problem(REAL, [1, 1j]), "b"),
    (lambda: mt.solve(mt.problem(REAL), guess=[1j, 1]), "guess"),
    (lambda: mt.solve_dense(HERMITIAN), "a"),
    (lambda: mt.solve_dense(REAL, [1j, 1]), "b"),
    (lambda: mt.jacobi(REAL) @ np.array([1j, 1]), "x"),
    (lambda: mt.jacobi(REAL).matvec(np.array([1j, 1])), "x"),
])
def test_complex_systems_are_refused(call, what):
    one_line(call, f"^{what}: its numbers are complex")


def test_a_complex_sparse_matrix_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    one_line(lambda: mt.problem(sparse.csr_matrix(HERMITIAN)), "^matrix: its numbers are complex")
    one_line(lambda: mt.solve_dense(sparse.csr_matrix(REAL)), "^a: ")


def masked(values):
    return np.ma.masked_array(values, mask=np.arange(np.size(values)).reshape(np.shape(values)) == 1)


@pytest.mark.parametrize("call, what", [
    (lambda: mt.problem(masked(REAL)), "matrix"),
    (lambda: mt.problem(REAL, masked([1.0, 2.0])), "b"),
    (lambda: mt.solve(mt.problem(REAL), guess=masked([1.0, 2.0])), "guess"),
    (lambda: mt.solve_dense(masked(REAL)), "a"),
    (lambda: mt.solve_dense(REAL, masked([1.0, 2.0])), "b"),
    (lambda: mt.jacobi(REAL) @ masked([1.0, 2.0]), "x"),
    (lambda: mt.array(masked([1.0, 2.0]), "s17e8"), "an operand"),
    (lambda: mt.round(masked([1.0, 2.0]), "s17e8"), "an operand"),
    (lambda: mt.sum([masked([1.0, 2.0]), [1.0, 2.0]], "s17e8"), "an operand"),
    (lambda: mt.blocks(masked([1.0, 2.0]), "mxint8"), "an operand"),
    (lambda: mt.from_words(masked([1, 2]), "fx18.16"), "words"),
    (lambda: mt.decode(masked([1, 2]), "s10e5"), "bits"),
])
def test_masked_elements_are_refused(call, what):
    one_line(call, f"^{what}: [12] of its elements are masked")


def test_masked_arrays_without_masked_elements_are_taken():
    assert np.array_equal(mt.problem(np.ma.masked_array(REAL), np.ma.masked_array([1.0, 2.0])).b, [1, 2])
    assert np.array_equal(mt.round(np.ma.masked_array([1.0, 2.0], mask=[False, False]), "s17e8"), [1, 2])


def test_rows_are_of_one_dimension():
    one_line(lambda: mt.problem((np.ones((2, 2)), [0, 1], [0, 1, 2])), r"data: an array of shape \(2, 2\); give one of")
    one_line(lambda: mt.problem(([], [], [])), "indptr: it is empty")
    sparse = pytest.importorskip("scipy.sparse")
    if hasattr(sparse, "coo_array"):
        one_line(lambda: mt.problem(sparse.coo_array(np.ones(2))), r"matrix: its shape is \(.*\); give a square one")


def test_indices_are_integers():
    one_line(lambda: mt.problem(([4.0, 4.0], [0.5, 1], [0, 1, 2])), "^indices: an array of float64")
    one_line(lambda: mt.problem(([4.0, 4.0], [0, 1], [0, 1.5, 2])), "^indptr: an array of float64")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_dense_systems_are_finite(value):
    wrong = np.eye(3)
    wrong[1, 2] = value
    one_line(lambda: mt.solve_dense(wrong, [1, 1, 1]), r"^a: element \(1, 2\) is .*finite")
    one_line(lambda: mt.solve_dense(np.eye(3), [1, value, 1]), "^b: element 1 is .*finite")


def test_without_factors_there_are_no_errors():
    result = mt.solve_dense(np.ones((3, 3)), [3, 3, 3])
    assert result.status == "no factors" and result.solution is None
    assert [getattr(result, name) for name in ("backward_error", "forward_error", "hpl_residual", "condition", "growth",
                                               "factor_error", "condition_in_sight")] == [None] * 7
    assert mt.solve_dense(np.eye(3), [1, 1, 1]).condition_in_sight is True
    assert mt.solve_dense(np.eye(3), [1, 1, 1]).backward_error == 0.0
    one_line(lambda: mt.solve_dense("n=0"), "n=0")


@pytest.mark.skipif(not os.environ.get("MANTISSA_PROGRAM"), reason="MANTISSA_PROGRAM does not name the command")
def test_the_command_has_no_errors_without_factors_either(tmp_path):
    import json

    ones = tmp_path / "ones.mtx"
    ones.write_text("%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n")

    def run(text):
        return subprocess.run([os.environ["MANTISSA_PROGRAM"], "solve", "--dense", text, "--json"], capture_output=True,
                              text=True)

    failed = json.loads(run(f"file={ones}").stdout)
    assert failed["status"] == "no factors" and failed["backward_error"] is None and failed["condition"] is None
    assert failed["condition_in_sight"] is None
    assert json.loads(run("n=30").stdout)["condition_in_sight"] is True
    assert json.loads(run("n=30,kind=hilbert").stdout)["condition_in_sight"] is False
    empty = run("n=0")
    assert empty.returncode == 2 and empty.stdout == "" and empty.stderr.count("\n") == 1


@pytest.mark.parametrize("options, words", [
    ({"inner": 1.5}, "inner 1.5: give a whole number from 1 on"),
    ({"inner": "3"}, "inner '3': give a whole number"),
    ({"inner": 2 ** 70}, "inner 1180591620717411303424: give a whole number"),
    ({"inner": True}, "inner True: give a whole number"),
    ({"tolerance": "1e-3"}, "tolerance '1e-3': give a number"),
    ({"tolerance": 1e-3 + 0j}, "tolerance .*: give a number"),
    ({"jacobi": 1}, "jacobi 1: give True or False"),
    ({"bound": "yes"}, "bound 'yes': give True or False"),
    ({"headroom": 1.5}, "headroom 1.5: give a whole number"),
    ({"threads": 1.5}, "threads 1.5: give a whole number from 0 to 1024"),
    ({"threads": -1}, "threads -1: give"),
    ({"solution": 1}, "solution 1: give True or False"),
    ({"engine": 3}, "engine 3: give a text"),
    ({"middle": 3, "scheme": "defect-correction"}, "middle 3: give a format or a list"),
    ({"schedule": [1]}, r"schedule \[1\]: give"),
    ({"callback": 3}, "callback 3: give a function"),
    ({"progress": "yes"}, "progress 'yes': give a function"),
])
def test_options_of_another_type_are_refused(system, options, words):
    one_line(lambda: mt.solve(system, "s17e8", **options), words)


@pytest.mark.parametrize("call, words", [
    (lambda: mt.solve_dense(np.eye(3), gmres_steps=1.5), "gmres_steps 1.5: give a whole number"),
    (lambda: mt.solve_dense(np.eye(3), scale="no"), "scale 'no': give True or False"),
    (lambda: mt.simulate("poisson2d:level=4", seed=-1), r"seed -1: give a whole number from 0 to 2\^64 - 1"),
    (lambda: mt.simulate("poisson2d:level=4", clock_mhz="fast"), "clock_mhz 'fast': give a number"),
    (lambda: mt.synthesize(place="x"), "place 'x': give a whole number"),
    (lambda: mt.synthesize(target=7), "target 7: give a text"),
    (lambda: mt.round(1.0, "s17e8:sr", seed=1.5), "seed 1.5: give a whole number"),
    (lambda: mt.round(1.0, "s17e8:sr", seed=-1), "seed -1: give"),
    (lambda: mt.set_threads(1.5), "threads 1.5: give"),
    (lambda: mt.blocks([1.0], "mxint8", block=True), "block True: give"),
    (lambda: mt.advise("poisson2d:level=4", inner=1.5), "inner 1.5: give"),
    (lambda: mt.advise("poisson2d:level=4", tolerance="small"), "tolerance 'small': give a number"),
    (lambda: mt.advise_cycles("poisson2d:level=4", 3), "cycle 3: give a text"),
    (lambda: mt.tune(lambda f: 0, {"a": [1]}, lambda f: 0, limit=1, points=1.5), "points 1.5: give"),
    (lambda: mt.tune(lambda f: 1j, {"a": [1]}, lambda f: 0, limit=1), "evaluate: its error 1j: give a number"),
])
def test_other_arguments_of_another_type_are_refused(call, words):
    one_line(call, words)


def test_numbers_of_numpy_are_taken(system):
    plain = mt.solve(system, "s23e8", inner=7, tolerance=1e-8, jacobi=True, max_iterations=900, threads=1)
    numpys = mt.solve(system, "s23e8", inner=np.int64(7), tolerance=np.float64(1e-8), jacobi=np.True_, bound=np.False_,
                      max_iterations=np.uint32(900), threads=np.int32(1))
    assert numpys.inner_iterations == plain.inner_iterations and np.array_equal(numpys.solution, plain.solution)
    assert mt.solve_dense(np.eye(3), gmres_steps=np.int64(4)).converged
    assert mt.round(1.0, "s17e8:sr", seed=np.int64(3)) == 1.0
    mt.set_threads(np.int64(2))
    assert mt.get_threads() == 2


def test_dtypes_are_formats(system):
    solved = mt.solve(system, np.float32)
    assert solved.spec == mt.solve(system, str(mt.format(np.float32))).spec
    assert mt.solve(system, "s17e8", scheme="defect-correction", middle=[np.float64]).converged
    assert mt.dot([1.0, 2.0], [1.0, 2.0], "s10e5", acc=np.float32) == 5.0
    assert mt.spec(np.float64) == mt.spec("double")


def test_a_grid_of_a_sweep_takes_what_can_be_gone_through():
    def inners(given):
        return sorted(r["inner_iterations"] for r in mt.sweep(problem="poisson2d:level=4", format="s17e8", inner=given).rows)

    assert inners(np.int64(5)) == inners(5)
    listed = inners([5, 6, 7])
    assert len(listed) == 3 and listed == inners(np.arange(5, 8)) == inners(range(5, 8)) == inners(n for n in (5, 6, 7))
    rows = mt.sweep(problem="poisson2d:level=4", format=(f"s{m}e8" for m in (17, 20))).rows
    assert [r["spec"] for r in rows] == ["s17e8", "s20e8"]
    assert mt.sweep(problem=mt.problem("poisson2d:level=4"), format=mt.format("s17e8")).computed == 1
    assert "cannot open" in mt.sweep(problem="mtx:\U0001f600\x7f.mtx").refused[0][1]  # (and no fault of the text)


def test_a_sweep_refuses_a_matrix_in_memory(system):
    one_line(lambda: mt.sweep(problem=system), "^problem: 'a matrix of Python' is in memory")
    one_line(lambda: mt.sweep(problem=[system], format="s17e8"), "^problem: 'a matrix of Python' is in memory")
    sparse = pytest.importorskip("scipy.sparse")
    one_line(lambda: mt.sweep(problem=sparse.csr_matrix(MATRIX)), "^problem <.*: give numbers, texts or formats")
    one_line(lambda: mt.sweep(problem="poisson2d:level=4", inner={}), "^inner {}: give numbers")


COPIES = [copy.copy, copy.deepcopy] + [lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)]


@pytest.mark.parametrize("again", COPIES)
def test_formats_and_arrays_are_copied(again):
    for text in ("s17e8", "s10e5:rne:subnormals", "fx18.16", "fp8_e4m3", "ufx18.16:sat"):
        f = mt.format(text)
        assert again(f) == f and type(again(f)) is type(f)
    for text in ("s10e5", "fx18.16"):
        a = mt.array([0.1, 0.2], text)
        b = again(a)
        assert b.format == a.format and np.array_equal(b.values, a.values)
        b[0] = 0.5
        assert a.values[0] != 0.5


@pytest.mark.parametrize("again", COPIES)
def test_problems_and_results_are_copied(again, system):
    several = mt.problem(MATRIX, np.stack([RIGHT, -RIGHT], axis=1), name="two")
    for p in (system, several, mt.problem("poisson2d:level=3")):
        q = again(p)
        assert (q.name, q.kind, q.right_hand_sides, q.note) == (p.name, p.kind, p.right_hand_sides, p.note)
        assert all(np.array_equal(x, y) for x, y in zip((*q.csr(), q.b), (*p.csr(), p.b)))
        for x, y in zip(mt.solve_all(q, "s23e8"), mt.solve_all(p, "s23e8")):
            assert np.array_equal(x.solution, y.solution)
    for result in (mt.solve(system, "s23e8"), mt.solve_dense(np.eye(3)), mt.solve_dense(np.ones((3, 3))),
                   mt.blocks([1.0, np.nan], "mxint8", block=1)):
        assert again(result) == result
    assert mt.solve(system, "s23e8") != mt.solve(system, "s17e8") and mt.solve(system, "s23e8") != 3


def test_a_copy_of_a_problem_needs_no_file(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n")
    read = mt.problem(f"mtx:{path}")
    path.unlink()
    for again in (copy.copy(read), copy.deepcopy({"of": read})["of"]):
        assert np.array_equal(again.csr()[0], [2.0, 3.0])


def test_advice_is_copied(system):
    advice = mt.advise(system)
    for again in (copy.deepcopy(advice), pickle.loads(pickle.dumps(advice))):
        assert again == advice and again.solve().inner_iterations == advice.solve().inner_iterations
    assert dataclasses.asdict(advice)["advised"]["spec"] == advice.advised.spec


def test_an_array_of_one_number_has_a_truth():
    assert not mt.array(0.0, "s7e8") and mt.array([1.0], "fx18.16")
    one_line(lambda: bool(mt.array([1.0, 2.0], "s7e8")), "ambiguous")


def test_advice_wants_one_right_hand_side(tmp_path):
    several = mt.problem(MATRIX, np.stack([RIGHT, RIGHT], axis=1))
    for call in (mt.advise, mt.advise_cycles, mt.simulate):
        one_line(lambda: call(several), "^problem: it has 2 right-hand sides")


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_problem_written_to_a_file_is_the_same(tmp_path, symmetric):
    from mantissa.problems import on_file

    matrix = MATRIX / 3
    if not symmetric:
        matrix[0, 9] = 0.1
    p = mt.problem(matrix, RIGHT / 7)
    q = on_file(p, str(tmp_path))
    assert q.symmetric == symmetric and all(np.array_equal(x, y) for x, y in zip((*q.csr(), q.b), (*p.csr(), p.b)))


def test_advice_on_a_device_of_a_matrix_in_memory(system, monkeypatch):
    monkeypatch.setenv("MANTISSA_YOSYS", "no-such-yosys")  # (the area is then missing, which takes no time)
    advice = mt.advise(system, device="alveo-u280")
    assert advice.hardware is not None and "u280" in advice.hardware.device.lower()
    assert advice.hardware.comparison.startswith("no comparison file")
    everything = repr(dataclasses.asdict(advice))
    assert ".mtx'" not in everything and "matrix.mtx" not in everything
    assert advice.solve().converged
