#include "mantissa/checked_engine.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/resident.hpp"

namespace mantissa {

namespace {

using Counter = std::shared_ptr<std::atomic<std::uint64_t>>;

bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string to_text(const WordUse& words) {
    return fmt::format("{} {} {} {}", words.u, words.r, words.p, words.q);
}

class CheckedSession final : public Session {
public:
    CheckedSession(std::string names, const DatapathSpec& spec, std::size_t size, std::unique_ptr<Session> subject,
                   std::unique_ptr<Session> reference, Counter passes)
        : passes_(std::move(passes)), names_(std::move(names)), spec_(spec), size_(size), subject_(std::move(subject)),
          reference_(std::move(reference)) {}

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        subject_->write(v, first, values);
        reference_->write(v, first, values);
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override { subject_->read(v, first, values); }
    void clear(Vec v) override {
        subject_->clear(v);
        reference_->clear(v);
    }
    void set_scalars(double alpha, double beta) override {
        subject_->set_scalars(alpha, beta);
        reference_->set_scalars(alpha, beta);
    }
    [[nodiscard]] Scalars scalars() const override { return subject_->scalars(); }
    [[nodiscard]] std::string fault() const override { return subject_->fault(); }
    [[nodiscard]] std::optional<std::uint64_t> clock() const override { return subject_->clock(); }

    RunReport run(const RunRequest& request) override {
        RunReport total;
        while (total.passes < request.passes && total.end == RunEnd::passes) {
            RunRequest one = request;
            one.passes = 1;
            one.rho_stop_from = total.passes + 1 >= request.rho_stop_from ? 1 : 2;
            if (!request.pairs.empty()) one.pairs = request.pairs.subspan(total.passes);
            const auto before = subject_->clock();
            const RunReport a = subject_->run(one), b = reference_->run(one);
            ++iteration_;
            if (a.end != b.end || a.passes != b.passes || a.sigma_guards != b.sigma_guards) {
                const auto words = [](const RunReport& r) {
                    return fmt::format("{}, {} sigma guards", to_string(r.end), r.sigma_guards);
                };
                Difference d;
                d.signal = "end";
                d.subject = words(a) + (subject_->fault().empty() ? "" : " (" + subject_->fault() + ")");
                d.reference = words(b);
                fail(std::move(d), before);
            }
            if (a.words != b.words) {
                Difference d;
                d.signal = "word lengths of u, r, p, q";
                d.subject = to_text(a.words);
                d.reference = to_text(b.words);
                fail(std::move(d), before);
            }
            if (auto d = compare_sessions(*subject_, *reference_, spec_, size_)) fail(std::move(*d), before);
            total.passes += a.passes;
            if (passes_) *passes_ += a.passes;
            total.sigma_guards += a.sigma_guards;
            total.end = a.end;
            total.words.merge(a.words);
            if (a.cycles) total.cycles = total.cycles.value_or(0) + *a.cycles;
        }
        return total;
    }

private:
    [[noreturn]] void fail(Difference d, std::optional<std::uint64_t> before) const {
        d.iteration = iteration_;
        d.first_clock = before;
        d.last_clock = subject_->clock();
        const bool vector = d.signal.size() == 1;
        std::string line = fmt::format("{} differ at iteration {}, {}{}: {} and {}", names_, d.iteration, d.signal,
                                       vector ? fmt::format(" element {}", d.element) : "", d.subject, d.reference);
        if (d.first_clock) line += fmt::format("; clocks {} to {}", *d.first_clock, *d.last_clock);
        throw Mismatch(line, std::move(d));
    }

    Counter passes_;
    std::string names_;
    DatapathSpec spec_;
    std::size_t size_;
    std::unique_ptr<Session> subject_, reference_;
    std::uint64_t iteration_ = 0;
};

/// What a report says, in words, but for clocks; a point of the history first where one differs.
std::string to_text(const ResidentReport& r) {
    return fmt::format("{}: {} passes, {} steps, {} formed again, {} overflows, {} sigma guards, headroom {}, e {}, rr "
                       "{}, V {}, D {}, words {}",
                       to_string(r.end), r.passes, r.steps, r.formed_again, r.overflows, r.sigma_guards, r.headroom,
                       r.e, r.rr, r.overflow_v ? "over" : "fits", r.overflow_d ? "over" : "fits", to_text(r.words));
}
std::string to_text(const ResidentPoint& p) {
    return fmt::format("{} passes, {} steps, e {}, rr {}", p.passes, p.steps, p.e, p.rr);
}

/// Two resident solvers one after the other, compared at the end.
class CheckedResident final : public ResidentSolver {
public:
    CheckedResident(std::string names, std::unique_ptr<ResidentSolver> subject,
                    std::unique_ptr<ResidentSolver> reference, Counter passes)
        : passes_(std::move(passes)), names_(std::move(names)), subject_(std::move(subject)),
          reference_(std::move(reference)) {}
    ResidentReport solve(std::span<const fixed::Word> b, const ResidentRequest& request) override {
        ResidentReport a = subject_->solve(b, request), other = reference_->solve(b, request);
        const std::size_t points = std::min(a.history.size(), other.history.size());
        for (std::size_t k = 0; k < points; ++k)
            if (a.history[k] != other.history[k])
                fail(a.history[k].passes, fmt::format("acceptance {}", k), to_text(a.history[k]),
                     to_text(other.history[k]));
        if (to_text(a) != to_text(other)) fail(a.passes, "the report", to_text(a), to_text(other));
        if (a.history.size() != other.history.size())
            fail(a.passes, "the history's length", std::to_string(a.history.size()),
                 std::to_string(other.history.size()));
        std::vector<fixed::Word> v(b.size()), w(b.size());
        subject_->read(0, v);
        reference_->read(0, w);
        for (std::size_t i = 0; i < v.size(); ++i)
            if (v[i] != w[i])
                fail(a.passes, fmt::format("V, element {}", i), std::to_string(v[i]), std::to_string(w[i]));
        if (passes_) *passes_ += a.passes;
        return a;
    }
    void read(std::size_t first, std::span<fixed::Word> v) const override { subject_->read(first, v); }
    [[nodiscard]] std::optional<std::vector<fixed::Word>> defect() const override { return subject_->defect(); }
    [[nodiscard]] std::string fault() const override { return subject_->fault(); }

private:
    [[noreturn]] void fail(std::uint64_t passes, const std::string& what, const std::string& a,
                           const std::string& b) const {
        Difference d;
        d.iteration = passes;
        d.signal = what;
        d.subject = a;
        d.reference = b;
        throw Mismatch(
            fmt::format("{} differ after {} passes of a resident solve, {}: {} and {}", names_, passes, what, a, b),
            std::move(d));
    }

    Counter passes_;
    std::string names_;
    std::unique_ptr<ResidentSolver> subject_, reference_;
};

/// Two cycles one after the other, their corrections compared.
class CheckedCycle final : public Cycle {
public:
    CheckedCycle(std::string names, std::unique_ptr<Cycle> subject, std::unique_ptr<Cycle> reference, Counter cycles)
        : cycles_(std::move(cycles)), names_(std::move(names)), subject_(std::move(subject)),
          reference_(std::move(reference)) {}
    void correct(std::span<const double> d, std::span<double> c) override {
        subject_->correct(d, c);
        std::vector<double> other(c.size());
        reference_->correct(d, other);
        ++made_;
        for (std::size_t i = 0; i < other.size(); ++i)
            if (!same(c[i], other[i])) {
                Difference difference;
                difference.iteration = made_;
                difference.signal = fmt::format("c, element {}", i);
                difference.subject = fmt::format("{}", c[i]);
                difference.reference = fmt::format("{}", other[i]);
                const std::string text = fmt::format("{} differ in cycle {}, {}: {} and {}", names_, made_,
                                                     difference.signal, difference.subject, difference.reference);
                throw Mismatch(text, std::move(difference));
            }
        if (cycles_) ++*cycles_;
    }
    [[nodiscard]] std::string description() const override { return subject_->description(); }
    [[nodiscard]] std::optional<std::uint64_t> clocks() const override { return subject_->clocks(); }

private:
    Counter cycles_;
    std::string names_;
    std::uint64_t made_ = 0;
    std::unique_ptr<Cycle> subject_, reference_;
};

/// Two solves by cycles one after the other, compared at the end.
class CheckedCycles final : public CycleSolver {
public:
    CheckedCycles(std::string names, std::unique_ptr<CycleSolver> subject, std::unique_ptr<CycleSolver> reference,
                  Counter cycles)
        : cycles_(std::move(cycles)), names_(std::move(names)), subject_(std::move(subject)),
          reference_(std::move(reference)) {}
    CycleSolveReport solve(std::span<const double> b, double tolerance, std::uint64_t most_cycles,
                           std::vector<double>& u) override {
        std::vector<double> other;
        CycleSolveReport report = subject_->solve(b, tolerance, most_cycles, u);
        const CycleSolveReport there = reference_->solve(b, tolerance, most_cycles, other);
        if (report.end != there.end || report.cycles != there.cycles)
            fail(report.cycles, "the end", std::to_string(report.cycles), std::to_string(there.cycles));
        for (std::size_t k = 0; k < std::min(report.history.size(), there.history.size()); ++k)
            if (!same(report.history[k], there.history[k]))
                fail(k, "the defect's norm", fmt::format("{}", report.history[k]), fmt::format("{}", there.history[k]));
        for (std::size_t i = 0; i < std::min(u.size(), other.size()); ++i)
            if (!same(u[i], other[i]))
                fail(report.cycles, fmt::format("u, element {}", i), fmt::format("{}", u[i]),
                     fmt::format("{}", other[i]));
        if (cycles_) *cycles_ += report.cycles;
        return report;
    }
    [[nodiscard]] bool trusted() const override { return subject_->trusted(); }

private:
    [[noreturn]] void fail(std::uint64_t cycles, const std::string& what, const std::string& a,
                           const std::string& b) const {
        Difference d;
        d.iteration = cycles;
        d.signal = what;
        d.subject = a;
        d.reference = b;
        throw Mismatch(fmt::format("{} differ after {} cycles, {}: {} and {}", names_, cycles, what, a, b),
                       std::move(d));
    }

    Counter cycles_;
    std::string names_;
    std::unique_ptr<CycleSolver> subject_, reference_;
};

class CheckedEngine final : public Engine {
public:
    CheckedEngine(const Engine& subject, const Engine& reference, Counter passes)
        : subject_(subject), reference_(reference), passes_(std::move(passes)) {}
    [[nodiscard]] std::string name() const override {
        return subject_.name() + " checked against " + reference_.name();
    }
    [[nodiscard]] std::string description() const override {
        return subject_.description() + ", checked against " + reference_.name();
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        if (std::string why = subject_.refusal(spec, system, options); !why.empty()) return why;
        return reference_.refusal(spec, system, options);
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        return std::make_unique<CheckedSession>(subject_.name() + " and " + reference_.name(), spec, system.size(),
                                                subject_.load(system, spec, options),
                                                reference_.load(system, spec, options), passes_);
    }
    [[nodiscard]] std::string resident_refusal(const DatapathSpec& spec, const System& system,
                                               const Format& iterate) const override {
        if (std::string why = subject_.resident_refusal(spec, system, iterate); !why.empty()) return why;
        return reference_.resident_refusal(spec, system, iterate);
    }
    [[nodiscard]] std::unique_ptr<ResidentSolver> resident(const System& system, const DatapathSpec& spec,
                                                           const Format& iterate, int threads) const override {
        return std::make_unique<CheckedResident>(subject_.name() + " and " + reference_.name(),
                                                 subject_.resident(system, spec, iterate, threads),
                                                 reference_.resident(system, spec, iterate, threads), passes_);
    }
    [[nodiscard]] std::string cycle_refusal(const System& system, const CycleSpec& spec) const override {
        return at_fault(subject_.cycle_refusal(system, spec), reference_.cycle_refusal(system, spec));
    }
    [[nodiscard]] std::unique_ptr<Cycle> cycle(const System& system, const CycleSpec& spec,
                                               int threads) const override {
        return std::make_unique<CheckedCycle>(subject_.name() + " and " + reference_.name(),
                                              subject_.cycle(system, spec, threads),
                                              reference_.cycle(system, spec, threads), passes_);
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        return at_fault(subject_.cycles_refusal(system, spec, loop), reference_.cycles_refusal(system, spec, loop));
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        return std::make_unique<CheckedCycles>(subject_.name() + " and " + reference_.name(),
                                               subject_.cycles(system, spec, loop),
                                               reference_.cycles(system, spec, loop), passes_);
    }

private:
    /// Of what both say of cycles. (The engine emulated has this processor's as well, and these are lost to the other
    /// one's limits: that one is at fault.)
    [[nodiscard]] std::string at_fault(const std::string& here, const std::string& there) const {
        return here.empty() || (subject_.name() == "emulated" && !there.empty()) ? there : here;
    }

    const Engine& subject_;
    const Engine& reference_;
    Counter passes_;
};

} // namespace

std::optional<Difference> compare_sessions(const Session& subject, const Session& reference, const DatapathSpec& spec,
                                           std::size_t size) {
    struct Vector {
        const char* name;
        Vec vec;
        const Format& format;
    };
    const Vector vectors[] = {
        {"u", Vec::u, spec.u}, {"r", Vec::r, spec.r}, {"p", Vec::p, spec.p}, {"q", Vec::q, spec.q}};
    std::vector<double> a(size), b(size);
    for (const Vector& v : vectors) {
        subject.read(v.vec, 0, a);
        reference.read(v.vec, 0, b);
        for (std::size_t i = 0; i < size; ++i)
            if (!same(a[i], b[i]))
                return Difference{0, v.name, i, bit_string(v.format, a[i]), bit_string(v.format, b[i]), {}, {}};
    }
    const Scalars x = subject.scalars(), y = reference.scalars();
    const std::pair<const char*, double Scalars::*> fields[] = {{"rho", &Scalars::rho},     {"pq", &Scalars::pq},
                                                                {"qq", &Scalars::qq},       {"alpha", &Scalars::alpha},
                                                                {"sigma", &Scalars::sigma}, {"beta", &Scalars::beta}};
    for (const auto& [name, field] : fields)
        if (!same(x.*field, y.*field))
            return Difference{0, name, 0, bit_string(spec.scalar, x.*field), bit_string(spec.scalar, y.*field), {}, {}};
    return std::nullopt;
}

std::unique_ptr<Engine> make_checked_engine(const Engine& subject, const Engine& reference,
                                            std::shared_ptr<std::atomic<std::uint64_t>> passes) {
    return std::make_unique<CheckedEngine>(subject, reference, std::move(passes));
}

} // namespace mantissa
