#include "engine/outer_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/outer_kernels.cuh"
#include "mantissa/outer_order.hpp"

namespace mantissa::gpu {

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
    outer_defect<<<blocks(), kOuterThreads>>>(matrix_, 0, matrix_.size, u_.data(), b_.data(), d_.data());
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
    return outer_order::scaled_norm(d);
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
