// A whole solve of the reference for cycle_icarus_tb.sv, as words in hexadecimal, one a line: nodes, the tolerance's t and T, cycles;
// then D, then U. usage: cycle_vectors SPEC LEVEL FILE
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "word_solves.hpp"

int main(int count, char** words) {
    using namespace mantissa;
    if (count != 4) return 2;
    const auto level = static_cast<std::size_t>(std::atoi(words[2]));
    const multilevel::GridWords grid = test::word_grid(level);
    const std::vector<std::int64_t> b = test::word_right_hand_side(grid, 48);
    multilevel::WordRequest request;
    request.tolerance = multilevel::word_tolerance(1e-10 * test::word_norm(b));
    std::vector<std::int64_t> u;
    const multilevel::WordOutcome outcome =
        multilevel::make_reference_word_solver(grid, parse_cycle_spec(words[1]))->solve(b, request, u);
    std::ofstream out(words[3]);
    const auto put = [&](std::int64_t word) { out << fmt::format("{:016x}\n", static_cast<std::uint64_t>(word)); };
    put(static_cast<std::int64_t>(b.size()));
    put(static_cast<std::int64_t>(request.tolerance.t));
    put(request.tolerance.point);
    put(static_cast<std::int64_t>(outcome.cycles));
    for (const std::int64_t word : b) put(word);
    for (const std::int64_t word : u) put(word);
    return outcome.end == CycleSolveEnd::reached && out.good() ? 0 : 1;
}
