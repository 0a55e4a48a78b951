"""Preconditioners for SciPy's solvers; advice that solves and that knows hardware; callbacks."""
import pickle
import threading

import numpy as np
import pytest

import mantissa as mt

linalg = pytest.importorskip("scipy.sparse.linalg")
sparse = pytest.importorskip("scipy.sparse")


def laplacian(n):
    """Five points on n by n inner nodes, as SciPy users make it."""
    line = sparse.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1])
    return (sparse.kron(line, sparse.identity(n)) + sparse.kron(sparse.identity(n), line)).tocsr()


def steps_of(matrix, b, preconditioner, solver=linalg.cg):
    counted = []
    x, fault = solver(matrix, b, rtol=1e-8, maxiter=400, M=preconditioner, callback=counted.append)
    assert fault == 0
    assert np.linalg.norm(b - matrix @ x) <= 1.1e-8 * np.linalg.norm(b)
    return len(counted)


def test_a_cycle_in_ten_bits_preconditions_scipys_cg():
    matrix = laplacian(63)
    b = np.random.default_rng(1).standard_normal(matrix.shape[0])
    words = mt.multilevel(matrix, "w=10")
    assert words.shape == matrix.shape and words.dtype == np.float64 and words.spec == "v11,w=10"
    plain = steps_of(matrix, b, None)
    assert steps_of(matrix, b, words) <= steps_of(matrix, b, mt.multilevel(matrix, "w=double")) + 3 < plain / 5


def test_it_can_be_pickled():
    system = mt.problem("poisson2d:level=4")
    cycle = mt.multilevel(system, "v11,w=10")
    again = pickle.loads(pickle.dumps(cycle))
    np.testing.assert_array_equal(again @ system.b, cycle @ system.b)


def test_it_is_a_linear_operator():
    matrix = laplacian(15)
    m = mt.multilevel(matrix)
    operator = linalg.aslinearoperator(m)
    x = np.random.default_rng(2).standard_normal((matrix.shape[0], 3))
    columns = m @ x
    assert columns.shape == x.shape
    for k in range(3):
        assert np.array_equal(columns[:, k], m @ x[:, k])
        assert np.array_equal(operator @ x[:, k], m.matvec(x[:, k]))
    assert m.matvec(x[:, :1]).shape == (matrix.shape[0], 1)
    assert np.array_equal(m(x[::1, 0]), m @ np.asarray(x[:, 0], np.float64))


def test_the_cycle_in_double_is_symmetric_and_definite():
    m = mt.multilevel(laplacian(15), "w=double")
    dense = m @ np.eye(m.shape[0])
    assert np.allclose(dense, dense.T, rtol=0, atol=1e-12 * np.abs(dense).max())
    assert np.linalg.eigvalsh((dense + dense.T) / 2)[0] > 0


def test_the_words_of_a_cycle_scale_with_the_vector():
    m = mt.multilevel("poisson2d:level=5", "w=8")
    x = mt.problem("poisson2d:level=5").b
    assert np.array_equal(m @ (x * 2.0 ** -40), (m @ x) * 2.0 ** -40)
    assert not (m @ np.zeros_like(x)).any()


def test_threads_of_python_share_a_cycle():
    m = mt.multilevel(laplacian(31), "w=10")
    x = np.random.default_rng(3).standard_normal((8, m.shape[0]))
    alone = [m @ row for row in x]
    found = [None] * len(x)

    def work(k):
        found[k] = m @ x[k]

    team = [threading.Thread(target=work, args=(k,)) for k in range(len(x))]
    for t in team:
        t.start()
    for t in team:
        t.join()
    assert all(np.array_equal(a, b) for a, b in zip(alone, found))


def test_jacobi_rounds_once_and_once():
    matrix = (laplacian(31) + sparse.diags(np.linspace(0, 400, 31 * 31))).tocsr()
    b = np.ones(matrix.shape[0])
    m = mt.jacobi(matrix, "s10e5")
    inverse = mt.round(1 / matrix.diagonal(), "s10e8")
    assert np.array_equal(m.inverse_diagonal, inverse)
    assert np.array_equal(m @ b, mt.mul(b, inverse, "s10e8"))
    assert np.array_equal(m @ (b * 2.0 ** -60), (m @ b) * 2.0 ** -60)
    exact = sparse.diags(1 / matrix.diagonal())
    assert steps_of(matrix, b, m) <= steps_of(matrix, b, exact) + 2 < steps_of(matrix, b, None)
    assert np.array_equal(mt.jacobi(matrix) @ b, 1 / matrix.diagonal())
    assert np.array_equal(linalg.aslinearoperator(m).rmatvec(b), m @ b)


@pytest.mark.parametrize("call, words", [
    (lambda: mt.multilevel(laplacian(7), "w=99"), "w"),
    (lambda: mt.multilevel(laplacian(7)) @ np.ones(3), r"shape \(3,\) beside 49 unknowns"),
    (lambda: mt.multilevel(laplacian(7)) @ np.full(49, np.nan), "not finite"),
    (lambda: mt.jacobi(laplacian(7)) @ np.full(49, np.nan), "not finite"),
    (lambda: mt.jacobi(np.diag([1.0, 1e-310])), "row 2 .*scale the matrix"),
    (lambda: mt.multilevel(np.array([[2.0, 1.0], [0.0, 2.0]])), "symmetric"),
    (lambda: mt.jacobi(laplacian(7), "fx18.16"), "fixed-point"),
    (lambda: mt.jacobi(np.array([[0.0, 1.0], [1.0, 2.0]])), "diagonal"),
])
def test_errors_have_one_line(call, words):
    with pytest.raises(ValueError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_advice_solves():
    matrix = laplacian(31)
    advice = mt.advise(mt.problem(matrix))
    result = advice.solve()
    assert result.converged and result.spec == mt.spec(advice.advised.spec)
    assert result.inner_iterations == advice.advised.tried_iterations
    assert advice.solve(tolerance=1e-6).inner_iterations < result.inner_iterations
    assert advice.hardware is None


def test_advice_on_a_device_is_that_of_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("MANTISSA_CACHE", str(tmp_path))
    (tmp_path / "none").write_text("")
    monkeypatch.setenv("MANTISSA_YOSYS", str(tmp_path / "none"))  # (no synthesis here: what is missing has its sentence)
    advice = mt.advise("poisson2d:level=5", engine=["emulated"], device="alveo-u280")
    assert advice.hardware.target == "xcup" and "device = \"alveo-u280\"" in advice.hardware.comparison
    assert advice.hardware.rows or advice.hardware.missing
    assert advice.text.rstrip().endswith(advice.hardware.missing[-1] if advice.hardware.missing else "")
    with pytest.raises(ValueError, match="alveo-u280"):
        mt.advise("poisson2d:level=5", device="alveo")
    with pytest.raises(ValueError, match="engine"):
        mt.advise("poisson2d:level=5", engine="emulator")
    with pytest.raises(ValueError, match="store"):
        mt.advise("poisson2d:level=5", store=tmp_path / "x.sqlite")


@pytest.mark.parametrize("options", [{"spec": "s17e8", "inner": 10}, {"preconditioner": "multilevel:v11,w=8"},
                                     {"scheme": "defect-correction", "spec": "s17e8", "inner": 10}])
def test_a_callback_sees_every_outer_step(options):
    seen = []
    result = mt.solve("poisson2d:level=6", **options, callback=lambda *step: seen.append(step))
    h = result.history
    assert seen == list(zip(h.inner_iterations, h.outer_iterations, h.relative_defect))[1:]  # (the start is no step)
    assert len(seen) > 5


def test_a_callback_ends_a_solve():
    seen = []

    def callback(inner, outer, defect):
        seen.append(outer)
        return defect > 1e-4

    ended = mt.solve("poisson2d:level=6", "s17e8", inner=10, callback=callback)
    assert ended.status == "iteration limit" and 1e-10 < ended.true_residual <= 1e-4
    compared = mt.solve("poisson2d:level=6", "s17e8", inner=10, callback=lambda i, o, defect: np.float64(defect) > 1e-4)
    assert compared.inner_iterations == ended.inner_iterations
    assert seen == sorted(seen)

    def fault(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        mt.solve("poisson2d:level=6", "s17e8", inner=10, callback=fault)
