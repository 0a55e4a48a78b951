// The outer loop's double-precision vectors on the device. What meets a session's own vectors is left to the session.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "mantissa/engine.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/outer/outer_vectors.hpp"

namespace mantissa::gpu {

/// The matrix in double precision.
struct OuterMatrix {
    System::Kind kind;
    double coefficient[kBands];
    const double* band[kBands];
    const std::uint64_t* row_begin;
    const std::uint32_t* column;
    const double* value;
    long long size, row_length;
};

class DeviceOuter : public OuterVectors {
public:
    /// Does it take the defects of such a matrix? (Those of symmetric bands are formed by fluxes, on the host.)
    static bool takes(const System& given) { return given.kind() != System::Kind::symmetric; }
    explicit DeviceOuter(const System& given);

    void load(std::span<const double> u, std::span<const double> b, std::span<const double> d) override;
    void read(std::span<double> u, std::span<double> d) const override;
    double dot(double scale) final;
    void restart(double scale, std::optional<double> share) final;
    bool correct(double scale, double alpha) final;
    void defect() override;
    double norm() override;

protected:
    /// direction = d over the scale; with `keep`, scratch = direction times the session's p.
    virtual void form_direction(double scale, bool keep) = 0;
    /// direction into the session's r and, with `keep`, p less share times it; u and q become zero.
    virtual void begin(double share, bool keep) = 0;
    /// scratch = the session's u and the step alpha p; broken becomes one where an element is not finite.
    virtual void form_correction(double alpha) = 0;
    [[nodiscard]] unsigned blocks() const;

    OuterMatrix matrix_{};
    Buffer<double> u_, b_, d_, direction_, scratch_;
    Buffer<unsigned> broken_;

private:
    /// The first `count` of sums_, added in order.
    double added(unsigned count);

    Buffer<double> sums_;
    std::array<Buffer<double>, kBands> band_;
    Buffer<std::uint64_t> row_begin_;
    Buffer<std::uint32_t> column_;
    Buffer<double> value_;
};

} // namespace mantissa::gpu
