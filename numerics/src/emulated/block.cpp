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
            const ScalarStep step = recurrence_ == Recurrence::pipelined
                                        ? pipelined_pass()
                                        : plain_pass(spec_, scalars_, rho_known_, PlainParts{*this});
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

    struct PlainParts {
        BlockSession& s;
        DotResult rr() { return s.algebra_.dot(s.vec(Vec::r), s.vec(Vec::r)); }
        void direction(double beta) {
            s.algebra_.add_scaled(s.spec_.p, s.vec(Vec::r), beta, s.vec(Vec::p), s.vec(Vec::p));
        }
        DotResult product() {
            s.algebra_.apply(s.vec(Vec::p), s.spec_.q, s.vec(Vec::q));
            return s.algebra_.dot(s.vec(Vec::p), s.vec(Vec::q));
        }
        DotResult advance(double alpha) {
            s.algebra_.add_scaled(s.spec_.u, s.vec(Vec::u), alpha, s.vec(Vec::p), s.vec(Vec::u));
            s.algebra_.sub_scaled(s.spec_.r, s.vec(Vec::r), alpha, s.vec(Vec::q), s.vec(Vec::r));
            return rr();
        }
    };

    BlockAlgebra algebra_;
    Recurrence recurrence_;
};

} // namespace

std::unique_ptr<Session> make_block_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options) {
    return std::make_unique<BlockSession>(system, spec, options);
}

} // namespace mantissa::detail
