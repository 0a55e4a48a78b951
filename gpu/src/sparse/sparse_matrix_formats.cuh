// DeviceMatrix: how a matrix gets to the device in each format, and products in it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "device_threads.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "schedules/graph.hpp"
#include "sparse/sparse_matrix.cuh"

namespace mantissa::gpu {

/// Threads that share a row: so many that the longest row takes them four rounds, but at most two for each entry of the
/// mean row. (On an H200, of 2 to 32 the best or within 4 % of it, on every matrix that was tried.)
inline int lanes_for_rows(double mean, std::uint32_t longest) {
    int lanes = 2;
    while (lanes < 32 && 4U * static_cast<unsigned>(lanes) < longest && lanes <= mean) lanes *= 2;
    return lanes;
}
/// Threads that share a row of `mean` blocks: about one for each two.
inline int lanes_for(double mean, int least) {
    int lanes = least;
    while (lanes < 32 && 2.0 * lanes < mean) lanes *= 2;
    return lanes;
}

/// Rows have so many entries in the mean where a block of threads takes theirs all together.
inline constexpr double kFewEntries = 8;
/// Are there rows for all threads that the card has at work at once? Below, a product is latency.
inline bool fills_card(std::uint32_t rows) {
    return rows >= device_threads() && rows < (1U << 31);
}

inline const Bands& bands_of(const System& system) {
    const Bands* const bands = std::get_if<Bands>(&system.matrix());
    if (bands == nullptr) throw InvalidInput("band matrix: the system has no bands");
    return *bands;
}

template <class T>
DeviceMatrix<T>::DeviceMatrix(const CompressedRows& a, SparseFormat format)
    : rows_(static_cast<std::uint32_t>(a.rows())), padded_((a.rows() + 3) / 4 * 4), host_(a) {
    static_cast<void>(require_device());
    if (format == SparseFormat::crs) {
        const std::vector<std::uint32_t> row_begin = narrow_row_begin(a);
        upload(row_begin, a.column(), a.value());
        const double mean = static_cast<double>(a.nonzeros()) / std::max<double>(1, rows_);
        std::uint32_t longest = 0;
        for (std::uint32_t i = 0; i < rows_; ++i) longest = std::max(longest, row_begin[i + 1] - row_begin[i]);
        const CrsProduct<T> crs{begin_.data(), column_.data(), value_.data(), rows_, lanes_for_rows(mean, longest)};
        if (mean <= kFewEntries && fills_card(rows_)) operator_ = ShortRowsProduct<T>{crs, rows_};
        else operator_ = crs;
    } else if (format == SparseFormat::bcrs2) {
        operator_ = blocks<2>(a);
    } else if (format == SparseFormat::bcrs4) {
        operator_ = blocks<4>(a);
    } else if (format == SparseFormat::complex2) {
        const ComplexBlocks b = to_complex_blocks(a);
        upload(b.row_begin, b.column, b.value);
        const double mean = static_cast<double>(b.column.size()) / std::max<double>(1, b.block_rows());
        operator_ = ComplexProduct<T>{begin_.data(), column_.data(), value_.data(), b.block_rows(),
                                      std::min(32, lanes_for(mean, 2))};
    } else if (format == SparseFormat::complex_sell) {
        operator_ = sliced_complex(to_sliced_ell(to_complex_blocks(a), kPlainSell));
    } else if (format == SparseFormat::sell || format == SparseFormat::sell_lengths) {
        take_sliced(a, format == SparseFormat::sell ? kPlainSell : sell_by_lengths(a, device_threads()));
    } else if (format == SparseFormat::sell_in_order) {
        take_ordered(a);
    } else {
        const Jds j = to_jds(a);
        upload(j.diagonal_begin, j.column, j.value);
        permutation_ = to_device(j.permutation);
        count_ = to_device(j.row_count);
        if (format == SparseFormat::jds_rows) {
            operator_ = JdsRowProduct<T>{begin_.data(), column_.data(), permutation_.data(),
                                         count_.data(), value_.data(),  rows_};
        } else {
            sums_.allocate(padded_);
            operator_ = JdsProduct<T>{begin_.data(), column_.data(), permutation_.data(), count_.data(), value_.data(),
                                      sums_.data(),  rows_};
        }
    }
    allocate_vectors();
}

template <class T>
DeviceMatrix<T>::DeviceMatrix(const CompressedRows& a, const SlicedOptions& options)
    : rows_(static_cast<std::uint32_t>(a.rows())), padded_((a.rows() + 3) / 4 * 4), host_(a) {
    static_cast<void>(require_device());
    take_sliced(a, options);
    allocate_vectors();
}

template <class T>
DeviceMatrix<T>::DeviceMatrix(const System& system)
    : rows_(static_cast<std::uint32_t>(system.size())), padded_((system.size() + 3) / 4 * 4),
      host_(to_compressed_rows(bands_of(system))) {
    static_cast<void>(require_device());
    const Bands& bands = bands_of(system);
    BandProduct<T> product{};
    for (std::size_t b = 0; b < 9; ++b) {
        band_[b] = to_device(std::vector<T>(bands.band(b).begin(), bands.band(b).end()));
        product.band[b] = band_[b].data();
    }
    product.rows = static_cast<long long>(bands.size());
    product.row_length = static_cast<long long>(bands.row_length());
    operator_ = product;
    allocate_vectors();
}

template <class T> void DeviceMatrix<T>::apply(std::span<const double> x, std::span<double> y) const {
    if (x.size() != rows_ || y.size() != rows_)
        throw InvalidInput("sparse product: x and y have a row's number of elements");
    std::vector<T> host(padded_, T(0));
    std::copy(x.begin(), x.end(), host.begin());
    p_.upload(host);
    check(cudaMemset(q_.data(), 0xFF, q_.size() * sizeof(T)), "cudaMemset"); // no element may stay so
    product();
    q_.download(host);
    std::copy_n(host.begin(), rows_, y.begin());
}

template <class T> std::function<double()> DeviceMatrix<T>::product_batches(bool dependent) const {
    std::vector<T> host(padded_, T(0));
    for (std::size_t i = 0; i < rows_; ++i) host[i] = static_cast<T>(1.0 + 1e-3 * static_cast<double>(i % 97));
    p_.upload(host);
    // Batches, so that the gaps between launches do not count.
    static constexpr int kBatch = 20;
    const auto batches = [&](Grid grid) -> std::function<double()> {
        const auto graph = std::make_shared<Graph>();
        graph->capture([&](cudaStream_t stream) {
            for (int i = 0; i < kBatch; ++i) product(stream, dependent, grid);
        });
        return [graph, timer = std::make_shared<Timer>()] {
            timer->start();
            graph->launch();
            return timer->stop() / kBatch;
        };
    };
    std::function<double()> best = batches(Grid::at_once);
    if (!grids_differ()) return best;
    // Which of the two is faster depends on the card and on the order of the matrix (docs/gpu.md): it is measured.
    std::function<double()> other = batches(Grid::all);
    double least = std::numeric_limits<double>::infinity(), least_other = least;
    for (int i = 0; i < 5; ++i) {
        least = std::min(least, best());
        least_other = std::min(least_other, other());
    }
    return least_other < least ? other : best;
}

template <class T> template <class Kind> double DeviceMatrix<T>::threads_of(const Kind& a) const {
    if constexpr (requires { a.slices; }) return 32.0 * a.slices;
    else if constexpr (requires { a.warps; }) return 32.0 * a.warps;
    else if constexpr (requires { a.lanes; }) return static_cast<double>(a.rows) * a.lanes;
    else return rows_;
}

template <class T> Buffer<T> DeviceMatrix<T>::values_to_device(const std::vector<double>& value) {
    if constexpr (std::is_same_v<T, double>) return to_device(value);
    else return to_device(std::vector<T>(value.begin(), value.end()));
}

template <class T>
void DeviceMatrix<T>::upload(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& column,
                             const std::vector<double>& value) {
    begin_ = to_device(begin);
    column_ = to_device(column);
    value_ = values_to_device(value);
}

template <class T> template <int B> BlockProduct<T, B> DeviceMatrix<T>::blocks(const CompressedRows& a) {
    const Bcrs b = to_bcrs(a, B);
    upload(b.row_begin, b.column, b.value);
    const double mean = static_cast<double>(b.column.size()) / std::max<double>(1, b.block_rows());
    return {begin_.data(), column_.data(), value_.data(), b.block_rows(),
            std::max(B, std::min(32, B * lanes_for(mean, 1)))};
}

template <class T> void DeviceMatrix<T>::upload(const SlicedEll& s) {
    std::vector<DeviceSlice> slices;
    slices.reserve(s.slice.size());
    for (const SlicedEll::Slice& k : s.slice)
        slices.push_back(
            {k.begin, k.steps | static_cast<std::uint32_t>(std::countr_zero(k.lanes)) << 26, k.row, k.long_row});
    slice_ = to_device(slices);
    column_ = to_device(s.column);
    value_ = values_to_device(s.value);
    permutation_ = to_device(s.permutation);
}

template <class T> SlicedComplexProduct<T> DeviceMatrix<T>::sliced_complex(const SlicedEll& s) {
    upload(s);
    return {
        slice_.data(), column_.data(), permutation_.data(), value_.data(), static_cast<std::uint32_t>(s.slice.size()),
        s.rows};
}

template <class T> template <int U> SlicedProduct<T, U> DeviceMatrix<T>::sliced(const SlicedEll& s) {
    upload(s);
    std::vector<uint2> long_rows;
    for (const SlicedEll::LongRow& r : s.long_row) long_rows.push_back({r.first_slice, r.pieces});
    if (!long_rows.empty()) {
        long_row_ = to_device(long_rows);
        count_ = to_device(std::vector<std::uint32_t>(long_rows.size(), 0));
        sums_.allocate(s.slice.size());
        late_sums_.allocate(2 * long_rows.size());
        late_sums_.zero();
        late_ = {late_sums_.data(), static_cast<std::uint32_t>(long_rows.size())};
    }
    return {
        slice_.data(), column_.data(),   permutation_.data(), value_.data(), static_cast<std::uint32_t>(s.slice.size()),
        rows_,         long_row_.data(), sums_.data(),        count_.data()};
}

template <class T> void DeviceMatrix<T>::take_sliced(const CompressedRows& a, const SlicedOptions& options) {
    const SlicedEll s = to_sliced_ell(a, options);
    if (options.depth == 0 || options.depth > 4) operator_ = sliced<8>(s);
    else operator_ = sliced<4>(s);
}

template <class T> void DeviceMatrix<T>::take_ordered(const CompressedRows& a) {
    const OrderedEll e = to_ordered_ell(a);
    upload(e.begin, e.column, e.value);
    entries_ = to_device(e.count);
    const std::uint8_t longest = e.count.empty() ? std::uint8_t{0} : *std::ranges::max_element(e.count);
    if (longest <= 4)
        operator_ = OrderedProduct<T, 4>{begin_.data(), entries_.data(), column_.data(), value_.data(), rows_};
    else operator_ = OrderedProduct<T, 8>{begin_.data(), entries_.data(), column_.data(), value_.data(), rows_};
}

template <class T> void DeviceMatrix<T>::allocate_vectors() {
    p_.allocate(padded_);
    q_.allocate(padded_);
}

template <class T> template <class Kind> unsigned DeviceMatrix<T>::blocks_for(const Kind& a, Grid grid) const {
    const double wanted = std::max(1.0, std::ceil(threads_of(a) / 256));
    if (grid == Grid::all) return static_cast<unsigned>(wanted);
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sparse_product<Kind>, 256, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const double most = static_cast<double>(std::max(1, blocks)) * require_device().multiprocessors;
    return static_cast<unsigned>(std::min(wanted, most));
}

template <class T> bool DeviceMatrix<T>::grids_differ() const {
    return std::visit([&](const auto& a) { return blocks_for(a, Grid::at_once) != blocks_for(a, Grid::all); },
                      operator_);
}

template <class T> void DeviceMatrix<T>::product(cudaStream_t stream, bool dependent, Grid grid) const {
    std::visit(
        [&](const auto& a) {
            using Kind = std::decay_t<decltype(a)>;
            launch(sparse_product<Kind>, blocks_for(a, grid), 256, stream, dependent, a, p_.data(), q_.data());
        },
        operator_);
}

template <class T>
void DeviceMatrix<T>::cg_product(cudaStream_t stream, const T* inverse, double* partial, SparseStatus* status,
                                 bool counts) const {
    std::visit(
        [&](const auto& a) {
            using Kind = std::decay_t<decltype(a)>;
            sparse_apply<Kind><<<sparse_blocks(rows_), kSparseThreads, 0, stream>>>(
                a, inverse, p_.data(), q_.data(), rows_, partial, status, counts, late_);
        },
        operator_);
    check(cudaGetLastError(), "launch of sparse_apply");
}

} // namespace mantissa::gpu
