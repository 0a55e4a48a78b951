#include "spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mantissa/host/residual.hpp"
#include "problems/random.hpp"
#include "rows.hpp"

namespace mantissa::advising {

void Tridiagonal::grow(double diagonal, double coupling) {
    coupling_.push_back(diagonal_.empty() ? 0.0 : coupling);
    diagonal_.push_back(diagonal);
}

std::size_t Tridiagonal::below(double x) const {
    std::size_t count = 0;
    double pivot = 1;
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
        pivot = diagonal_[i] - x - coupling_[i] * coupling_[i] / pivot;
        if (pivot == 0) pivot = -1e-300; // x is an eigenvalue of a leading part: on either side is right
        count += pivot < 0;
    }
    return count;
}

std::pair<double, double> Tridiagonal::bounds() const {
    double lo = diagonal_[0], hi = diagonal_[0];
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
        const double reach = std::abs(coupling_[i]) + (i + 1 < coupling_.size() ? std::abs(coupling_[i + 1]) : 0.0);
        lo = std::min(lo, diagonal_[i] - reach);
        hi = std::max(hi, diagonal_[i] + reach);
    }
    const double margin = 1e-12 * std::max(std::abs(lo), std::abs(hi)) + 1e-290;
    return {lo - margin, hi + margin};
}

std::pair<double, double> Tridiagonal::bracket_smallest() const {
    auto [lo, hi] = bounds();
    if (lo < 0 && below(0) == 0) lo = 0;
    while (hi - lo > 1e-8 * std::max(std::abs(lo), std::abs(hi))) {
        const double middle = lo + (hi - lo) / 2;
        if (middle <= lo || middle >= hi) break;
        (below(middle) == 0 ? lo : hi) = middle;
    }
    return {lo, hi};
}

double Tridiagonal::smallest() const {
    const auto [lo, hi] = bracket_smallest();
    return lo + (hi - lo) / 2;
}

double Tridiagonal::largest() const {
    auto [lo, hi] = bounds();
    while (hi - lo > 1e-8 * std::max(std::abs(lo), std::abs(hi))) {
        const double middle = lo + (hi - lo) / 2;
        if (middle <= lo || middle >= hi) break;
        (below(middle) == size() ? hi : lo) = middle;
    }
    return lo + (hi - lo) / 2;
}

double Tridiagonal::last_of_smallest() const {
    // Inverse iteration from just below: T - lo has no negative pivot, so elimination needs no exchange of rows.
    const double shift = bracket_smallest().first;
    const std::size_t m = size();
    std::vector<double> pivot(m), x(m, 1.0);
    for (std::size_t i = 0; i < m; ++i) {
        pivot[i] = diagonal_[i] - shift - (i == 0 ? 0.0 : coupling_[i] * coupling_[i] / pivot[i - 1]);
        if (!(pivot[i] > 0)) pivot[i] = 1e-300;
    }
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 1; i < m; ++i) x[i] -= coupling_[i] / pivot[i - 1] * x[i - 1];
        x[m - 1] /= pivot[m - 1];
        for (std::size_t i = m - 1; i-- > 0;) x[i] = (x[i] - coupling_[i + 1] * x[i + 1]) / pivot[i];
        double top = 0, sum = 0;
        for (const double value : x) top = std::max(top, std::abs(value));
        if (!(top > 0) || !std::isfinite(top)) return 1; // nothing is known: the bound that it gives is the weakest
        for (double& value : x) sum += (value / top) * (value / top);
        for (double& value : x) value = value / top / std::sqrt(sum);
    }
    return std::abs(x[m - 1]);
}

namespace {

/// Has the smallest Ritz value settled? Asked from time to time.
class Settled {
public:
    /// `residual`: distance within which an eigenvalue lies of `smallest`.
    bool operator()(std::size_t steps, double smallest, double residual) {
        if (since_ == 0 || std::abs(smallest - value_) > 0.01 * std::abs(value_)) {
            since_ = steps;
            value_ = smallest;
        }
        return steps >= since_ + since_ / 4 + 20 && residual <= 0.1 * std::abs(smallest);
    }

private:
    std::size_t since_ = 0;
    double value_ = 0;
};

double dot(std::span<const double> a, std::span<const double> b) {
    double lane[8] = {};
    for (std::size_t i = 0; i < a.size(); ++i) lane[i % 8] += a[i] * b[i];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// Uniform on -1 .. 1 where the row is not empty, norm 1; empty where every row is.
std::vector<double> start_vector(const System& system, int threads) {
    const std::vector<bool> empty = empty_rows(system);
    problems::SplitMix random(1);
    std::vector<double> v(system.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double x = 2 * random.unit() - 1;
        v[i] = empty[i] ? 0.0 : x;
    }
    const double norm = norm2(v, threads);
    if (norm == 0) return {};
    for (double& x : v) x /= norm;
    return v;
}

} // namespace

Extremes extreme_eigenvalues(const System& system, const LanczosOptions& options) {
    Extremes found;
    std::vector<double> v = start_vector(system, options.threads);
    if (v.empty()) return found;
    const std::vector<double> zero(v.size(), 0.0);
    std::vector<double> before(v.size(), 0.0), w(v.size());
    Tridiagonal ritz;
    Settled settled;
    double beta = 0, pivot = 1, scale = 0;
    bool ended = false;
    for (std::size_t next = 8; !ended && found.steps < options.limit;) {
        defect(system, v, zero, w, options.threads); // -A v
        const double alpha = -dot(v, w);
        ritz.grow(alpha, beta);
        pivot = alpha - beta * beta / pivot;
        ++found.steps;
        scale = std::max({scale, std::abs(alpha), beta});
        for (std::size_t i = 0; i < v.size(); ++i) w[i] = -w[i] - alpha * v[i] - beta * before[i];
        beta = norm2(w, options.threads);
        // An invariant subspace: the Ritz values are eigenvalues.
        ended = !(beta > 1e-14 * scale);
        found.settled = ended && std::isfinite(beta);
        if (options.stop_below_zero && !(pivot > 0)) break;
        if (!ended && found.steps >= next) {
            next = found.steps + std::max<std::size_t>(8, found.steps / 16);
            if (options.progress) options.progress(found.steps);
            ended = found.settled = settled(found.steps, ritz.smallest(), beta * ritz.last_of_smallest());
        }
        if (ended || (options.time_up && options.time_up())) break;
        std::swap(before, v);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = w[i] / beta;
    }
    found.smallest = ritz.smallest();
    found.largest = ritz.largest();
    return found;
}

} // namespace mantissa::advising
