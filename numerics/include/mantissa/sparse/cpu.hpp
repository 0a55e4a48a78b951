// Products y = A x on this processor in the same formats, with OpenMP over rows and vectors inside: the comparison
// that the GPU figures stand against.
#pragma once

#include <span>

#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa {

/// T is float or double. x and y have a.rows elements, and x readable zeros up to the next multiple of the block for
/// BCRS. Values are rounded to T once, when the object is made.
template <class T> class CpuProduct {
public:
    CpuProduct(const CompressedRows& a, SparseFormat format, int threads = 1);
    /// y = A x. x.size() and y.size() are padded_rows().
    void apply(std::span<const T> x, std::span<T> y) const;
    [[nodiscard]] std::size_t padded_rows() const { return padded_; }
    [[nodiscard]] SparseFormat format() const { return format_; }

private:
    SparseFormat format_;
    int threads_;
    std::uint32_t rows_ = 0, block_ = 1;
    std::size_t padded_ = 0;
    std::vector<std::uint32_t> begin_, column_, permutation_, count_;
    std::vector<SlicedEll::Slice> slice_; ///< a row in pieces is one slice here
    std::vector<T> value_;
};
extern template class CpuProduct<float>;
extern template class CpuProduct<double>;

/// How a solve by CG on the processor ended and what it took.
struct CpuCgResult {
    std::size_t iterations = 0;
    double true_residual = 0; ///< ||b - A x|| / ||b|| in double precision
    double seconds = 0;
    bool converged = false; ///< the true residual has reached the tolerance
};
/// Jacobi-preconditioned CG from x = 0 in T until ||b - A x|| is below tolerance ||b||: it ends by its recursion's
/// residual, and in double goes on from the true one where that is still above.
template <class T>
CpuCgResult cpu_jacobi_cg(const CompressedRows& a, SparseFormat format, std::span<const double> b, double tolerance,
                          std::size_t max_iterations, int threads, std::vector<double>* x = nullptr);
extern template CpuCgResult cpu_jacobi_cg<float>(const CompressedRows&, SparseFormat, std::span<const double>, double,
                                                 std::size_t, int, std::vector<double>*);
extern template CpuCgResult cpu_jacobi_cg<double>(const CompressedRows&, SparseFormat, std::span<const double>, double,
                                                  std::size_t, int, std::vector<double>*);

} // namespace mantissa
