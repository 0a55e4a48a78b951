// Eigen's row-major sparse product, in a file of its own: it alone is compiled with Eigen and for its instruction set.
#include <Eigen/Sparse>

#include "products.hpp"

namespace mantissa::bench::eigen {

namespace {

template <class T>
void run(int rows, int nonzeros, const int* begin, const int* column, const T* value, const T* x, T* y, int threads) {
    using Matrix = Eigen::Map<const Eigen::SparseMatrix<T, Eigen::RowMajor>>;
    using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    Eigen::setNbThreads(threads);
    Eigen::Map<Vector>(y, rows).noalias() =
        Matrix(rows, rows, nonzeros, begin, column, value) * Eigen::Map<const Vector>(x, rows);
}

} // namespace

void product(int rows, int nonzeros, const int* begin, const int* column, const double* value, const double* x,
             double* y, int threads) {
    run(rows, nonzeros, begin, column, value, x, y, threads);
}
void product(int rows, int nonzeros, const int* begin, const int* column, const float* value, const float* x, float* y,
             int threads) {
    run(rows, nonzeros, begin, column, value, x, y, threads);
}

} // namespace mantissa::bench::eigen
