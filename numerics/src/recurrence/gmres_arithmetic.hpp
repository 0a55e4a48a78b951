// What GMRES does with whole vectors. Internal to numerics/.
#pragma once

#include <memory>
#include <span>

#include "mantissa/block_algebra.hpp"

namespace mantissa::detail {

/// All vectors have as many elements as the system; each operation is what mantissa/recurrence/gmres.hpp says of it.
class GmresArithmetic {
public:
    GmresArithmetic() = default;
    GmresArithmetic(const GmresArithmetic&) = delete;
    GmresArithmetic& operator=(const GmresArithmetic&) = delete;
    virtual ~GmresArithmetic() = default;

    /// w = A x.
    virtual void apply(std::span<const double> x, std::span<double> w) const = 0;
    [[nodiscard]] virtual DotResult dot(std::span<const double> a, std::span<const double> b) const = 0;
    /// w = w - (s v), and then w . next.
    [[nodiscard]] virtual DotResult take_off(std::span<double> w, double s, std::span<const double> v,
                                             std::span<const double> next) const = 0;
    /// r = b - (1 w).
    virtual void residual(std::span<const double> b, std::span<const double> w, std::span<double> r) const = 0;
    /// v = 0 + (s x).
    virtual void scale(double s, std::span<const double> x, std::span<double> v) const = 0;
    /// u = u + (s v).
    virtual void add(std::span<double> u, double s, std::span<const double> v) const = 0;
};

/// In any datapath.
std::unique_ptr<GmresArithmetic> make_general_arithmetic(const System& system, const DatapathSpec& spec, int threads);
/// In double precision throughout, DatapathSpec(formats::kDouble), with the same bits.
std::unique_ptr<GmresArithmetic> make_double_arithmetic(const System& system, int threads);

} // namespace mantissa::detail
