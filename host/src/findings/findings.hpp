// The sentences of a comparison. They are formed from the figures of its document, so that they agree with the tables
// made from the same figures; nothing repeats a stored sentence. Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "comparison/document.hpp"
#include "iteration_contest.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::findings {

/// A solve that was stored beside a comparison.
struct SolveBeside {
    std::string problem, spec;
    SolveOptions options;                        ///< but for the datapath, which is `spec`
    bool converged = false, gives_count = false; ///< see gives_count() in solve.hpp
    std::uint64_t iterations = 0;
};

/// Sentences with figures: iterations; for each device the fastest design, the one of least area times time, the best
/// format of each stage, a constant stencil; section 5.5; GPU and processor; cores of multilevel cycles. A superlative
/// names the number of designs that it is drawn from, and there is none among one. `beside` are all solves that the
/// results hold: of the same setting as the comparison's they take part in the sentence on iterations. Fields that
/// `document` lacks leave out the sentences that need them.
std::vector<std::string> sentences(const comparison::ComparisonDocument& document,
                                   const std::vector<SolveBeside>& beside);

/// How many designs (specifications with their multipliers, whatever the number of cores) have rows on a device.
std::size_t designs_on(const comparison::ComparisonDocument& document, const std::string& problem,
                       const std::string& device);

/// "1.23 s", "45.6 ms", "7.89 us".
std::string time_text(double seconds);

} // namespace mantissa::findings
