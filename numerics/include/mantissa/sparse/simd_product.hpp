// Products y = A x on this processor with explicit vector instructions (AVX-512 or AVX2, whichever there is) and
// threads, and their scalar twins: one multiplication at a time, in the order of the entries.
//
// Orders of sums, which neither threads nor the instruction set change, each product and each sum rounded to T. L = 8
// for double, 16 for float. "Closed by halving": the upper half of the partial sums is added to the lower, until one is
// left.
//
//     CRS           entry k of a row goes to partial sum k mod L; closed by halving
//     BCRS 4x4      entries of block column c go to partial sum c; closed by halving
//     BCRS 2x2      blocks k mod 4 apart, each with a sum for both columns; closed by halving over the blocks, then
//     both
//                   columns added
//     complex 2x2   blocks k mod 4 apart, with sums of re u, re v, im u, im v; closed by halving over the blocks, then
//                   y = (re u - im v, re v + im u)
//     SELL          entries in their order, as the scalar twin and reference_product() have it: the same bits
#pragma once

#include <span>
#include <vector>

#include "mantissa/sparse/formats.hpp"

namespace mantissa {

/// With which code a product is formed.
enum class ProductCode : std::uint8_t {
    scalar, ///< the twin: one entry after another
    simd,   ///< the best instruction set there is (MANTISSA_ISA lowers it); the same bits with each
};

/// T is float or double. Values are rounded to T once, when the object is made.
template <class T> class SimdProduct {
public:
    /// Formats: crs, bcrs2, bcrs4, complex2, sell. Throws InvalidInput on another one, and where the matrix does not
    /// fit the format (to_bcrs(), to_complex_blocks(), to_sliced_ell()).
    SimdProduct(const CompressedRows& a, SparseFormat format, ProductCode code = ProductCode::simd, int threads = 1);
    /// y = A x. Both have padded_rows() elements; those of x after the rows are finite, those of y become zeros.
    void apply(std::span<const T> x, std::span<T> y) const;
    [[nodiscard]] std::size_t padded_rows() const { return padded_; }
    [[nodiscard]] SparseFormat format() const { return format_; }

private:
    void share(int threads);

    SparseFormat format_;
    ProductCode code_;
    std::uint32_t rows_ = 0;
    std::size_t padded_ = 0;
    std::vector<std::uint32_t> begin_, column_, row_;
    std::vector<T> value_;
    std::vector<std::size_t> shares_; ///< each thread's first row, block row or slice, and the end
};
extern template class SimdProduct<float>;
extern template class SimdProduct<double>;

} // namespace mantissa
