// Which cycle a system gets.
#include <fmt/format.h>

#include "grid_cycle.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "word_rows.hpp"

namespace mantissa {

std::unique_ptr<Cycle> make_cycle(const System& system, const CycleSpec& spec, int threads) {
    using namespace multilevel;
    if (!spec.in_double)
        if (const auto grid = grid_words(system)) {
            if (grid->levels() < 2) return make_reference_cycle(system, spec);
            return make_grid_cycle(*grid, spec, threads);
        }
    throw InvalidInput("preconditioner multilevel: no hierarchy is known for this system");
}

} // namespace mantissa
