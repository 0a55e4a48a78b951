#include "mantissa/sparse/cpu.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mantissa/format.hpp"
#include "mantissa/reached.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/row_defect.hpp"

namespace mantissa {

namespace {

using Index = std::ptrdiff_t;

template <class T>
void crs_rows(std::uint32_t rows, const std::uint32_t* begin, const std::uint32_t* column, const T* value, const T* x,
              T* y, [[maybe_unused]] int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < static_cast<Index>(rows); ++i) {
        T sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

template <class T, int B>
void block_rows(std::uint32_t rows, const std::uint32_t* begin, const std::uint32_t* column, const T* value, const T* x,
                T* y, [[maybe_unused]] int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < static_cast<Index>(rows); ++i) {
        T sum[B] = {};
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
            const T* const block = value + static_cast<std::size_t>(k) * (B * B);
            const T* const part = x + static_cast<std::size_t>(column[k]) * B;
            for (int r = 0; r < B; ++r)
                for (int c = 0; c < B; ++c) sum[r] += block[r * B + c] * part[c];
        }
        for (int r = 0; r < B; ++r) y[i * B + r] = sum[r];
    }
}

template <class T>
void complex_rows(std::uint32_t rows, const std::uint32_t* begin, const std::uint32_t* column, const T* value,
                  const T* x, T* y, [[maybe_unused]] int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < static_cast<Index>(rows); ++i) {
        T real = 0, imaginary = 0;
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
            const T re = value[2 * std::size_t{k}], im = value[2 * std::size_t{k} + 1];
            const T* const part = x + 2 * std::size_t{column[k]};
            real += re * part[0] - im * part[1];
            imaginary += im * part[0] + re * part[1];
        }
        y[2 * i] = real;
        y[2 * i + 1] = imaginary;
    }
}

/// `slice`: those of whole rows, one after another; `row` has the matrix's row for each stored one.
template <class T>
void sliced_rows(std::span<const SlicedEll::Slice> slice, std::uint32_t rows, const std::uint32_t* row,
                 const std::uint32_t* column, const T* value, const T* x, T* y, [[maybe_unused]] int threads) {
    constexpr std::uint32_t kWidth = SlicedEll::kWidth;
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (Index k = 0; k < static_cast<Index>(slice.size()); ++k) {
        const SlicedEll::Slice s = slice[static_cast<std::size_t>(k)];
        const std::uint32_t end =
            static_cast<std::size_t>(k) + 1 < slice.size() ? slice[static_cast<std::size_t>(k) + 1].row : rows;
        T sum[kWidth] = {};
        for (std::size_t e = std::size_t{s.begin} * kWidth; e < (std::size_t{s.begin} + s.steps) * kWidth; e += kWidth)
            for (std::uint32_t t = 0; t < kWidth; ++t) sum[t] += value[e + t] * x[column[e + t]];
        for (std::uint32_t t = s.row; t < end; ++t) {
            T all = 0;
            for (std::uint32_t lane = 0; lane < s.lanes; ++lane) all += sum[(t - s.row) * s.lanes + lane];
            y[row[t]] = all;
        }
    }
}

/// Rows in slices; on the processor "SELL in order" has its rows in order of length within their slice.
bool is_sliced(SparseFormat format) {
    return format == SparseFormat::sell || format == SparseFormat::sell_lengths ||
           format == SparseFormat::sell_in_order;
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

template <class T>
CpuProduct<T>::CpuProduct(const CompressedRows& a, SparseFormat format, int threads)
    : format_(format), threads_(threads), rows_(static_cast<std::uint32_t>(a.rows())), padded_(a.rows()) {
    const auto take = [&](const std::vector<double>& values) { value_.assign(values.begin(), values.end()); };
    if (format == SparseFormat::crs) {
        begin_ = narrow_row_begin(a);
        column_ = a.column();
        take(a.value());
    } else if (format == SparseFormat::bcrs2 || format == SparseFormat::bcrs4) {
        Bcrs b = to_bcrs(a, format == SparseFormat::bcrs2 ? 2 : 4);
        block_ = b.block;
        padded_ = std::size_t{b.block_rows()} * b.block;
        begin_ = std::move(b.row_begin);
        column_ = std::move(b.column);
        take(b.value);
    } else if (format == SparseFormat::complex2 || format == SparseFormat::complex_sell) { // one thing here
        ComplexBlocks b = to_complex_blocks(a);
        begin_ = std::move(b.row_begin);
        column_ = std::move(b.column);
        take(b.value);
    } else if (is_sliced(format)) {
        SlicedOptions options = format == SparseFormat::sell           ? kPlainSell
                                : format == SparseFormat::sell_lengths ? sell_by_lengths(a)
                                                                       : SlicedOptions{.window = SlicedEll::kWidth};
        options.longest_piece = 0; // pieces are for devices
        SlicedEll s = to_sliced_ell(a, options);
        slice_ = std::move(s.slice);
        column_ = std::move(s.column);
        permutation_ = std::move(s.permutation);
        take(s.value);
    } else {
        Jds j = to_jds(a);
        begin_ = std::move(j.diagonal_begin);
        column_ = std::move(j.column);
        permutation_ = std::move(j.permutation);
        count_ = std::move(j.row_count);
        take(j.value);
    }
}

template <class T> void CpuProduct<T>::apply(std::span<const T> x, std::span<T> y) const {
    if (x.size() != padded_ || y.size() != padded_)
        throw InvalidInput("sparse product: x and y have padded_rows() elements");
    if (format_ == SparseFormat::crs)
        return crs_rows(rows_, begin_.data(), column_.data(), value_.data(), x.data(), y.data(), threads_);
    if (block_ == 2)
        return block_rows<T, 2>(static_cast<std::uint32_t>(padded_ / 2), begin_.data(), column_.data(), value_.data(),
                                x.data(), y.data(), threads_);
    if (block_ == 4)
        return block_rows<T, 4>(static_cast<std::uint32_t>(padded_ / 4), begin_.data(), column_.data(), value_.data(),
                                x.data(), y.data(), threads_);
    if (format_ == SparseFormat::complex2 || format_ == SparseFormat::complex_sell)
        return complex_rows(rows_ / 2, begin_.data(), column_.data(), value_.data(), x.data(), y.data(), threads_);
    if (is_sliced(format_))
        return sliced_rows<T>(slice_, rows_, permutation_.data(), column_.data(), value_.data(), x.data(), y.data(),
                              threads_);
    if (format_ == SparseFormat::jds_rows) {
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (Index t = 0; t < static_cast<Index>(rows_); ++t) {
            T sum = 0;
            for (std::uint32_t d = 0; d < count_[static_cast<std::size_t>(t)]; ++d) {
                const std::size_t k = begin_[d] + static_cast<std::size_t>(t);
                sum += value_[k] * x[column_[k]];
            }
            y[permutation_[static_cast<std::size_t>(t)]] = sum;
        }
        return;
    }
    // Plain JDS: one jagged diagonal after another, y in memory.
    std::vector<T> sum(rows_, T(0));
    for (std::size_t d = 0; d + 1 < begin_.size(); ++d) {
        const Index length =
            std::ranges::partition_point(count_, [d](std::uint32_t n) { return n > d; }) - count_.begin();
#pragma omp parallel for simd schedule(static) num_threads(threads_)
        for (Index t = 0; t < length; ++t)
            sum[static_cast<std::size_t>(t)] +=
                value_[begin_[d] + static_cast<std::size_t>(t)] * x[column_[begin_[d] + static_cast<std::size_t>(t)]];
    }
    for (std::size_t t = 0; t < rows_; ++t) y[permutation_[t]] = sum[t];
}

template class CpuProduct<float>;
template class CpuProduct<double>;

namespace {

/// x += c with A c = d, solved from c = 0 until the recursion's ||r|| is at most `goal` or the result's iterations
/// reach `limit`. Returns whether it got there.
template <class T>
bool correct(const CpuProduct<T>& product, const std::vector<T>& inverse, std::span<const double> d, double goal,
             std::size_t limit, [[maybe_unused]] int threads, std::vector<double>& x, CpuCgResult& result) {
    const std::size_t n = d.size();
    std::vector<T> c(n, 0), r(n), p(product.padded_rows(), 0), q(product.padded_rows(), 0);
    const auto start = seconds_now();
    double rho = 0, rr = 0;
    for (std::size_t i = 0; i < n; ++i) {
        r[i] = static_cast<T>(d[i]);
        p[i] = r[i] * inverse[i];
        rho += static_cast<double>(r[i]) * static_cast<double>(p[i]);
        rr += static_cast<double>(r[i]) * static_cast<double>(r[i]);
    }
    while (result.iterations < limit && rr > goal * goal) {
        product.apply(p, q);
        double pq = 0;
#pragma omp parallel for simd reduction(+ : pq) num_threads(threads)
        for (std::size_t i = 0; i < n; ++i) pq += static_cast<double>(p[i]) * static_cast<double>(q[i]);
        if (!(pq > 0)) break;
        const T alpha = static_cast<T>(rho / pq);
        double next = 0;
        rr = 0;
#pragma omp parallel for simd reduction(+ : next, rr) num_threads(threads)
        for (std::size_t i = 0; i < n; ++i) {
            c[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            const double ri = static_cast<double>(r[i]);
            next += ri * static_cast<double>(r[i] * inverse[i]);
            rr += ri * ri;
        }
        const T beta = static_cast<T>(next / rho);
        rho = next;
#pragma omp parallel for simd num_threads(threads)
        for (std::size_t i = 0; i < n; ++i) p[i] = r[i] * inverse[i] + beta * p[i];
        ++result.iterations;
    }
    result.seconds += seconds_now() - start;
    for (std::size_t i = 0; i < n; ++i) x[i] += static_cast<double>(c[i]);
    return rr <= goal * goal;
}

} // namespace

template <class T>
CpuCgResult cpu_jacobi_cg(const CompressedRows& a, SparseFormat format, std::span<const double> b, double tolerance,
                          std::size_t max_iterations, int threads, std::vector<double>* solution) {
    if (b.size() != a.rows()) throw InvalidInput("right-hand side: its size is not the matrix's");
    const CpuProduct<T> product(a, format, threads);
    const std::vector<double> exact = jacobi_inverse(a);
    const std::vector<T> inverse(exact.begin(), exact.end());
    const double norm = std::sqrt(sum_of_squares(b));
    std::vector<double> x(a.rows(), 0.0), defect(b.begin(), b.end());
    CpuCgResult result;
    result.converged = norm == 0;
    result.true_residual = norm == 0 ? 0 : 1;
    // As on the device: in double, CG goes on from the true residual where that is still above the tolerance.
    for (bool again = norm > 0; again;) {
        const double before = result.true_residual;
        const bool said = correct(product, inverse, defect, tolerance * norm, max_iterations, threads, x, result);
        form_defect(a, b, x, defect);
        result.true_residual = std::sqrt(sum_of_squares(defect)) / norm;
        result.converged = result.true_residual < tolerance * (1 + kReachedSlack);
        again = said && !result.converged && sizeof(T) == 8 && result.true_residual < 0.5 * before &&
                result.iterations < max_iterations;
    }
    if (solution != nullptr) *solution = std::move(x);
    return result;
}

template CpuCgResult cpu_jacobi_cg<float>(const CompressedRows&, SparseFormat, std::span<const double>, double,
                                          std::size_t, int, std::vector<double>*);
template CpuCgResult cpu_jacobi_cg<double>(const CompressedRows&, SparseFormat, std::span<const double>, double,
                                           std::size_t, int, std::vector<double>*);

} // namespace mantissa
