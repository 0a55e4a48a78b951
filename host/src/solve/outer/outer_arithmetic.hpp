// The arithmetic of an outer loop: defects, norms, corrections. Refinement is written once over it; in double
// precision for the outermost loop, in a reduced format for the middle loops of a cascade.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>

#include "mantissa/block_algebra.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/system.hpp"

namespace mantissa::solving {

class OuterArithmetic {
public:
    OuterArithmetic() = default;
    OuterArithmetic(const OuterArithmetic&) = delete;
    OuterArithmetic& operator=(const OuterArithmetic&) = delete;
    virtual ~OuterArithmetic() = default;
    /// d = b - A u
    virtual void defect(std::span<const double> u, std::span<const double> b, std::span<double> d) = 0;
    virtual double norm(std::span<const double> v) = 0;
    /// u += s c, on a part of the vector.
    virtual void correct(std::span<double> u, double s, std::span<const double> c) = 0;
    /// A value entering this loop.
    virtual double round(double x) const = 0;
    /// Has a number of the loop's own left its format?
    [[nodiscard]] virtual bool overflow() const { return false; }
};

class DoubleArithmetic final : public OuterArithmetic {
public:
    /// `doubled`: defects are sums in doubled double precision, rounded once.
    DoubleArithmetic(const System& system, int threads, bool doubled = false)
        : system_(system), threads_(threads), doubled_(doubled) {}
    void defect(std::span<const double> u, std::span<const double> b, std::span<double> d) override {
        if (doubled_) certain_defect(system_, u, b, d, threads_);
        else mantissa::defect(system_, u, b, d, threads_);
    }
    double norm(std::span<const double> v) override { return norm2(v, threads_); }
    void correct(std::span<double> u, double s, std::span<const double> c) override {
        for (std::size_t i = 0; i < u.size(); ++i) u[i] += s * c[i];
    }
    [[nodiscard]] double round(double x) const override { return x; }

private:
    const System& system_;
    int threads_;
    bool doubled_;
};

/// A middle loop: matrix, vectors and every operation in one format, dot products as that format's spec forms them.
class ReducedArithmetic final : public OuterArithmetic {
public:
    ReducedArithmetic(const System& system, const Format& format, int threads)
        : format_(format), unit_(format), algebra_(system, DatapathSpec(format), threads) {}
    void defect(std::span<const double> u, std::span<const double> b, std::span<double> d) override {
        algebra_.apply(u, format_, d);
        unit_.sub(b, d, d);
    }
    double norm(std::span<const double> v) override { return std::sqrt(algebra_.dot(v, v).value); }
    void correct(std::span<double> u, double s, std::span<const double> c) override {
        unit_.add_scaled(u, round(s), c, u);
    }
    [[nodiscard]] double round(double x) const override { return exact::convert(format_, x); }

private:
    Format format_;
    VectorUnit<double> unit_;
    BlockAlgebra algebra_;
};

} // namespace mantissa::solving
