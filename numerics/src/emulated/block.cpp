// The general emulated session: any formats, all recurrences, through BlockAlgebra.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "mantissa/block_algebra.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/narrow/block_format.hpp"
#include "mantissa/scalar_unit.hpp"
#include "part_links.hpp"
#include "session_base.hpp"

namespace mantissa::detail {

namespace {

class BlockSession final : public SessionBase<double> {
public:
    BlockSession(const System& system, const DatapathSpec& spec, const SessionOptions& options, PartLinks* links)
        : SessionBase<double>(spec, system), links_(links), algebra_(system, spec, options.threads),
          recurrence_(options.recurrence) {}

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        if (v != Vec::p || !spec_.p_blocks.given()) return SessionBase<double>::write(v, first, values);
        const auto length = static_cast<std::size_t>(spec_.p_blocks.length);
        const std::size_t end = first + values.size();
        if (first % length != 0 || (end % length != 0 && end != size()))
            throw InvalidInput(fmt::format("session: p={} and a write of elements {} to {} of {}; write whole blocks",
                                           narrow::to_string(spec_.p_blocks), first, end, size()));
        SessionBase<double>::write(v, first, values);
        into_blocks(vec(Vec::p).subspan(first, values.size()));
    }

    RunReport run(const RunRequest& request) override {
        if (recurrence_ == Recurrence::chebyshev)
            return run_pairs(spec_, request, scalars_, [this](WordUse&) {
                update_and_multiply();
                return false;
            });
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
    void into_blocks(std::span<double> p) const {
        if (spec_.p_blocks.given()) narrow::round_blocks(spec_.p_blocks, p, p);
    }
    /// p = r + beta p
    void form_direction(double beta) {
        algebra_.add_scaled(spec_.p, vec(Vec::r), beta, vec(Vec::p), vec(Vec::p));
        into_blocks(vec(Vec::p));
    }
    void update_and_multiply() {
        const double alpha = exact::convert(spec_.operand, scalars_.alpha);
        const double beta = exact::convert(spec_.operand, scalars_.beta);
        forget_ghosts();
        algebra_.add_scaled(spec_.u, vec(Vec::u), alpha, vec(Vec::p), vec(Vec::u));
        algebra_.sub_scaled(spec_.r, vec(Vec::r), alpha, vec(Vec::q), vec(Vec::r));
        form_direction(beta);
        product();
    }
    ScalarStep pipelined_pass() {
        update_and_multiply();
        const auto [rr, pq, qq] = dots(std::array{Pair{Vec::r, Vec::r}, Pair{Vec::p, Vec::q}, Pair{Vec::q, Vec::q}});
        return scalar_step(spec_.scalar, rr.value, pq.value, qq.value, rr.overflow || pq.overflow || qq.overflow);
    }

    using Pair = std::pair<Vec, Vec>;
    template <std::size_t N> std::array<DotResult, N> dots(const std::array<Pair, N>& pairs) {
        std::array<DotResult, N> results;
        if (links_ == nullptr) {
            for (std::size_t k = 0; k < N; ++k) results[k] = algebra_.dot(vec(pairs[k].first), vec(pairs[k].second));
            return results;
        }
        PartFindings findings;
        for (std::size_t k = 0; k < N; ++k) {
            const FixedAccumulator sum = algebra_.window_sum(vec(pairs[k].first), vec(pairs[k].second));
            findings.sums[k] = {sum.units(), sum.term_overflow()};
        }
        links_->combine(findings);
        for (std::size_t k = 0; k < N; ++k) {
            FixedAccumulator total(spec_.dot.window);
            total.merge_units(findings.sums[k].units, findings.sums[k].lost);
            results[k] = {total.total(spec_.scalar), total.overflow()};
        }
        return results;
    }
    DotResult dot(Vec a, Vec b) { return dots(std::array{Pair{a, b}})[0]; }

    /// Ghosts do not take part in the updates: their owners send what comes of them.
    void forget_ghosts() {
        if (links_ == nullptr) return;
        for (const std::uint32_t i : links_->ghosts()) data(Vec::p)[i] = 0;
    }
    /// q = A p. (Symmetric bands give something to ghosts too.)
    void product() {
        if (links_ != nullptr) links_->exchange(vec(Vec::p));
        algebra_.apply(vec(Vec::p), spec_.q, vec(Vec::q));
        if (links_ == nullptr) return;
        for (const std::uint32_t i : links_->ghosts()) data(Vec::q)[i] = 0;
    }

    struct PlainParts {
        BlockSession& s;
        DotResult rr() { return s.dot(Vec::r, Vec::r); }
        void direction(double beta) {
            s.forget_ghosts();
            s.form_direction(beta);
        }
        DotResult product() {
            s.product();
            return s.dot(Vec::p, Vec::q);
        }
        DotResult advance(double alpha) {
            s.algebra_.add_scaled(s.spec_.u, s.vec(Vec::u), alpha, s.vec(Vec::p), s.vec(Vec::u));
            s.algebra_.sub_scaled(s.spec_.r, s.vec(Vec::r), alpha, s.vec(Vec::q), s.vec(Vec::r));
            return rr();
        }
    };

    PartLinks* links_; ///< to the other parts; null where the system is whole
    BlockAlgebra algebra_;
    Recurrence recurrence_;
};

} // namespace

std::unique_ptr<Session> make_block_session(const System& system, const DatapathSpec& spec,
                                            const SessionOptions& options, PartLinks* links) {
    return std::make_unique<BlockSession>(system, spec, options, links);
}

} // namespace mantissa::detail
