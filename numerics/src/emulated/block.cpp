// The general emulated session: any formats, both recurrences, through BlockAlgebra.
#include "mantissa/block_algebra.hpp"
#include "mantissa/scalar_unit.hpp"
#include "session_base.hpp"

namespace mantissa::detail {

namespace {

class BlockSession final : public SessionBase<double> {
public:
    BlockSession(const System& system, const DatapathSpec& spec, const SessionOptions& options)
        : SessionBase<double>(spec, system), algebra_(system, spec, options.threads), recurrence_(options.recurrence) {}

    RunReport run(const RunRequest& request) override {
        RunReport report;
        const double stop = exact_scalar(request.rho_stop);
        while (report.passes < request.passes && report.end == RunEnd::passes) {
            const ScalarStep step = recurrence_ == Recurrence::pipelined ? pipelined_pass() : plain_pass();
            ++report.passes;
            report.sigma_guards += step.sigma_guarded ? 1 : 0;
            report.end = step.end;
            scalars_ = step.scalars;
            if (report.end == RunEnd::passes && report.passes >= request.rho_stop_from && step.scalars.rho < stop)
                report.end = RunEnd::rho_reached;
        }
        return report;
    }

private:
    std::span<double> vec(Vec v) { return {data(v), size()}; }

    ScalarStep pipelined_pass() {
        const double alpha = exact::convert(spec_.operand, scalars_.alpha);
        const double beta = exact::convert(spec_.operand, scalars_.beta);
        algebra_.add_scaled(spec_.u, vec(Vec::u), alpha, vec(Vec::p), vec(Vec::u));
        algebra_.sub_scaled(spec_.r, vec(Vec::r), alpha, vec(Vec::q), vec(Vec::r));
        algebra_.add_scaled(spec_.p, vec(Vec::r), beta, vec(Vec::p), vec(Vec::p));
        algebra_.apply(vec(Vec::p), spec_.q, vec(Vec::q));
        const DotResult rr = algebra_.dot(vec(Vec::r), vec(Vec::r));
        const DotResult pq = algebra_.dot(vec(Vec::p), vec(Vec::q));
        const DotResult qq = algebra_.dot(vec(Vec::q), vec(Vec::q));
        return scalar_step(spec_.scalar, rr.value, pq.value, qq.value, rr.overflow || pq.overflow || qq.overflow);
    }

    /// Eq. 2, see engine.hpp.
    ScalarStep plain_pass() {
        const Format& f = spec_.scalar;
        ScalarStep step;
        Scalars& s = step.scalars;
        const auto finish = [&](RunEnd end) {
            step.end = end;
            s.alpha = s.sigma = s.beta = 0;
            return step;
        };
        double rho = scalars_.rho;
        if (!rho_known_) {
            const DotResult rr = algebra_.dot(vec(Vec::r), vec(Vec::r));
            if (rr.overflow) return finish(RunEnd::window_overflow);
            rho = rr.value;
        }
        rho_known_ = true;
        s.rho = rho;
        if (!std::isfinite(rho)) return finish(RunEnd::not_finite);
        if (rho == 0) return finish(RunEnd::exact);
        const double beta = exact::convert(spec_.operand, scalars_.beta);
        algebra_.add_scaled(spec_.p, vec(Vec::r), beta, vec(Vec::p), vec(Vec::p));
        algebra_.apply(vec(Vec::p), spec_.q, vec(Vec::q));
        const DotResult pq = algebra_.dot(vec(Vec::p), vec(Vec::q));
        if (pq.overflow) return finish(RunEnd::window_overflow);
        s.pq = pq.value;
        if (!std::isfinite(s.pq)) return finish(RunEnd::not_finite);
        if (!(s.pq > 0)) return finish(RunEnd::indefinite);
        s.alpha = exact::div(f, rho, s.pq);
        if (!std::isfinite(s.alpha)) return finish(RunEnd::not_finite);
        const double alpha = exact::convert(spec_.operand, s.alpha);
        algebra_.add_scaled(spec_.u, vec(Vec::u), alpha, vec(Vec::p), vec(Vec::u));
        algebra_.sub_scaled(spec_.r, vec(Vec::r), alpha, vec(Vec::q), vec(Vec::r));
        const DotResult rr = algebra_.dot(vec(Vec::r), vec(Vec::r));
        if (rr.overflow) return finish(RunEnd::window_overflow);
        s.rho = rr.value;
        s.sigma = s.rho; // what the pipelined form estimates
        s.beta = exact::div(f, s.rho, rho);
        if (!std::isfinite(s.rho) || !std::isfinite(s.beta)) return finish(RunEnd::not_finite);
        return step;
    }

    BlockAlgebra algebra_;
    Recurrence recurrence_;
};

} // namespace

std::unique_ptr<Session> make_block_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options) {
    return std::make_unique<BlockSession>(system, spec, options);
}

} // namespace mantissa::detail
