// One pipelined-CG pass written out from the definitions in engine.hpp, spec.hpp and system.hpp: the slowest and
// plainest engine, against which the others are tested. It shares with them the specification, the system and the
// scalar operations of exact.hpp, which MPFR judges (tests/numerics); neighbours, sums, accumulators and the scalar
// unit are its own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "reference_blocks.hpp"
#include "reference_differences.hpp"

namespace mantissa::testing {

/// What a pass leaves after its dot products.
struct ReferenceStep {
    Scalars scalars;
    RunEnd end = RunEnd::passes;
    bool sigma_guarded = false;
};

/// A dot product in the scalar format.
struct ReferenceDot {
    double value = 0;
    bool outside_window = false;
};

/// A sum in the window: integers in units of 2^lsb.
class ReferenceWindow {
public:
    explicit ReferenceWindow(const FixedWindow& window) : window_(window) {}

    /// Adds a b, truncated toward zero to a multiple of 2^lsb.
    void add_product(double a, double b) {
        if (!std::isfinite(a) || !std::isfinite(b)) {
            outside_ = true;
            return;
        }
        int ea = 0, eb = 0;
        // Both factors as integers of at most 53 bits; division by a power of two truncates.
        const auto ia = static_cast<Integer>(std::ldexp(std::frexp(a, &ea), 53));
        const auto ib = static_cast<Integer>(std::ldexp(std::frexp(b, &eb), 53));
        const int up = ea + eb - 106 - window_.lsb; // a b = ia ib 2^up units
        Integer units = ia * ib;
        for (int k = up; k > 0 && within(units); --k) units *= 2;
        if (up < 0) units /= Integer{1} << std::min(-up, 120);
        if (within(units)) sum_ += units;
        else outside_ = true;
    }
    /// The sum rounded into f. What it reached on its way does not matter.
    [[nodiscard]] ReferenceDot total(const Format& f) const {
        if (outside_ || !within(sum_)) return {0.0, true};
        // Two halves that are doubles, and one rounded addition of them.
        const Integer low = sum_ % (Integer{1} << 32), high = sum_ - low;
        return {exact::add(f, std::ldexp(static_cast<double>(high), window_.lsb),
                           std::ldexp(static_cast<double>(low), window_.lsb)),
                false};
    }

private:
    __extension__ using Integer = __int128;
    /// From -2^msb to just below 2^msb.
    [[nodiscard]] bool within(Integer units) const {
        const Integer top = Integer{1} << (window_.msb - window_.lsb);
        return -top <= units && units < top;
    }

    FixedWindow window_;
    Integer sum_ = 0;
    bool outside_ = false;
};

struct ReferenceSession {
    DatapathSpec spec;
    System system;
    std::array<std::vector<double>, 4> v;
    Scalars scalars;

    ReferenceSession(const System& a, const DatapathSpec& s) : spec(s), system(a) {
        for (auto& x : v) x.assign(a.size(), 0.0);
    }
    std::vector<double>& vec(Vec which) { return v[static_cast<std::size_t>(which)]; }
    void write(Vec which, const std::vector<double>& values) {
        const Format f[] = {spec.u, spec.r, spec.p, spec.q};
        for (std::size_t i = 0; i < values.size(); ++i)
            vec(which)[i] = exact::convert(f[static_cast<std::size_t>(which)], values[i]);
        if (which == Vec::p) vec(which) = reference_blocks(spec.p_blocks, vec(which));
    }

    /// The coefficients of products, array by array: nine of a stencil, nine bands, the entries of sparse rows.
    std::vector<std::vector<double>> stored() const {
        std::vector<std::vector<double>> arrays;
        std::visit(
            Overloaded{[&](const Stencil& m) { arrays.emplace_back(m.coefficients().begin(), m.coefficients().end()); },
                       [&](const Bands& m) {
                           for (const auto& band : m.bands()) arrays.push_back(band);
                       },
                       [&](const SymmetricBands& m) {
                           arrays.resize(kBands);
                           for (std::size_t i = 0; i < m.size(); ++i)
                               for (std::size_t b = 0; b < kBands; ++b) arrays[b].push_back(nine(m, i)[b]);
                       },
                       [&](const CompressedRows& m) { arrays.push_back(m.value()); }},
            system.matrix());
        return arrays;
    }
    /// ... as the datapath holds them; once.
    const std::vector<std::vector<double>>& coefficients() {
        if (!held_.empty()) return held_;
        for (const std::vector<double>& array : stored()) {
            held_.push_back(reference_blocks(spec.coefficient_blocks, array));
            if (!spec.coefficient_blocks.given())
                for (double& a : held_.back()) a = exact::convert(spec.coefficient, a);
        }
        return held_;
    }

    double row_sum(std::vector<double> t) const {
        if (t.empty()) return 0;
        if (spec.order == RowOrder::chain) {
            double s = t[0];
            for (std::size_t k = 1; k < t.size(); ++k) s = exact::add(spec.row, s, t[k]);
            return s;
        }
        while (t.size() > 1) {
            std::vector<double> next;
            for (std::size_t k = 0; k + 1 < t.size(); k += 2) next.push_back(exact::add(spec.row, t[k], t[k + 1]));
            if (t.size() % 2 != 0) next.push_back(t.back());
            t = next;
        }
        return t[0];
    }

    /// p where band `band` of element i points; +0 in front of the first element and after the last.
    double neighbour(std::size_t i, int band) {
        const auto n = static_cast<std::ptrdiff_t>(system.row_length());
        const std::ptrdiff_t offsets[] = {-n - 1, -n, -n + 1, -1, 0, +1, n - 1, n, n + 1};
        const auto j = static_cast<std::ptrdiff_t>(i) + offsets[band];
        return j < 0 || j >= static_cast<std::ptrdiff_t>(system.size()) ? 0.0
                                                                        : vec(Vec::p)[static_cast<std::size_t>(j)];
    }
    /// A stencil's grid edge: the first and last grid row, the first and last column.
    static bool dirichlet(const Stencil& s, std::size_t i) {
        const std::size_t row = i / s.row_length(), column = i % s.row_length();
        return row == 0 || row == s.rows() - 1 || column == 0 || column == s.row_length() - 1;
    }

    /// Row i of symmetric bands as nine: the diagonal is the weights in band order and the row sum.
    static std::array<double, kBands> nine(const SymmetricBands& m, std::size_t i) {
        const std::size_t n = m.row_length();
        std::array<double, kBands> a{};
        const std::size_t back[] = {n + 1, n, n - 1, 1}; // to SW, S, SE, W
        for (std::size_t b = 0; b < 4; ++b) {
            a[b] = i < back[b] ? 0.0 : 0 - m.weight(3 - b)[i - back[b]];
            a[5 + b] = 0 - m.weight(b)[i];
        }
        for (std::size_t b = 0; b < kBands; ++b)
            if (b != 4) a[4] -= a[b];
        if (!m.row_sums().empty()) a[4] += m.row_sums()[i];
        return a;
    }

    /// q_i, every coefficient and every p taken as the spec's order says.
    std::vector<double> rows() {
        std::vector<double> q(system.size());
        const Stencil* const stencil = std::get_if<Stencil>(&system.matrix());
        const ReferenceDifferences differences(system, spec, vec(Vec::p));
        for (std::size_t i = 0; i < q.size(); ++i) {
            if (stencil != nullptr && dirichlet(*stencil, i)) continue;
            q[i] = exact::convert(spec.q, spec.order == RowOrder::flux                ? differences.flux_row(i)
                                          : spec.order == RowOrder::second_difference ? differences.second_row(i)
                                                                                      : product_row(i));
        }
        return q;
    }

    double product_row(std::size_t i) {
        std::vector<double> terms;
        const auto product = [&](double a, double x) { terms.push_back(exact::mul(spec.row, a, x)); };
        const auto& a = coefficients();
        if (const auto* const rows = std::get_if<CompressedRows>(&system.matrix())) {
            for (auto k = rows->row_begin()[i]; k < rows->row_begin()[i + 1]; ++k)
                product(a[0][k], vec(Vec::p)[rows->column()[k]]);
            return row_sum(terms);
        }
        for (int b = 0; b < kBands; ++b) {
            const auto band = static_cast<std::size_t>(b);
            product(a.size() == 1 ? a[0][band] : a[band][i], neighbour(i, b));
        }
        return row_sum(terms);
    }

    ReferenceDot dot(const std::vector<double>& a, const std::vector<double>& b) const {
        const DotSpec& d = spec.dot;
        const auto rounded = [&](std::size_t i) { return exact::mul(d.product, a[i], b[i]); };
        if (d.fixed) {
            ReferenceWindow window(d.window);
            for (std::size_t i = 0; i < a.size(); ++i)
                if (d.exact_product) window.add_product(a[i], b[i]);
                else window.add_product(rounded(i), 1.0);
            return window.total(spec.scalar);
        }
        // Element i belongs to partial sum i mod depth * lanes; halving closes them.
        std::size_t count = static_cast<std::size_t>(d.depth) * static_cast<std::size_t>(spec.lanes);
        std::vector<double> s(count, 0.0);
        for (std::size_t i = 0; i < a.size(); ++i) {
            // an exact product into lanes is exact in double by the spec's own condition
            const double term = d.exact_product ? a[i] * b[i] : rounded(i);
            s[i % count] = exact::add(d.accumulator, s[i % count], term);
        }
        for (; count > 1; count /= 2)
            for (std::size_t j = 0; j < count / 2; ++j) s[j] = exact::add(d.accumulator, s[j], s[j + count / 2]);
        return {exact::convert(spec.scalar, s[0]), false};
    }

    /// The scalar unit, its tests in engine.hpp's order.
    ReferenceStep scalar_unit(const ReferenceDot& rho, const ReferenceDot& pq, const ReferenceDot& qq) const {
        const Format& f = spec.scalar;
        if (rho.outside_window || pq.outside_window || qq.outside_window) return {{}, RunEnd::window_overflow, false};
        const auto ended = [&](RunEnd end) {
            return ReferenceStep{{rho.value, pq.value, qq.value, 0.0, 0.0, 0.0}, end, false};
        };
        for (const double sum : {rho.value, pq.value, qq.value})
            if (!std::isfinite(sum)) return ended(RunEnd::not_finite);
        if (rho.value == 0.0) return ended(RunEnd::exact);
        if (pq.value <= 0.0) return ended(RunEnd::indefinite);
        const double alpha = exact::div(f, rho.value, pq.value);
        const double inner = exact::sub(f, exact::mul(f, alpha, qq.value), pq.value);
        double sigma = exact::mul(f, alpha, inner);
        const bool guarded = !std::isnan(sigma) && std::signbit(sigma);
        if (guarded) sigma = 0.0;
        const double beta = exact::div(f, sigma, rho.value);
        for (const double x : {alpha, sigma, beta})
            if (!std::isfinite(x)) return ended(RunEnd::not_finite);
        return {{rho.value, pq.value, qq.value, alpha, sigma, beta}, RunEnd::passes, guarded};
    }

    ReferenceStep pass() {
        const double alpha = exact::convert(spec.operand, scalars.alpha);
        const double beta = exact::convert(spec.operand, scalars.beta);
        auto &u = vec(Vec::u), &r = vec(Vec::r), &p = vec(Vec::p), &q = vec(Vec::q);
        for (std::size_t i = 0; i < u.size(); ++i) {
            u[i] = exact::add(spec.u, u[i], exact::mul(spec.u, alpha, p[i]));
            r[i] = exact::sub(spec.r, r[i], exact::mul(spec.r, alpha, q[i]));
            p[i] = exact::add(spec.p, r[i], exact::mul(spec.p, beta, p[i]));
        }
        p = reference_blocks(spec.p_blocks, p);
        q = rows();
        const ReferenceStep step = scalar_unit(dot(r, r), dot(p, q), dot(q, q));
        scalars = step.scalars;
        return step;
    }

private:
    std::vector<std::vector<double>> held_; ///< coefficients()
};

} // namespace mantissa::testing
