// The kernels run operation by operation and sum by sum as the host's outer loop does (host/src/solve/residual.cpp,
// host/src/solve/residual_guided.cpp): products and sums rounded apart, in the same order.
#include "outer_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mantissa/outer_order.hpp"

namespace mantissa::gpu {

namespace {

constexpr int kOuterThreads = 256;
constexpr long long kNormBlock = outer_order::kNormBlock, kDotPart = outer_order::kPart;
constexpr int kNormLanes = outer_order::kNormLanes, kDotLanes = outer_order::kPartLanes;

__device__ __forceinline__ long long outer_element() {
    return static_cast<long long>(blockIdx.x) * kOuterThreads + threadIdx.x;
}

/// d = b - A u
__global__ void __launch_bounds__(kOuterThreads)
    outer_defect(const __grid_constant__ OuterMatrix a, const double* u, const double* b, double* d) {
    const long long i = outer_element(), n = a.row_length;
    if (i >= a.size) return;
    double sum = 0;
    if (a.kind == System::Kind::sparse) {
        for (std::uint64_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
            sum = __dadd_rn(sum, __dmul_rn(a.value[k], u[a.column[k]]));
    } else {
        if (a.kind == System::Kind::stencil) {
            const auto column = static_cast<std::uint32_t>(i) % static_cast<std::uint32_t>(n);
            if (i < n || i >= a.size - n || column == 0 || column == n - 1) {
                d[i] = b[i];
                return;
            }
        }
        for (int k = 0; k < kBands; ++k) {
            const long long j = i + n * (k / 3 - 1) + (k % 3 - 1);
            const double c = a.kind == System::Kind::stencil ? a.coefficient[k] : a.band[k][i];
            const double product = __dmul_rn(c, j >= 0 && j < a.size ? u[j] : 0.0);
            sum = k == 0 ? product : __dadd_rn(sum, product);
        }
    }
    d[i] = __dadd_rn(b[i], -sum);
}

/// Sums of squares of blocks of kNormBlock elements; kNormLanes threads a block.
__global__ void __launch_bounds__(kOuterThreads) outer_squares(const double* v, long long size, double* blocks) {
    const long long block = outer_element() / kNormLanes, begin = block * kNormBlock;
    const int lane = static_cast<int>(threadIdx.x % kNormLanes);
    const long long end = min(size, begin + kNormBlock);
    double s = 0;
    constexpr int kDeep = 16; // loads under way, ahead of the additions
    for (long long i = begin + lane; i < end; i += kNormLanes * kDeep) {
        double x[kDeep];
#pragma unroll
        for (int k = 0; k < kDeep; ++k) x[k] = i + kNormLanes * k < end ? v[i + kNormLanes * k] : 0.0;
#pragma unroll
        for (int k = 0; k < kDeep; ++k) s = __dadd_rn(s, __dmul_rn(x[k], x[k])); // (zeros change no sum)
    }
    for (int half = kNormLanes / 2; half > 0; half /= 2) {
        const double other = __shfl_down_sync(~0u, s, half, kNormLanes);
        if (lane < half) s = __dadd_rn(s, other);
    }
    if (lane == 0 && begin < size) blocks[block] = s;
}

constexpr int kPartThreads = 512, kPartRounds = 4, kPartTile = kPartThreads * kPartRounds;

/// Sums of parts of kDotPart products, a block each. kDotLanes of its threads add what all bring to shared memory.
__global__ void __launch_bounds__(kPartThreads) outer_sums(const double* product, long long size, double* parts) {
    static_assert(kDotPart % kPartTile == 0 && kPartTile % kDotLanes == 0);
    __shared__ double tile[2][kPartTile];
    const long long begin = blockIdx.x * kDotPart, end = min(size, begin + kDotPart);
    const int tid = static_cast<int>(threadIdx.x);
    double x[kPartRounds], s = 0;
    const auto load = [&](long long from) {
#pragma unroll
        for (int k = 0; k < kPartRounds; ++k) {
            const long long i = from + tid + k * kPartThreads;
            x[k] = i < end ? product[i] : 0.0; // (zeros change no sum)
        }
    };
    load(begin);
    int which = 0;
    for (long long from = begin; from < end; from += kPartTile, which ^= 1) {
#pragma unroll
        for (int k = 0; k < kPartRounds; ++k) tile[which][tid + k * kPartThreads] = x[k];
        load(from + kPartTile);
        __syncthreads();
        if (tid < kDotLanes)
#pragma unroll 32
            for (int k = 0; k < kPartTile / kDotLanes; ++k) s = __dadd_rn(s, tile[which][tid + k * kDotLanes]);
    }
    for (int half = kDotLanes / 2; half > 0; half /= 2) {
        const double other = __shfl_down_sync(~0u, s, half);
        if (tid < half) s = __dadd_rn(s, other);
    }
    if (tid == 0) parts[blockIdx.x] = s;
}

/// u += scale correction
__global__ void __launch_bounds__(kOuterThreads)
    outer_correct(double* u, double scale, const double* correction, long long size) {
    const long long i = outer_element();
    if (i < size) u[i] = __dadd_rn(u[i], __dmul_rn(scale, correction[i]));
}

} // namespace

DeviceOuter::DeviceOuter(const System& given)
    : u_(given.size()), b_(given.size()), d_(given.size()), direction_(given.size()), scratch_(given.size()),
      broken_(1), sums_(given.size() / static_cast<std::size_t>(kNormBlock) + 1) {
    matrix_.kind = given.kind();
    matrix_.size = static_cast<long long>(given.size());
    matrix_.row_length = static_cast<long long>(given.row_length());
    if (given.kind() == System::Kind::stencil) {
        std::ranges::copy(std::get<Stencil>(given.matrix()).coefficients(), matrix_.coefficient);
    } else if (given.kind() == System::Kind::bands) {
        for (std::size_t k = 0; k < kBands; ++k) {
            band_[k] = to_device(std::get<Bands>(given.matrix()).band(k));
            matrix_.band[k] = band_[k].data();
        }
    } else {
        const auto& rows = std::get<CompressedRows>(given.matrix());
        row_begin_ = to_device(rows.row_begin());
        column_ = to_device(rows.column());
        value_ = to_device(rows.value());
        matrix_.row_begin = row_begin_.data();
        matrix_.column = column_.data();
        matrix_.value = value_.data();
    }
}

void DeviceOuter::load(std::span<const double> u, std::span<const double> b, std::span<const double> d) {
    const auto size = static_cast<std::size_t>(matrix_.size);
    if (u.size() != size || b.size() != size || d.size() != size)
        throw InvalidInput("outer vectors: u, b and d must have as many elements as the system");
    u_.upload(u);
    b_.upload(b);
    d_.upload(d);
}

double DeviceOuter::dot(double scale) {
    form_direction(scale, true);
    const auto parts = static_cast<unsigned>((matrix_.size + kDotPart - 1) / kDotPart);
    outer_sums<<<parts, kPartThreads>>>(scratch_.data(), matrix_.size, sums_.data());
    check(cudaGetLastError(), "launch of outer_sums");
    return added(parts);
}

void DeviceOuter::restart(double scale, std::optional<double> share) {
    if (!share) form_direction(scale, false); // (dot() has formed it else)
    begin(share.value_or(0), share.has_value());
}

bool DeviceOuter::correct(double scale, double alpha) {
    if (!std::isfinite(alpha)) return false;
    broken_.zero();
    form_correction(alpha);
    unsigned broken = 0;
    broken_.download(std::span(&broken, 1));
    if (broken != 0) return false;
    outer_correct<<<blocks(), kOuterThreads>>>(u_.data(), scale, scratch_.data(), matrix_.size);
    check(cudaGetLastError(), "launch of outer_correct");
    return true;
}

void DeviceOuter::defect() {
    outer_defect<<<blocks(), kOuterThreads>>>(matrix_, u_.data(), b_.data(), d_.data());
    check(cudaGetLastError(), "launch of outer_defect");
}

double DeviceOuter::norm() {
    const auto count = static_cast<unsigned>((matrix_.size + kNormBlock - 1) / kNormBlock);
    outer_squares<<<(kNormLanes * count + kOuterThreads - 1) / kOuterThreads, kOuterThreads>>>(d_.data(), matrix_.size,
                                                                                               sums_.data());
    check(cudaGetLastError(), "launch of outer_squares");
    const double squares = added(count);
    if (outer_order::squares_suffice(squares)) return std::sqrt(squares);
    std::vector<double> d(static_cast<std::size_t>(matrix_.size)); // seldom: a defect beyond the range of its squares
    d_.download(std::span(d));
    return outer_order::scaled_norm(d, [&](double scale) {
        double sum = 0;
        for (std::size_t i = 0; i < d.size(); i += outer_order::kNormBlock)
            sum += outer_order::block_squares(d.data() + i, std::min(outer_order::kNormBlock, d.size() - i), scale);
        return sum;
    });
}

void DeviceOuter::read(std::span<double> u, std::span<double> d) const {
    u_.download(u);
    d_.download(d);
}

unsigned DeviceOuter::blocks() const {
    return static_cast<unsigned>((matrix_.size + kOuterThreads - 1) / kOuterThreads);
}

double DeviceOuter::added(unsigned count) {
    std::vector<double> parts(count);
    sums_.download(std::span(parts));
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

} // namespace mantissa::gpu
