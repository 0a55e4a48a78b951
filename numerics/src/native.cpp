#include "mantissa/native.hpp"

#include <fmt/format.h>

#include "mantissa/engine.hpp"

namespace mantissa {

namespace {

struct PlanName {
    NativePlan plan;
    std::string_view name;
};
constexpr PlanName kPlans[] = {{NativePlan::automatic, "automatic"},
                               {NativePlan::grid_resident, "grid-resident"},
                               {NativePlan::grid_stream, "grid-stream"},
                               {NativePlan::grid_parts, "grid-parts"},
                               {NativePlan::sparse_resident, "sparse-resident"},
                               {NativePlan::sparse_stream, "sparse-stream"},
                               {NativePlan::sparse_parts, "sparse-parts"},
                               {NativePlan::processor, "processor"}};

bool of_grids(NativePlan plan) {
    return plan == NativePlan::grid_resident || plan == NativePlan::grid_stream || plan == NativePlan::grid_parts;
}
bool on_chip(NativePlan plan) {
    return plan == NativePlan::grid_resident || plan == NativePlan::sparse_resident;
}
bool over_parts(NativePlan plan) {
    return plan == NativePlan::grid_parts || plan == NativePlan::sparse_parts;
}

std::string subject(const NativeFacts& facts) {
    return facts.grid ? fmt::format("the grid of {} x {} points", facts.columns, facts.rows)
                      : fmt::format("the matrix of {} rows", facts.rows);
}

} // namespace

std::string to_string(NativePlan plan) {
    for (const PlanName& p : kPlans)
        if (p.plan == plan) return std::string(p.name);
    return "?";
}

NativePlan parse_native_plan(std::string_view text) {
    std::string names;
    for (const PlanName& p : kPlans) {
        if (text == p.name) return p.plan;
        names += names.empty() ? "" : ", ";
        names += p.name;
    }
    throw InvalidInput(fmt::format("plan '{}': write one of {}", text.substr(0, 60), names));
}

PickedPlan pick_plan(const NativeFacts& facts, NativePlan asked) {
    const std::string what = subject(facts);
    const auto chip = [&] { return what + " fits the registers and shared memory of one GPU"; };
    const auto not_chip = [&] { return fmt::format("{} is not kept on one GPU's chip ({})", what, facts.why_not); };
    const auto refuse = [&](const std::string& why) {
        throw InvalidInput(fmt::format("plan {}: {}; leave the plan out", to_string(asked), why));
    };
    if (asked != NativePlan::automatic) {
        if (asked == NativePlan::processor) refuse("it is the engine emulated's");
        if (of_grids(asked) && !facts.grid)
            refuse(what + " is no constant stencil that is the same left, right, up and down");
        if (!of_grids(asked) && facts.grid) refuse(what + " is a constant stencil");
        if (over_parts(asked) && facts.parts < 2) refuse("it is for several GPUs (--gpus, --devices)");
        if (on_chip(asked) && !facts.fits_chip) refuse(not_chip());
        return {asked, "asked for"};
    }
    if (facts.fits_chip) {
        const NativePlan plan = facts.grid ? NativePlan::grid_resident : NativePlan::sparse_resident;
        return {plan, facts.parts > 1 ? chip() + ", which is faster than several" : chip()};
    }
    if (facts.parts > 1)
        return {facts.grid ? NativePlan::grid_parts : NativePlan::sparse_parts,
                fmt::format("{}, and {} parts share it", not_chip(), facts.parts)};
    return {facts.grid ? NativePlan::grid_stream : NativePlan::sparse_stream, not_chip()};
}

std::string Engine::native_refusal(const DatapathSpec&, const System&, const NativeChoice&) const {
    return fmt::format("engine '{}' has no native solver, whose sums are free in order; use engine gpu, or leave "
                       "sum=free out",
                       name());
}

std::unique_ptr<NativeSolver> Engine::native(const System& system, const DatapathSpec& spec,
                                             const NativeChoice& choice) const {
    throw InvalidInput(native_refusal(spec, system, choice));
}

std::string free_sums_refusal(const DatapathSpec& spec) {
    if (!spec.sums_free()) return {};
    return fmt::format("datapath '{}': sums that are free in order have native solvers, no datapath: run it by the "
                       "engine gpu with the scheme jacobi-pcg or pipelined, or leave sum=free out",
                       to_string(spec));
}

} // namespace mantissa
