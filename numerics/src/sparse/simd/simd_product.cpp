#include "mantissa/sparse/simd_product.hpp"

#include <algorithm>
#include <utility>

#include "../../isa/isa.hpp"
#include "kernels.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa {

namespace {

static_assert(detail::kSliceRows == SlicedEll::kWidth);

template <class T> const detail::SimdKernels<T>& kernels_of(ProductCode code) {
    if (code == ProductCode::scalar) return detail::plain::simd_kernels(T{});
#if defined(__x86_64__)
    if (detail::best_isa() == detail::Isa::avx512) return detail::avx512::simd_kernels(T{});
    if (detail::best_isa() == detail::Isa::avx2) return detail::avx2::simd_kernels(T{});
#endif
    return detail::baseline::simd_kernels(T{});
}

template <class T> detail::SimdKernel<T> kernel_of(ProductCode code, SparseFormat format) {
    const detail::SimdKernels<T>& kernels = kernels_of<T>(code);
    switch (format) {
    case SparseFormat::bcrs2:
        return kernels.bcrs2;
    case SparseFormat::bcrs4:
        return kernels.bcrs4;
    case SparseFormat::complex2:
        return kernels.complex2;
    case SparseFormat::sell:
        return kernels.sliced;
    default:
        return kernels.crs;
    }
}

} // namespace

template <class T>
SimdProduct<T>::SimdProduct(const CompressedRows& a, SparseFormat format, ProductCode code, int threads)
    : format_(format), code_(code), rows_(static_cast<std::uint32_t>(a.rows())), padded_(a.rows()) {
    const auto take = [&](const std::vector<double>& values) { value_.assign(values.begin(), values.end()); };
    if (format == SparseFormat::crs) {
        begin_ = narrow_row_begin(a);
        column_ = a.column();
        take(a.value());
    } else if (format == SparseFormat::bcrs2 || format == SparseFormat::bcrs4) {
        Bcrs b = to_bcrs(a, format == SparseFormat::bcrs2 ? 2 : 4);
        padded_ = std::size_t{b.block_rows()} * b.block;
        begin_ = std::move(b.row_begin);
        column_ = std::move(b.column);
        take(b.value);
    } else if (format == SparseFormat::complex2) {
        ComplexBlocks b = to_complex_blocks(a);
        begin_ = std::move(b.row_begin);
        column_ = std::move(b.column);
        take(b.value);
    } else if (format == SparseFormat::sell) {
        SlicedEll s = to_sliced_ell(a, kPlainSell);
        for (const SlicedEll::Slice& slice : s.slice) begin_.push_back(slice.begin);
        begin_.push_back(s.steps());
        column_ = std::move(s.column);
        row_ = std::move(s.permutation);
        take(s.value);
    } else {
        throw InvalidInput("explicit SIMD products: no " + to_string(format) +
                           "; take CRS, BCRS 2x2, BCRS 4x4, complex 2x2 or SELL");
    }
    column_.resize(column_.size() + detail::kSimdTail, 0);
    value_.resize(value_.size() + 4 * detail::kSimdTail, T(0));
    share(threads);
}

template <class T> void SimdProduct<T>::share(int threads) {
    // Entries weigh one each, a row of them some more.
    constexpr std::uint64_t kRow = 2;
    const std::size_t pieces = begin_.size() - 1;
    const auto weight = [&](std::size_t k) { return begin_[k] + kRow * k; };
    const auto parts = static_cast<std::size_t>(std::max(1, threads));
    for (std::size_t part = 0; part < parts; ++part) {
        const std::uint64_t wanted = weight(pieces) * part / parts;
        std::size_t low = 0, high = pieces;
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (weight(middle) < wanted) low = middle + 1;
            else high = middle;
        }
        shares_.push_back(low);
    }
    shares_.push_back(pieces);
}

template <class T> void SimdProduct<T>::apply(std::span<const T> x, std::span<T> y) const {
    if (x.size() != padded_ || y.size() != padded_)
        throw InvalidInput("sparse product: x and y have padded_rows() elements");
    const detail::SimdArrays<T> arrays{begin_.data(), column_.data(), value_.data(), row_.data(),
                                       rows_,         x.data(),       y.data()};
    const detail::SimdKernel<T> kernel = kernel_of<T>(code_, format_);
    const auto parts = static_cast<int>(shares_.size()) - 1;
    if (parts == 1) return kernel(arrays, shares_[0], shares_[1]);
#pragma omp parallel for schedule(static, 1) num_threads(parts)
    for (int part = 0; part < parts; ++part)
        kernel(arrays, shares_[static_cast<std::size_t>(part)], shares_[static_cast<std::size_t>(part) + 1]);
}

template class SimdProduct<float>;
template class SimdProduct<double>;

} // namespace mantissa
