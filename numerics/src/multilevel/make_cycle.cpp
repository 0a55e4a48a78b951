// Which cycle a system gets.
#include <optional>

#include <fmt/format.h>

#include "grid_cycle.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/word_rows.hpp"
#include "mantissa/outer/cycle_vectors.hpp"
#include "mantissa/sparse/formats.hpp"
#include "rows_cycle.hpp"

namespace mantissa {

multilevel::Hierarchy multilevel::hierarchy_of(const System& system, int threads) {
    Hierarchy h = make_hierarchy(system, threads);
    require_hierarchy(h.why_not);
    return h;
}

void multilevel::require_hierarchy(const std::string& why_not) {
    if (why_not.empty()) return;
    throw InvalidInput(fmt::format("preconditioner multilevel: {}; leave it out, or take jacobi", why_not));
}

std::unique_ptr<Cycle> make_cycle(const System& system, const CycleSpec& spec, int threads) {
    using namespace multilevel;
    if (spec.in_double) return make_double_cycle(hierarchy_of(system, threads), spec, threads);
    if (const auto grid = grid_words(system); grid && grid->levels() > 1) return make_grid_cycle(*grid, spec, threads);
    WordHierarchy words = word_hierarchy(system, spec, threads);
    if (auto cycle = make_rows_cycle(words, threads)) return cycle;
    return make_reference_cycle(std::move(words)); // (longer words than the fast path's)
}

std::string Engine::cycle_refusal(const System& system, const CycleSpec& spec) const {
    return cycles_refusal(system, spec, {.cg = true});
}

std::unique_ptr<Cycle> Engine::cycle(const System& system, const CycleSpec& spec, int threads) const {
    return make_cycle(system, spec, threads);
}

std::unique_ptr<CycleVectors> Engine::cycle_vectors(const System&, const CycleSpec&, int) const {
    return nullptr;
}

std::string Engine::cycles_refusal(const System&, const CycleSpec&, const CycleLoop&) const {
    return fmt::format("preconditioner multilevel: engine '{}' has no cycles; leave that engine out for those of this "
                       "processor, or take engine hls or gpu",
                       name());
}

std::unique_ptr<CycleSolver> Engine::cycles(const System& system, const CycleSpec& spec, const CycleLoop& loop) const {
    throw InvalidInput(cycles_refusal(system, spec, loop));
}

} // namespace mantissa
