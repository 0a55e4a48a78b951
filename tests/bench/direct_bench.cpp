// One mesh's parameterisation by Jacobi-PCG or by Eigen's sparse Cholesky factorisation, which is what direct solvers
// of geometry libraries come down to: times of each step, the true residual, the largest memory that the program took.
// One solver a run, so that the memory is its own.
//
//     direct_bench MESH SUBDIVISIONS pcg|ldlt [THREADS [TOLERANCE [MOST_ITERATIONS]]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include <sys/resource.h>

#include <Eigen/SparseCholesky>

#include "mantissa/host/mesh_systems.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"

namespace {

using namespace mantissa;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Solved {
    std::vector<double> x;
    std::string how;
};

Solved by_pcg(const CompressedRows& a, const std::vector<double>& b, PcgOptions o) {
    std::vector<std::vector<double>> x(1);
    const PcgReport report = jacobi_pcg(a, {b}, x, o).front();
    return {std::move(x[0]), std::to_string(report.iterations) + " iterations"};
}

/// Lower triangle, AMD ordering, LDL^T.
Solved by_ldlt(const CompressedRows& a, const std::vector<double>& b) {
    using Matrix = Eigen::SparseMatrix<double>;
    const auto n = static_cast<int>(a.rows());
    Matrix m(n, n);
    {
        const std::vector<int> begin(a.row_begin().begin(), a.row_begin().end()),
            column(a.column().begin(), a.column().end());
        m = Eigen::Map<const Matrix>(n, n, static_cast<int>(a.nonzeros()), begin.data(), column.data(),
                                     a.value().data()); // symmetric: its rows are its columns
    }
    const Eigen::SimplicialLDLT<Matrix> factor(m);
    if (factor.info() != Eigen::Success) return {std::vector<double>(b.size()), "the factorisation failed"};
    const Eigen::VectorXd x = factor.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), n));
    return {{x.data(), x.data() + n}, std::to_string(factor.matrixL().nestedExpression().nonZeros()) + " in L"};
}

int run(int argc, char** argv) {
    const std::string solver = argv[3];
    const int threads = argc > 4 ? std::atoi(argv[4]) : 1;
    PcgOptions pcg;
    pcg.threads = threads;
    pcg.tolerance = argc > 5 ? std::atof(argv[5]) : 1e-6;
    pcg.max_iterations = argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 1000000;
    const double start = now();
    TriangleMesh mesh = read_mesh(argv[1]);
    for (int k = 0; k < std::atoi(argv[2]); ++k) mesh = subdivided(mesh);
    const double loaded = now();
    LscmOptions options;
    options.threads = threads;
    const LscmSystem system = make_lscm(mesh, options);
    const double built = now();
    const auto& a = std::get<CompressedRows>(system.built.system().matrix());
    std::string how;
    double residual = -1;
    try {
        const Solved s = solver == "pcg" ? by_pcg(a, system.built.b(), pcg) : by_ldlt(a, system.built.b());
        how = s.how;
        residual = relative_residual(system.built.system(), s.x, system.built.b(), threads);
    } catch (const std::bad_alloc&) {
        how = "out of memory";
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%s x%s %s: %zu vertices, %zu unknowns, %zu nonzeros; read %.2f s, built %.2f s, solved %.2f s (%s), "
                "residual %.2e, user %.1f s, %ld MiB\n",
                argv[1], argv[2], solver.c_str(), mesh.points.size(), a.rows(), a.nonzeros(), loaded - start,
                built - loaded, now() - built, how.c_str(), residual,
                static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec),
                usage.ru_maxrss / 1024);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "direct_bench MESH SUBDIVISIONS pcg|ldlt [THREADS [TOLERANCE [MOST_ITERATIONS]]]\n");
        return 2;
    }
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "direct_bench: %s\n", e.what());
        return 2;
    }
}
