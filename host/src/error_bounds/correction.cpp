#include "correction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "advise/spectrum.hpp"
#include "mantissa/outer_order.hpp"
#include "mantissa/recurrence/energy.hpp"
#include "running/parallel.hpp"

namespace mantissa::errors {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t at = 0; at < a.size(); at += outer_order::kPart)
        sum += outer_order::part_sum(std::min(outer_order::kPart, a.size() - at),
                                     [&](std::size_t i) { return a[at + i] * b[at + i]; });
    return sum;
}

void product(const CompressedRows& a, std::span<const double> x, std::span<double> out, int threads) {
    running::for_pieces(threads, out.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            double sum = 0;
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
                sum += a.value()[k] * x[a.column()[k]];
            out[i] = sum;
        }
    });
}

/// alpha and rho of a run, and what its tridiagonal matrix says of the spectrum.
class Coefficients {
public:
    explicit Coefficients(double rho) { rho_.push_back(rho); }
    void add(double alpha, double rho) {
        const double last = alpha_.empty() ? 0 : alpha_.back(), ratio = alpha_.empty() ? 0 : rho_.back() / before_;
        ritz_.grow(1 / alpha + (alpha_.empty() ? 0 : ratio / last), alpha_.empty() ? 0 : std::sqrt(ratio) / last);
        before_ = rho_.back();
        alpha_.push_back(alpha);
        rho_.push_back(rho);
        coupling_ = std::sqrt(rho / before_) / alpha;
    }
    [[nodiscard]] double smallest() const { return alpha_.empty() ? 0 : ritz_.smallest(); }
    /// Does an eigenvalue lie within a tenth of the smallest Ritz value?
    [[nodiscard]] bool settled() const {
        return !alpha_.empty() && coupling_ * ritz_.last_of_smallest() <= 0.1 * ritz_.smallest();
    }
    /// Of what is left, from above.
    [[nodiscard]] double remainder() const {
        if (alpha_.empty()) return std::numeric_limits<double>::infinity();
        return recurrence::gauss_radau(alpha_, rho_, (settled() ? 0.5 : 0.1) * ritz_.smallest());
    }

private:
    std::vector<double> alpha_, rho_;
    advising::Tridiagonal ritz_;
    double before_ = 0, coupling_ = 0;
};

} // namespace

Correction correct(const Balanced& s, std::span<const double> d, const CorrectionGoal& goal, int threads) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::size_t size = s.size();
    Correction out;
    out.c.assign(size, 0.0);
    // Near 1, so that no square leaves double precision's range.
    double largest = 0;
    for (const double value : d) largest = std::max(largest, std::abs(value));
    if (largest == 0) {
        out.left = 0;
        return out;
    }
    const int power = std::ilogb(largest);
    std::vector<double> r(size), p, q(size);
    for (std::size_t i = 0; i < size; ++i) r[i] = std::ldexp(d[i], -power);
    p = r;
    double rho = dot(r, r);
    const double first = rho;
    Coefficients known(rho);
    double drops = 0;
    out.upper = kInfinity;
    std::uint64_t next_look = 4;
    while (out.steps < goal.most) {
        product(s.rows(), p, q, threads);
        const double pq = dot(p, q);
        if (!(pq > 0) || !std::isfinite(pq)) {
            out.indefinite = pq < 0;
            break;
        }
        const double alpha = rho / pq, before = rho;
        for (std::size_t i = 0; i < size; ++i) {
            out.c[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r);
        ++out.steps;
        drops += alpha * before;
        known.add(alpha, rho);
        out.left = std::sqrt(rho / first);
        if (out.left <= goal.left || !(out.left > 1e-17)) break;
        if (goal.spread > 0 && out.steps >= next_look) {
            out.upper = drops + known.remainder();
            if (out.upper <= goal.spread * drops && known.settled()) break;
            next_look = out.steps + 1 + out.steps / 16;
        }
        for (std::size_t i = 0; i < size; ++i) p[i] = r[i] + rho / before * p[i];
    }
    out.smallest = known.smallest();
    out.settled = known.settled() || rho == 0 || out.steps >= size;
    if (goal.spread > 0) out.upper = drops + (rho == 0 ? 0 : known.remainder());
    out.lower = std::ldexp(std::sqrt(drops), power);
    out.upper = std::ldexp(std::sqrt(out.upper), power);
    for (double& value : out.c) value = std::ldexp(value, power);
    return out;
}

} // namespace mantissa::errors
