#include "mantissa/cg_variants.hpp"

#include <algorithm>
#include <cmath>

#include "mantissa/exact.hpp"

namespace mantissa {

CgVariantSolver::CgVariantSolver(const System& system, const DatapathSpec& spec, CgVariant variant, int threads)
    : algebra_(system, spec, threads), spec_(spec), variant_(variant) {
    for (auto* v : {&u_, &r_, &p_, &w_, &s_}) v->assign(system.size(), 0.0);
    if (variant == CgVariant::ghysels_vanroose)
        for (auto* v : {&z_, &aw_}) v->assign(system.size(), 0.0);
}

void CgVariantSolver::start(std::span<const double> r) {
    VectorUnit<double>(spec_.r).convert(r, r_);
    for (auto* v : {&u_, &p_, &s_, &z_}) std::fill(v->begin(), v->end(), 0.0);
    algebra_.apply(r_, spec_.q, w_);
    previous_rho_ = alpha_ = 0;
    first_ = true;
}

RunEnd CgVariantSolver::step(double stop, bool test) {
    const Format& f = spec_.scalar;
    const DotResult gamma = algebra_.dot(r_, r_), delta = algebra_.dot(r_, w_);
    if (gamma.overflow || delta.overflow) return RunEnd::window_overflow;
    rho_ = gamma.value;
    if (!std::isfinite(rho_) || !std::isfinite(delta.value)) return RunEnd::not_finite;
    if (rho_ == 0) return RunEnd::exact;
    if (test && rho_ < stop) return RunEnd::rho_reached;
    if (variant_ == CgVariant::ghysels_vanroose) algebra_.apply(w_, spec_.q, aw_);
    double beta = 0, denominator = delta.value;
    if (!first_) {
        beta = exact::div(f, rho_, previous_rho_);
        denominator = exact::sub(f, denominator, exact::div(f, exact::mul(f, beta, rho_), alpha_));
    }
    pq_ = denominator;
    if (!(denominator > 0)) return RunEnd::indefinite;
    const double alpha = exact::div(f, rho_, denominator);
    if (!std::isfinite(alpha) || !std::isfinite(beta)) return RunEnd::not_finite;
    const double a = exact::convert(spec_.operand, alpha), b = exact::convert(spec_.operand, beta);
    algebra_.add_scaled(spec_.p, r_, b, p_, p_);
    algebra_.add_scaled(spec_.q, w_, b, s_, s_);
    algebra_.add_scaled(spec_.u, u_, a, p_, u_);
    algebra_.sub_scaled(spec_.r, r_, a, s_, r_);
    if (variant_ == CgVariant::ghysels_vanroose) {
        algebra_.add_scaled(spec_.q, aw_, b, z_, z_);
        algebra_.sub_scaled(spec_.q, w_, a, z_, w_);
    } else {
        algebra_.apply(r_, spec_.q, w_);
    }
    previous_rho_ = rho_;
    alpha_ = alpha;
    first_ = false;
    return RunEnd::passes;
}

RunReport CgVariantSolver::run(const RunRequest& request) {
    RunReport report;
    const double stop = exact::convert(spec_.scalar, request.rho_stop);
    while (report.passes < request.passes && report.end == RunEnd::passes) {
        report.end = step(stop, report.passes + 1 >= request.rho_stop_from);
        if (report.end == RunEnd::passes) ++report.passes;
    }
    return report;
}

} // namespace mantissa
