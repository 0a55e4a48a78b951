#include "command/parts/picked_engine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/native.hpp"

namespace mantissa::cli {

namespace {

constexpr std::size_t kSurelySeveral = std::size_t{1} << 22; ///< unknowns
/// Unknowns from which on several run multilevel cycles: of a grid that has its own kernels, where they are faster
/// (gpu/results/word_cycles), and of rows (gpu/results/row_cycles). Those are faster from a million and a half on, but
/// their levels have to be taken apart first, which a dozen iterations of fewer rows do not pay back.
constexpr std::size_t kSurelySeveralCycles = std::size_t{1} << 23, kSurelySeveralRows = 10000000;
constexpr std::uint64_t kPasses = 10;     ///< of a run, as an outer step has by default
constexpr int kRuns = 12, kFirstRuns = 2; ///< measured; before them

/// Seconds of a pass, runs of kPasses from some small right-hand side; infinity where runs end early.
double seconds_of_pass(const Engine& engine, const System& system, const DatapathSpec& spec,
                       const SessionOptions& options) {
    const std::unique_ptr<Session> session = engine.load(system, spec, options);
    std::vector<double> r(system.size());
    const std::size_t columns = system.kind() == System::Kind::sparse ? 0 : system.row_length();
    for (std::size_t i = 0; i < r.size(); ++i) {
        // (a grid's edge is zero, as its rows are)
        const bool edge =
            columns != 0 && (i % columns == 0 || i % columns == columns - 1 || i < columns || i + columns >= r.size());
        if (!edge) r[i] = (static_cast<double>(i * 37 % 17) - 8) / 512;
    }
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kFirstRuns + kRuns; ++run) {
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) session->clear(v);
        session->write(Vec::r, 0, r);
        session->set_scalars(0, 0);
        const auto start = std::chrono::steady_clock::now();
        const RunReport report = session->run({.passes = kPasses});
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (report.passes < kPasses) return std::numeric_limits<double>::infinity();
        if (run >= kFirstRuns) best = std::min(best, time.count() / static_cast<double>(kPasses));
    }
    return best;
}

class PickedEngine final : public Engine {
public:
    PickedEngine(std::unique_ptr<Engine> one, std::unique_ptr<Engine> several,
                 std::function<bool(const System&, const DatapathSpec&)> surely_one, std::string label,
                 std::shared_ptr<PickNote> note)
        : one_(std::move(one)), several_(std::move(several)), surely_one_(std::move(surely_one)),
          label_(std::move(label)), note_(std::move(note)) {}

    [[nodiscard]] std::string name() const override { return several_->name(); }
    [[nodiscard]] std::string description() const override { return several_->description(); }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        return several_->refusal(spec, system, options);
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string why = refusal(spec, system, options); !why.empty()) throw InvalidInput(why);
        *note_ = pick(system, spec, options);
        // (loaded anew: what was measured has moved on from the state that a session begins with)
        return (note_->one ? one_ : several_)->load(system, spec, options);
    }
    [[nodiscard]] bool has_native() const override { return several_->has_native(); }
    [[nodiscard]] std::string native_refusal(const DatapathSpec& spec, const System& system,
                                             const NativeChoice& choice) const override {
        return several_->native_refusal(spec, system, choice);
    }
    [[nodiscard]] std::unique_ptr<NativeSolver> native(const System& system, const DatapathSpec& spec,
                                                       const NativeChoice& choice) const override {
        auto solver = several_->native(system, spec, choice);
        const PickedPlan& plan = solver->plan();
        const bool one = plan.plan != NativePlan::grid_parts && plan.plan != NativePlan::sparse_parts;
        *note_ = {one, one ? "one is used: " + plan.why : std::string()};
        return solver;
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        return one_->cycles_refusal(system, spec, loop);
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        const bool can = several_->cycles_refusal(system, spec, loop).empty();
        const bool on_rows = loop.cg || !multilevel::grid_words(system);
        if (can && system.size() > (on_rows ? kSurelySeveralRows : kSurelySeveralCycles)) {
            *note_ = {false, ""};
            return several_->cycles(system, spec, loop);
        }
        *note_ = {true, "one is used: passes of cycles on a system of this size are too short to share out"};
        return one_->cycles(system, spec, loop);
    }

private:
    [[nodiscard]] PickNote pick(const System& system, const DatapathSpec& spec, const SessionOptions& options) const {
        if (surely_one_(system, spec)) return {true, "one is used: it holds the whole system on its chip"};
        if (system.size() > kSurelySeveral) return {false, ""};
        const double one = seconds_of_pass(*one_, system, spec, options);
        const double several = seconds_of_pass(*several_, system, spec, options);
        if (!std::isfinite(one) || !std::isfinite(several)) return {false, ""}; // a run ended early: as was asked for
        return {one < several, fmt::format("{} used: {:.1f} us a pass on one, {:.1f} on {}",
                                           one < several ? "one is" : "all are", 1e6 * one, 1e6 * several, label_)};
    }

    std::unique_ptr<Engine> one_, several_;
    std::function<bool(const System&, const DatapathSpec&)> surely_one_;
    std::string label_;
    std::shared_ptr<PickNote> note_;
};

} // namespace

std::unique_ptr<Engine> make_picked_engine(std::unique_ptr<Engine> one, std::unique_ptr<Engine> several,
                                           std::function<bool(const System&, const DatapathSpec&)> surely_one,
                                           std::string label, std::shared_ptr<PickNote> note) {
    return std::make_unique<PickedEngine>(std::move(one), std::move(several), std::move(surely_one), std::move(label),
                                          std::move(note));
}

} // namespace mantissa::cli
