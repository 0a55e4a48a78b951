#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/host/residual.hpp"
#include "rows.hpp"

namespace mantissa::advising {

namespace {

/// Of rows of a unit diagonal: what rounding may make of p.Ap, over p.p, and more.
constexpr double kRounding = 1e-12;

/// Eight sums and maxima side by side, element i in number i % 8.
constexpr std::size_t kLanes = 8;
struct Lanes {
    double lane[kLanes] = {};
    void add(std::size_t k, double x) { lane[k] += x; }
    void take(std::size_t k, double x) { lane[k] = std::abs(x) > lane[k] ? std::abs(x) : lane[k]; }
    [[nodiscard]] double sum() const {
        return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    }
    [[nodiscard]] double top() const { return *std::max_element(lane, lane + kLanes); }
};
/// Calls body(i, i % 8) for every i, in a form that compilers turn into vectors.
template <class Body> void for_lanes(std::size_t size, Body&& body) {
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) body(i + k, k);
    for (; i < size; ++i) body(i, i % kLanes);
}

double largest(std::span<const double> v) {
    Lanes top;
    for_lanes(v.size(), [&](std::size_t i, std::size_t k) { top.take(k, v[i]); });
    return top.top();
}

double dot(std::span<const double> a, std::span<const double> b) {
    Lanes sum;
    for_lanes(a.size(), [&](std::size_t i, std::size_t k) { sum.add(k, a[i] * b[i]); });
    return sum.sum();
}

double next_power_of_two(double norm) {
    int exponent = 0;
    const double fraction = std::frexp(norm, &exponent);
    return std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

/// Of an iterate u + c: what it gained between iterations that are powers of two.
class Directions {
public:
    void at(std::uint64_t iterations, std::span<const double> u, std::span<const double> c) {
        if ((iterations & (iterations - 1)) != 0) return;
        take(u, c);
        for (std::size_t i = 0; i < u.size(); ++i) before_[i] = u[i] + c[i];
    }
    /// The last `kKept`, and the iterate itself.
    std::vector<std::vector<double>> all(std::vector<double> u) {
        if (!before_.empty()) take(u, {});
        found_.push_back(std::move(u));
        std::erase_if(found_, [](const std::vector<double>& x) { return !(largest(x) > 0); });
        return std::move(found_);
    }

private:
    static constexpr std::size_t kKept = 5; ///< the earlier ones are rough, and a vector takes memory
    void take(std::span<const double> u, std::span<const double> c) {
        before_.resize(u.size());
        std::vector<double> gained(u.size());
        for (std::size_t i = 0; i < u.size(); ++i) gained[i] = (c.empty() ? u[i] : u[i] + c[i]) - before_[i];
        if (found_.size() == kKept) found_.erase(found_.begin());
        found_.push_back(std::move(gained));
    }

    std::vector<double> before_;
    std::vector<std::vector<double>> found_;
};

} // namespace

Trial run_trial(const Problem& problem, const ScaledProblem& scaled, const TrialOptions& options) {
    const System& system = scaled.problem.system;
    const std::size_t size = system.size();
    const std::vector<double> zero(size, 0.0);
    std::vector<double> u(size, 0.0), c(size, 0.0), r = scaled.problem.b, p = r, q(size);
    Trial trial;
    Directions directions;
    const double first = norm2(r, options.threads);
    double norm = first, rho = dot(r, r), top_r = largest(r), scale = 1;
    const double target = options.tolerance * scaled.norm_as_given(r, options.threads);
    const auto reached = [&] {
        if (scaled.uniform()) return norm < options.tolerance * first;
        // The norm of the problem as given takes a vector of its own: a count of few steps is exact, of many to 1 %.
        return trial.iterations % (1 + trial.iterations / 100) == 0 &&
               scaled.norm_as_given(r, options.threads) < target;
    };
    // (The iterate's norm grows with every step of CG: its largest is the last.)
    const auto gained = [&] { trial.correction = std::max(trial.correction, norm2(c, options.threads) / scale); };
    double carried = 0, coupling = 0;
    trial.reached = first == 0;
    while (!trial.reached && trial.iterations < options.limit) {
        if (trial.iterations % options.inner == 0) {
            gained();
            for (std::size_t i = 0; i < size; ++i) u[i] += c[i];
            std::fill(c.begin(), c.end(), 0.0);
            scale = next_power_of_two(norm);
        }
        defect(system, p, zero, q, options.threads); // -A p
        Lanes along, top_p, top_q;
        for_lanes(size, [&](std::size_t i, std::size_t k) {
            along.add(k, p[i] * q[i]);
            top_p.take(k, p[i]);
            top_q.take(k, q[i]);
        });
        const double pq = -along.sum();
        if (!(pq > 0)) { // rounding has taken over, or the matrix is not positive definite
            trial.indefinite = pq < -kRounding * dot(p, p);
            break;
        }
        const double alpha = rho / pq, before = rho;
        trial.largest_word = std::max(trial.largest_word, std::max({top_r, top_p.top(), top_q.top()}) / scale);
        Lanes squares, new_r, top_c;
        for_lanes(size, [&](std::size_t i, std::size_t k) {
            c[i] += alpha * p[i];
            r[i] += alpha * q[i];
            squares.add(k, r[i] * r[i]);
            new_r.take(k, r[i]);
            top_c.take(k, c[i]);
        });
        rho = squares.sum();
        top_r = new_r.top();
        norm = std::sqrt(rho);
        const double beta = rho / before;
        for (std::size_t i = 0; i < size; ++i) p[i] = r[i] + beta * p[i];
        trial.largest_correction = std::max(trial.largest_correction, top_c.top() / scale);
        // alpha and beta of CG are the pivots and couplings of Lanczos (Saad, Iterative Methods, section 6.7.3).
        trial.ritz.grow(1 / alpha + carried, coupling);
        carried = beta / alpha;
        coupling = std::sqrt(beta) / alpha;
        ++trial.iterations;
        directions.at(trial.iterations, u, c);
        trial.reached = norm == 0 || reached();
        if (options.progress && trial.iterations % 16 == 0) options.progress(trial.iterations, norm / first);
    }
    gained();
    for (std::size_t i = 0; i < size; ++i) u[i] += c[i];
    trial.directions = directions.all(u);
    scaled.map_back(u);
    trial.floor = defect_floor(problem.system, u, problem.b, options.threads);
    return trial;
}

} // namespace mantissa::advising
