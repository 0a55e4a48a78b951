// Which datapath needs the fewest iterations, among how many: the sentence that `mantissa compare` and the report draw
// from solves that differ in their datapath only. Internal to host/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::findings {

struct ContestEntry {
    std::string spec;
    bool converged = false;
    std::uint64_t iterations = 0; ///< inner ones
};

struct IterationContest {
    std::string problem;
    std::string among;                      ///< which set: "of this comparison"
    std::string setting;                    ///< what its solves share: "residual-guided, 10 inner iterations per step"
    std::optional<std::uint64_t> reference; ///< iterations of CG in double
    std::vector<ContestEntry> entries;      ///< see enter()
};

/// Adds a solve; of a specification that is there already, the one that converged stays.
void enter(IterationContest& contest, ContestEntry entry);

/// The widest of r, p and q in fraction bits, of fixed-point words in bits beside the sign; nothing for a text that is
/// no specification.
std::optional<int> vector_bits(const std::string& spec);

/// One sentence or two: the fewest iterations among the entries below 30 fraction bits, with their number, all that
/// tie, and those that did not converge; then those of the shortest vectors. With one entry there is no superlative.
/// Empty when there is no entry below 30 bits.
std::string iterations_finding(const IterationContest& contest);

} // namespace mantissa::findings
