#include "mantissa/recurrence/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "gmres_arithmetic.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa {

std::string GmresSolver::refusal(const DatapathSpec& spec) {
    if (spec.fixed_vectors() || spec.u.is_fixed())
        return fmt::format(
            "gmres on {}: the entries of a basis span many powers of two, which fixed-point words do not "
            "hold; give a floating format, as s17e8",
            to_string(spec.fixed_vectors() ? spec.r : spec.u));
    if (spec.sums_free()) return "gmres with sum=free: its sums have an order; leave sum out";
    if (spec.p_blocks.given())
        return fmt::format("gmres with p={}: its basis is not in blocks of MX words; leave p out or give a format",
                           narrow::to_string(spec.p_blocks));
    return {};
}

GmresSolver::GmresSolver(const System& system, const DatapathSpec& spec, std::size_t restart, int threads,
                         GmresPath path, recurrence::Preconditioner preconditioner)
    : spec_(spec), restart_(restart), size_(system.size()), preconditioner_(std::move(preconditioner)) {
    if (const std::string why = refusal(spec); !why.empty()) throw InvalidInput(why);
    if (restart < kLeastRestart || restart > kMostRestart)
        throw InvalidInput(
            fmt::format("gmres({}): give {} to {} steps of a cycle", restart, kLeastRestart, kMostRestart));
    const bool native = path == GmresPath::fastest && spec == DatapathSpec(formats::kDouble);
    threads = std::max(1, threads);
    arithmetic_ = native ? detail::make_double_arithmetic(system, threads)
                         : detail::make_general_arithmetic(system, spec, threads);
    for (auto* v : {&b_, &r_, &u_, &w_, &candidate_}) v->assign(size_, 0.0);
    triangle_.resize(restart * (restart + 1) / 2);
    for (auto* v : {&c_, &s_}) v->resize(restart);
    g_.resize(restart + 1);
}

GmresSolver::~GmresSolver() = default;

void GmresSolver::start(std::span<const double> b) {
    VectorUnit<double>(spec_.r).convert(b, b_);
    std::fill(u_.begin(), u_.end(), 0.0);
    best_ = u_;
    best_rho_ = std::numeric_limits<double>::infinity();
    steps_ = 0;
    open_ = false;
    first_ = true;
    r_ = b_;
    rho_ = arithmetic_->dot(r_, r_).value;
}

double GmresSolver::residual(std::span<const double> u, std::span<double> r_of_u) {
    arithmetic_->apply(u, w_);
    arithmetic_->residual(b_, w_, r_of_u);
    const DotResult rho = arithmetic_->dot(r_of_u, r_of_u);
    return rho.overflow || !std::isfinite(rho.value) ? std::numeric_limits<double>::infinity() : rho.value;
}

RunEnd GmresSolver::begin_cycle(double stop, bool test) {
    const Format& f = spec_.scalar;
    if (!first_) {
        arithmetic_->apply(u_, w_);
        arithmetic_->residual(b_, w_, r_);
    }
    const DotResult rho = arithmetic_->dot(r_, r_);
    if (rho.overflow) return RunEnd::window_overflow;
    if (!std::isfinite(rho.value)) return RunEnd::not_finite;
    rho_ = rho.value;
    if (rho_ < best_rho_) {
        best_rho_ = rho_;
        best_ = u_;
    }
    if (rho_ == 0) return RunEnd::exact;
    if (test && rho_ < stop) return RunEnd::rho_reached;
    g_[0] = exact::sqrt(f, rho_);
    const double over = exact::div(f, 1, g_[0]);
    if (basis_.empty()) basis_.emplace_back(size_);
    arithmetic_->scale(exact::convert(spec_.operand, over), r_, basis_[0]);
    steps_ = 0;
    open_ = true;
    last_of_cycle_ = false;
    return RunEnd::passes;
}

/// Is h, the norm of what step j's product has outside of the basis, within the roundings that made it? (A unit in the
/// last place for a product and for a difference.)
bool GmresSolver::is_noise(double h, std::size_t j) const {
    double square = 0; // of the product's norm
    for (std::size_t i = 0; i <= j; ++i) square += column(j, i) * column(j, i);
    const int bits = std::min({spec_.p.fraction_bits, spec_.q.fraction_bits, spec_.operand.fraction_bits});
    return h * h <= std::ldexp(square, 2 - 2 * bits);
}

RunEnd GmresSolver::step() {
    const Format& f = spec_.scalar;
    const std::size_t j = steps_;
    if (preconditioner_) {
        if (z_.size() == j) z_.emplace_back(size_);
        preconditioner_(basis_[j], w_);
        VectorUnit<double>(spec_.p).convert(w_, z_[j]);
    }
    arithmetic_->apply(along(j), w_);
    DotResult dot = arithmetic_->dot(w_, basis_[0]);
    for (std::size_t i = 0; i <= j; ++i) {
        if (dot.overflow) return RunEnd::window_overflow;
        if (!std::isfinite(dot.value)) return RunEnd::not_finite;
        column(j, i) = dot.value;
        dot = arithmetic_->take_off(w_, exact::convert(spec_.operand, dot.value), basis_[i],
                                    i < j ? std::span<const double>(basis_[i + 1]) : std::span<const double>(w_));
    }
    if (dot.overflow) return RunEnd::window_overflow;
    const double h = exact::sqrt(f, dot.value);
    const bool exhausted = is_noise(h, j);
    for (std::size_t k = 0; k < j; ++k) {
        const double upper = column(j, k), lower = column(j, k + 1);
        column(j, k) = exact::add(f, exact::mul(f, c_[k], upper), exact::mul(f, s_[k], lower));
        column(j, k + 1) = exact::sub(f, exact::mul(f, c_[k], lower), exact::mul(f, s_[k], upper));
    }
    const double last = column(j, j);
    const double d = exact::sqrt(f, exact::add(f, exact::mul(f, last, last), exact::mul(f, h, h)));
    if (!std::isfinite(d) || d == 0) return RunEnd::not_finite; // (0 / 0 where d is zero)
    c_[j] = exact::div(f, last, d);
    s_[j] = exact::div(f, h, d);
    column(j, j) = d;
    g_[j + 1] = -exact::mul(f, s_[j], g_[j]);
    g_[j] = exact::mul(f, c_[j], g_[j]);
    rho_ = exact::mul(f, g_[j + 1], g_[j + 1]);
    ++steps_;
    last_of_cycle_ = exhausted || steps_ == restart_;
    if (last_of_cycle_) return RunEnd::passes;
    if (basis_.size() == steps_) basis_.emplace_back(size_);
    arithmetic_->scale(exact::convert(spec_.operand, exact::div(f, 1, h)), w_, basis_[steps_]);
    return RunEnd::passes;
}

void GmresSolver::add_basis(std::span<double> u) const {
    const Format& f = spec_.scalar;
    std::vector<double> y(steps_);
    for (std::size_t i = steps_; i-- > 0;) {
        double sum = g_[i];
        for (std::size_t k = i + 1; k < steps_; ++k) sum = exact::sub(f, sum, exact::mul(f, column(k, i), y[k]));
        y[i] = exact::div(f, sum, column(i, i));
    }
    for (std::size_t i = 0; i < steps_; ++i) arithmetic_->add(u, exact::convert(spec_.operand, y[i]), along(i));
}

void GmresSolver::close_cycle() {
    if (steps_ > 0) {
        add_basis(u_);
        first_ = false;
    }
    steps_ = 0;
    open_ = false;
}

RunReport GmresSolver::run(const RunRequest& request) {
    RunReport report;
    const double stop = exact::convert(spec_.scalar, request.rho_stop);
    while (report.passes < request.passes && report.end == RunEnd::passes) {
        const auto tests = [&] { return report.passes + 1 >= request.rho_stop_from; };
        if (!open_) {
            report.end = begin_cycle(stop, tests());
            if (report.end != RunEnd::passes) break;
        }
        report.end = step();
        if (report.end == RunEnd::passes) ++report.passes;
        if (report.end != RunEnd::passes || last_of_cycle_ || (tests() && rho_ < stop)) close_cycle();
    }
    // Whether a cycle that has just ended reached the threshold is known now, not one step later.
    if (report.end == RunEnd::passes && !open_ && report.passes == request.passes && request.rho_stop > 0)
        report.end = begin_cycle(stop, request.passes + 1 >= request.rho_stop_from);
    return report;
}

std::span<const double> GmresSolver::solution() {
    std::copy(u_.begin(), u_.end(), candidate_.begin());
    if (open_) add_basis(candidate_);
    if (open_ || !first_) {
        std::vector<double> r(size_);
        const bool finite =
            std::all_of(candidate_.begin(), candidate_.end(), [](double x) { return std::isfinite(x); });
        const double rho = finite ? residual(candidate_, r) : std::numeric_limits<double>::infinity();
        if (!(rho < best_rho_)) std::copy(best_.begin(), best_.end(), candidate_.begin());
    }
    return candidate_;
}

} // namespace mantissa
