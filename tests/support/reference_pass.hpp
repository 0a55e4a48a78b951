// One pipelined-CG pass written straight from the comment in engine.hpp, with scalar integer arithmetic: the slowest
// and plainest engine, against which the others are tested.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/scalar_unit.hpp"

namespace mantissa::testing {

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

    double row(std::size_t i) {
        const auto& p = vec(Vec::p);
        std::vector<double> terms;
        const auto product = [&](double a, double x) {
            terms.push_back(exact::mul(spec.row, exact::convert(spec.coefficient, a), x));
        };
        const auto neighbours = [&](const auto& matrix, auto&& coefficient) {
            for (int b = 0; b < kBands; ++b) {
                const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(b, matrix.row_length());
                const bool inside = j >= 0 && j < static_cast<std::ptrdiff_t>(matrix.size());
                product(coefficient(static_cast<std::size_t>(b)), inside ? p[static_cast<std::size_t>(j)] : 0.0);
            }
        };
        std::visit(Overloaded{[&](const Stencil& m) {
                                  if (!m.on_edge(i)) neighbours(m, [&](std::size_t b) { return m.coefficients()[b]; });
                              },
                              [&](const Bands& m) { neighbours(m, [&](std::size_t b) { return m.band(b)[i]; }); },
                              [&](const CompressedRows& m) {
                                  for (auto k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
                                      product(m.value()[k], p[m.column()[k]]);
                              }},
                   system.matrix());
        return exact::convert(spec.q, row_sum(terms));
    }

    double dot(const std::vector<double>& a, const std::vector<double>& b, bool& overflow) const {
        FixedAccumulator fixed(spec.dot.window);
        LaneAccumulator lanes(spec.dot.accumulator, spec.partials());
        for (std::size_t i = 0; i < a.size(); ++i) {
            // an exact product into lanes is exact in double by the spec's own condition
            const double term = spec.dot.exact_product ? a[i] * b[i] : exact::mul(spec.dot.product, a[i], b[i]);
            if (!spec.dot.fixed) lanes.add(term);
            else if (spec.dot.exact_product) fixed.add_product(a[i], b[i]);
            else fixed.add(term);
        }
        overflow |= spec.dot.fixed && fixed.overflow();
        return spec.dot.fixed ? fixed.total(spec.scalar) : exact::convert(spec.scalar, lanes.total());
    }

    ScalarStep pass() {
        const double alpha = exact::convert(spec.operand, scalars.alpha);
        const double beta = exact::convert(spec.operand, scalars.beta);
        auto &u = vec(Vec::u), &r = vec(Vec::r), &p = vec(Vec::p), &q = vec(Vec::q);
        for (std::size_t i = 0; i < u.size(); ++i) {
            u[i] = exact::add(spec.u, u[i], exact::mul(spec.u, alpha, p[i]));
            r[i] = exact::sub(spec.r, r[i], exact::mul(spec.r, alpha, q[i]));
            p[i] = exact::add(spec.p, r[i], exact::mul(spec.p, beta, p[i]));
        }
        for (std::size_t i = 0; i < u.size(); ++i) q[i] = row(i);
        bool overflow = false;
        const double rho = dot(r, r, overflow), pq = dot(p, q, overflow), qq = dot(q, q, overflow);
        const ScalarStep step = scalar_step(spec.scalar, rho, pq, qq, overflow);
        scalars = step.scalars;
        return step;
    }
};

} // namespace mantissa::testing
