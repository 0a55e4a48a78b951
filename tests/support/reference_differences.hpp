// Rows of differences written out from the definitions in engine.hpp, one element at a time and every flux afresh. It
// takes nothing from the library but the matrices' numbers and the scalar operations of exact.hpp.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "mantissa/exact.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"
#include "reference_blocks.hpp"

namespace mantissa::testing {

/// Nine numbers in band order; what is within 2^-50 of the magnitudes is nothing.
inline double reference_row_sum(const std::array<double, 9>& a) {
    double sum = 0, size = 0;
    for (const double x : a) {
        sum = sum + x;
        size = size + std::fabs(x);
    }
    return std::fabs(sum) <= std::ldexp(size, -50) ? 0.0 : sum;
}

class ReferenceDifferences {
public:
    ReferenceDifferences(const System& system, const DatapathSpec& spec, const std::vector<double>& p)
        : spec_(spec), p_(p), n_(static_cast<long>(system.row_length())) {
        std::visit([this](const auto& m) { take(m); }, system.matrix());
        for (const double c : c_) sums_ = sums_ || c != 0;
        if (spec.order == RowOrder::flux) into_blocks();
        if (spec.order == RowOrder::second_difference) hold_differences();
    }

    /// q_i in the row format.
    [[nodiscard]] double flux_row(std::size_t element) const {
        const auto i = static_cast<long>(element);
        const double up = add(add(flux(1, i), flux(2, i)), flux(3, i));
        const double down = add(add(flux(3, i - n_ - 1), flux(2, i - n_)), flux(1, i - n_ + 1));
        const double q = add(sub(flux(0, i), flux(0, i - 1)), sub(up, down));
        return sums_ ? add(q, mul(coefficient(at(c_, element)), p_[element])) : q;
    }
    [[nodiscard]] double second_row(std::size_t element) const {
        const auto i = static_cast<long>(element);
        const double alpha = held_[0], beta = held_[1], gamma = held_[2];
        const auto a = [&](long j) { return sub(sub(at(j + 1), at(j)), sub(at(j), at(j - 1))); };
        const auto s = [&](long j) { return add(mul(beta, at(j)), mul(gamma, a(j))); };
        const double q = add(sub(sub(s(i + n_), s(i)), sub(s(i), s(i - n_))), mul(alpha, a(i)));
        return sums_ ? add(q, mul(held_[3], at(i))) : q;
    }

private:
    void take(const Stencil& m) {
        for (std::size_t d = 0; d < 4; ++d) w_[d] = {0 - m.coefficients()[5 + d]};
        c_ = {reference_row_sum(m.coefficients())};
    }
    void take(const Bands& m) {
        for (std::size_t d = 0; d < 4; ++d)
            for (const double a : m.band(5 + d)) w_[d].push_back(0 - a);
        for (std::size_t i = 0; i < m.size(); ++i) {
            std::array<double, 9> row{};
            for (std::size_t b = 0; b < 9; ++b) row[b] = m.band(b)[i];
            c_.push_back(reference_row_sum(row));
        }
    }
    void take(const SymmetricBands& m) {
        w_ = m.weights();
        c_ = m.row_sums();
    }
    void take(const CompressedRows&) {}

    [[nodiscard]] std::vector<double> blocks(const std::vector<double>& x) const {
        return reference_blocks(spec_.coefficient_blocks, x);
    }
    /// Of a stencil alone.
    void hold_differences() {
        const double e = -w_[0][0], n = -w_[2][0], d = -w_[3][0];
        held_ = blocks({e + 2 * d, n + 2 * d, d, c_[0]});
        for (double& x : held_) x = coefficient(x);
    }
    /// Each array by itself; the constants of a stencil together.
    void into_blocks() {
        if (w_[0].size() == 1) {
            const std::vector<double> held = blocks({w_[0][0], w_[1][0], w_[2][0], w_[3][0], c_[0]});
            for (std::size_t d = 0; d < 4; ++d) w_[d] = {held[d]};
            c_ = {held[4]};
            return;
        }
        for (auto& w : w_) w = blocks(w);
        c_ = blocks(c_);
    }

    /// A stencil has one number for all elements.
    static double at(const std::vector<double>& v, std::size_t i) { return v.size() == 1 ? v[0] : v[i]; }
    [[nodiscard]] double at(long i) const {
        return i < 0 || i >= static_cast<long>(p_.size()) ? 0.0 : p_[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] double flux(std::size_t d, long i) const {
        if (i < 0) return 0;
        const std::array<long, 4> offset = {1, n_ - 1, n_, n_ + 1};
        return mul(coefficient(at(w_[d], static_cast<std::size_t>(i))), sub(at(i), at(i + offset[d])));
    }
    [[nodiscard]] double coefficient(double x) const {
        return spec_.coefficient_blocks.given() ? x : exact::convert(spec_.coefficient, x);
    }
    [[nodiscard]] double add(double x, double y) const { return exact::add(spec_.row, x, y); }
    [[nodiscard]] double sub(double x, double y) const { return exact::sub(spec_.row, x, y); }
    [[nodiscard]] double mul(double x, double y) const { return exact::mul(spec_.row, x, y); }

    const DatapathSpec& spec_;
    const std::vector<double>& p_;
    long n_;
    std::array<std::vector<double>, 4> w_; ///< E, NW, N, NE
    std::vector<double> c_;
    std::vector<double> held_; ///< alpha, beta, gamma and c of second differences
    bool sums_ = false;
};

} // namespace mantissa::testing
