#include "mantissa/recurrence/native_loops.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "../isa/isa.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/recurrence/native.hpp"
#include "native_tables.hpp"

namespace mantissa::recurrence {

namespace {

/// Where the definition looks at its residual itself, as many as it leaves between two looks.
template <const Definition& D> constexpr std::uint32_t kIterationsAtATime = D.every != 0 ? D.every : 16;
/// An iterate is kept where the square of its residual is below this much of the last one's that was.
constexpr double kKeptAgain = 1e-6;

const NativeTables& best_tables() {
#if defined(__x86_64__)
    if (mantissa::detail::best_isa() == mantissa::detail::Isa::avx512) return avx512::native_tables();
    if (mantissa::detail::best_isa() == mantissa::detail::Isa::avx2) return avx2::native_tables();
#endif
    return baseline::native_tables();
}

template <const Definition& D, class T> class Loops final : public Runner {
public:
    Loops(const CompressedRows& a, int threads, const SweepLoops<T>& loops, std::span<const double> given,
          const Preconditioner& m)
        : rows_(a, threads), native_(rows_, threads, loops), given_(given.begin(), given.end()) {
        native_.precondition_by(m);
    }

    RecurrenceRun run(std::span<const double> r, double goal, std::uint32_t limit, std::uint32_t patience,
                      std::span<double> u) override {
        const auto begun = std::chrono::steady_clock::now();
        double first = 0;
        for (const double x : r) first += x * x;
        std::fill(u.begin(), u.end(), 0.0);
        native_.start(r, given_);
        RecurrenceRun run;
        double kept = first, halved = first;
        std::uint32_t since = 0;
        while (run.end == RunEnd::passes && run.iterations < limit && !run.patience && !run.cancelled) {
            const std::uint32_t passes = std::min(kIterationsAtATime<D>, limit - run.iterations);
            const RunReport report = native_.run({.passes = passes, .rho_stop = goal * goal * first});
            run.iterations += static_cast<std::uint32_t>(report.passes);
            run.end = report.end;
            since += static_cast<std::uint32_t>(report.passes);
            if (native_.square() < halved / 4) {
                halved = native_.square();
                since = 0;
            }
            // (CG falls in the norm of the energy, with a residual that may stand high for very long.)
            run.patience = D.needs != Needs::positive_definite && since >= patience;
            run.cancelled = !goes_on(run.iterations, native_.square());
            const bool over = run.end != RunEnd::passes || run.iterations >= limit || run.patience || run.cancelled;
            // (What ended exactly has a residual that was not formed any more.)
            const bool exact = run.end == RunEnd::exact;
            if (!exact && !(native_.square() < (over ? kept : kKeptAgain * kept))) continue;
            kept = native_.square();
            native_.solution(u);
        }
        if (run.iterations > 0 && (run.end == RunEnd::breakdown || run.end == RunEnd::indefinite)) {
            run.last.resize(u.size());
            native_.solution(run.last);
            if (!std::ranges::all_of(run.last, [](double x) { return std::isfinite(x); })) run.last.clear();
        }
        run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        return run;
    }

private:
    NativeRows<T> rows_;
    Native<D, T> native_;
    std::vector<double> given_;
};

} // namespace

bool has_native_loops(const Definition& definition) {
    return definition == kCg || definition == kBicgstab || definition == kFlexible || definition == kRightBicgstab ||
           definition == kChebyshev;
}

std::unique_ptr<Runner> make_native_loops(const Definition& definition, const CompressedRows& a, bool single,
                                          int threads, std::span<const double> given, const Preconditioner& m) {
    const NativeTables& tables = best_tables();
    const auto loops = [&]<const Definition & D>(const SweepLoops<double>& wide,
                                                 const SweepLoops<float>& narrow) -> std::unique_ptr<Runner> {
        if (single) return std::make_unique<Loops<D, float>>(a, threads, narrow, given, m);
        return std::make_unique<Loops<D, double>>(a, threads, wide, given, m);
    };
    if (definition == kCg) return loops.template operator()<kCg>(tables.cg, tables.cg_single);
    if (definition == kBicgstab) return loops.template operator()<kBicgstab>(tables.bicgstab, tables.bicgstab_single);
    if (definition == kFlexible) return loops.template operator()<kFlexible>(tables.flexible, tables.flexible_single);
    if (definition == kRightBicgstab)
        return loops.template operator()<kRightBicgstab>(tables.right_bicgstab, tables.right_bicgstab_single);
    if (definition == kChebyshev)
        return loops.template operator()<kChebyshev>(tables.chebyshev, tables.chebyshev_single);
    throw InvalidInput(fmt::format("recurrence {}: this processor has no native loops for it; take cg or bicgstab",
                                   definition.name.view()));
}

std::string processor_native_refusal(const DatapathSpec& spec, const System& system, const NativeChoice& choice) {
    if (choice.restart != 0 || (choice.recurrence != nullptr && !has_native_loops(*choice.recurrence)))
        return fmt::format("recurrence {}: this processor has no native loops for it; leave sum=free out",
                           choice.restart != 0 ? "gmres" : choice.recurrence->name.view());
    if (system.kind() != System::Kind::sparse)
        return "native loops on this processor take sparse rows (mtx:, generated:, convection2d:), and this is a grid; "
               "leave sum=free out";
    if (choice.jacobi && choice.recurrence == nullptr)
        return "scheme jacobi-pcg: it is native on this processor in double as it stands; leave sum=free out, or take "
               "recurrence cg";
    if (choice.plan != NativePlan::automatic && choice.plan != NativePlan::processor)
        return fmt::format("plan {}: it is a GPU's; leave the plan out", to_string(choice.plan));
    DatapathSpec wanted(spec.r == formats::kFloat ? formats::kFloat : formats::kDouble);
    wanted.sum = SumOrder::free;
    if (!(spec == wanted)) return fmt::format("datapath '{}': native loops are in double or float", to_string(spec));
    return {};
}

std::unique_ptr<NativeSolver> make_processor_native(const DatapathSpec& spec, const System& system,
                                                    const NativeChoice& choice, Preconditioner preconditioner) {
    const auto& a = std::get<CompressedRows>(system.matrix());
    const Definition& definition = choice.recurrence != nullptr ? *choice.recurrence : kCg;
    const bool single = spec.r == formats::kFloat;
    PickedPlan plan{NativePlan::processor,
                    fmt::format("native loops of {} in {}, {}", definition.name.view(), single ? "float" : "double",
                                choice.threads == 1 ? "1 thread" : fmt::format("{} threads", choice.threads))};
    std::vector<double> inverse = inverse_diagonal(a, choice.jacobi);
    // What has a step M takes the diagonal there; the others a matrix whose columns it has scaled.
    const bool columns =
        choice.jacobi && !std::any_of(definition.step.begin(), definition.step.begin() + definition.steps,
                                      [](const Step& s) { return s.operation == Operation::precondition; });
    if (choice.jacobi && !columns) {
        preconditioner = [factor = inverse](std::span<const double> x, std::span<double> out) {
            for (std::size_t i = 0; i < x.size(); ++i) out[i] = factor[i] * x[i];
        };
        std::ranges::fill(inverse, 1.0);
    }
    auto runner = make_native_loops(definition, columns ? with_columns_scaled(a, inverse) : a, single, choice.threads,
                                    given_of(choice), preconditioner);
    return make_restarted(a, std::move(plan), single, std::move(inverse), std::move(runner));
}

} // namespace mantissa::recurrence
