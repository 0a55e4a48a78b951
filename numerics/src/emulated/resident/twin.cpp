#include "twin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "../fixed_session.hpp"
#include "mantissa/exact.hpp"
#include "outer_words.hpp"

namespace mantissa::detail {

namespace {

using fixed::Word;

constexpr int kUnseen = -4; // by which e moves where r is zero and D is not

bool is_trouble(RunEnd end) {
    return end == RunEnd::indefinite || end == RunEnd::not_finite || end == RunEnd::exact;
}
ResidentEnd end_of(RunEnd end) {
    switch (end) {
    case RunEnd::indefinite:
        return ResidentEnd::indefinite;
    case RunEnd::exact: // D is not zero, or the solve would have ended
        return ResidentEnd::fault;
    default:
        return ResidentEnd::not_finite;
    }
}

class ResidentTwin final : public ResidentSolver {
public:
    ResidentTwin(const System& system, const DatapathSpec& spec, const Format& iterate, int threads)
        : spec_(spec), session_(make_fixed_fused_session(system, spec, {threads, Recurrence::pipelined})),
          outer_(system, spec, iterate, threads) {}

    ResidentReport solve(std::span<const Word> b, const ResidentRequest& request) override {
        check(b, request);
        report_ = {};
        report_.headroom = request.headroom;
        outer_.load(b);
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) session_->clear(v);
        troubles_ = 0;
        last_ = {};
        keep_ = relaxed_ = false;
        form(request.headroom);
        forms_ = 1;
        while (accept(request)) inner(request);
        return std::exchange(report_, {});
    }
    void read(std::size_t first, std::span<Word> v) const override {
        const std::vector<Word>& all = outer_.v();
        if (first > all.size() || v.size() > all.size() - first)
            throw InvalidInput("resident: elements outside the vector; stay below the system's size");
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(first), v.size(), v.begin());
    }
    [[nodiscard]] std::optional<std::vector<Word>> defect() const override { return outer_.d(); }

private:
    void check(std::span<const Word> b, const ResidentRequest& request) const {
        if (b.size() != outer_.d().size())
            throw InvalidInput(fmt::format("resident: the right-hand side has {} elements and the system {}", b.size(),
                                           outer_.d().size()));
        if (request.inner < 1) throw InvalidInput("resident: give 1 or more inner passes");
        if (request.relax < 0 || request.relax > kMostRelax)
            throw InvalidInput(fmt::format("resident: relax {}: give 0 to {} bits", request.relax, kMostRelax));
        const double t = request.tolerance.t;
        if (!(t >= 0) || exact::convert(spec_.scalar, t) != t)
            throw InvalidInput(fmt::format("resident: the tolerance's word {} is no value of {} from 0 up", t,
                                           to_string(spec_.scalar)));
    }

    [[nodiscard]] InnerWords words() {
        return {session_->short_u(), session_->long_u(), session_->words(Vec::p), session_->words(Vec::r),
                session_->words(Vec::q)};
    }
    [[nodiscard]] double total(const ExactSum& sum) const {
        return exact_total(sum.units(), 2 * spec_.r.fraction_bits, spec_.scalar);
    }
    [[nodiscard]] double threshold(const ResidentRequest& request) const {
        return resident_scaled(spec_.scalar, request.tolerance.t, 2 * (request.tolerance.x - report_.e));
    }

    void form(int e) {
        report_.e = e;
        formed_ = outer_.form(words(), e);
        report_.rr = formed_.over ? 0 : total(formed_.rr);
        session_->enter(Vec::r, formed_.range);
        session_->enter(Vec::q, formed_.range);
    }
    bool ends(ResidentEnd end) {
        report_.end = end;
        return false;
    }

    /// False where the solve has its end.
    bool accept(const ResidentRequest& request) {
        if (report_.overflows > kMostOverflows) return ends(ResidentEnd::window_overflow);
        if (report_.overflow_v || report_.overflow_d) return ends(ResidentEnd::outer_overflow);
        for (;; ++forms_, ++report_.formed_again) {
            int change = 1;
            if (formed_.over) {
                if (!overflowed()) return ends(ResidentEnd::window_overflow);
            } else {
                if (report_.rr == 0 && outer_.defect_is_zero())
                    return ends(outer_.rounded() ? ResidentEnd::fault : ResidentEnd::exact);
                change = report_.rr == 0 ? kUnseen : resident_magnitude(report_.rr) + report_.headroom;
                if (change == 0 || change == -1) break;
            }
            if (forms_ == kMostForms) return ends(ResidentEnd::fault);
            form(report_.e + change);
        }
        report_.history.push_back({report_.passes, report_.steps, report_.e, report_.rr});
        if (report_.rr < threshold(request)) return ends(ResidentEnd::converged);
        if (troubles_ >= kMostTroubles) return ends(end_of(last_.end));
        if (report_.passes >= request.max_passes) return ends(ResidentEnd::passes);
        if (request.watch && !request.watch(report_.history.back())) return ends(ResidentEnd::stopped);
        return true;
    }

    /// One run and what follows it, up to a FORM.
    void inner(const ResidentRequest& request) {
        double beta = 0, gamma = 0;
        if (keep_) {
            const int power = report_.e - last_.e;
            const auto scaled = [&](double x) {
                return resident_scaled(spec_.scalar, exact::div(spec_.scalar, x, last_.rho), power);
            };
            beta = scaled(report_.rr);
            gamma = scaled(total(formed_.rp));
            if (!std::isfinite(beta) || !std::isfinite(gamma)) beta = gamma = 0;
        }
        const std::uint64_t passes = std::min(request.inner, request.max_passes - report_.passes);
        session_->set_scalars(gamma, beta);
        RunReport run = session_->first_pass(report_.rr);
        count(run);
        if (run.end == RunEnd::passes && passes > 1) {
            run = session_->run({.passes = passes - 1, .rho_stop = threshold(request)});
            count(run);
        }
        ++report_.steps;
        last_ = {run.end, session_->scalars().rho, report_.e};
        if (is_trouble(run.end)) ++troubles_;
        else if (run.end != RunEnd::window_overflow) troubles_ = 0;
        keep_ = run.end == RunEnd::passes || run.end == RunEnd::rho_reached;
        if (run.end == RunEnd::window_overflow) {
            if (!overflowed()) return;
            form(report_.e + 1);
            forms_ = 1;
            ++report_.formed_again;
            return;
        }
        step(request);
    }
    void count(const RunReport& run) {
        report_.passes += run.passes;
        report_.sigma_guards += run.sigma_guards;
        report_.words.merge(run.words);
    }
    /// False where there have been too many.
    bool overflowed() {
        ++report_.headroom;
        return ++report_.overflows <= kMostOverflows;
    }

    void step(const ResidentRequest& request) {
        const FixedScalar alpha(exact::convert(spec_.operand, session_->scalars().alpha));
        const Stepped found = outer_.step(words(), alpha, session_->range(Vec::p), report_.e);
        report_.overflow_v |= found.over_v;
        report_.overflow_d |= found.over_d;
        if (!relaxed_) report_.headroom -= request.relax;
        relaxed_ = true;
        const bool known = std::isfinite(last_.rho) && last_.rho != 0;
        const int change = known ? resident_magnitude(last_.rho) + report_.headroom : -4;
        if (found.over_c) {
            overflowed();
            keep_ = false;
        }
        form(report_.e + change);
        forms_ = 1;
    }

    /// Of the last run.
    struct Last {
        RunEnd end = RunEnd::passes;
        double rho = 0;
        int e = 0;
    };

    DatapathSpec spec_;
    std::unique_ptr<FixedWordsSession> session_;
    OuterWords outer_;
    ResidentReport report_;
    Formed formed_;
    Last last_;
    bool keep_ = false; ///< does the next run keep p?
    bool relaxed_ = false;
    int forms_ = 0, troubles_ = 0;
};

} // namespace

std::string twin_refusal(const DatapathSpec& spec, const System& system, const Format& iterate) {
    if (std::string why = mantissa::resident_refusal(spec, system, iterate); !why.empty()) return why;
    if (!has_fixed_fused_session(system, spec, {}))
        return fmt::format("resident: '{}' is beyond the 32-bit words of the emulated engine's fast loop; shorten the "
                           "words or coef=",
                           to_string(spec));
    return {};
}

std::unique_ptr<ResidentSolver> make_resident_twin(const System& system, const DatapathSpec& spec,
                                                   const Format& iterate, int threads) {
    return std::make_unique<ResidentTwin>(system, spec, iterate, threads);
}

} // namespace mantissa::detail
