// A whole solve of the reference for cycle_icarus_tb.sv, as words in hexadecimal, one a line: nodes, the tolerance's t
// and T, cycles; then D, then U, without the edges to the north and east. usage: cycle_vectors SPEC LEVEL FILE
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "word_solves.hpp"

int main(int count, char** given) {
    using namespace mantissa;
    if (count != 4) return 2;
    const auto level = static_cast<std::size_t>(std::atoi(given[2]));
    const multilevel::GridWords grid = test::word_grid(level);
    const std::vector<std::int64_t> b = test::word_right_hand_side(grid, 48);
    multilevel::WordRequest request;
    request.tolerance = multilevel::word_tolerance(1e-10 * test::word_norm(b));
    std::vector<std::int64_t> u;
    const multilevel::WordOutcome outcome =
        multilevel::make_reference_word_solver(grid, parse_cycle_spec(given[1]))->solve(b, request, u);
    std::ofstream out(given[3]);
    const auto put = [&](std::int64_t word) { out << fmt::format("{:016x}\n", static_cast<std::uint64_t>(word)); };
    const std::size_t side = std::size_t{1} << level;
    put(static_cast<std::int64_t>(side * side));
    put(static_cast<std::int64_t>(request.tolerance.t));
    put(request.tolerance.point);
    put(static_cast<std::int64_t>(outcome.cycles));
    for (const std::vector<std::int64_t>& words : {b, u})
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = 0; x < side; ++x) put(words[y * (side + 1) + x]);
    return outcome.end == CycleSolveEnd::reached && out.good() ? 0 : 1;
}
