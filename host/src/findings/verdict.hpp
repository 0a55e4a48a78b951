// What a comparison decides: one sentence and three numbers for the head of the report. Internal to host/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comparison/document.hpp"

namespace mantissa::findings {

/// A number that stands large.
struct Headline {
    std::string value;     ///< "1.71 ×"; empty where these results do not hold it
    std::string what;      ///< "iterations against double"
    std::string note;      ///< the figures after it; what is missing where there is no value
    bool modelled = false; ///< rests on a model or an estimate
};

/// What to do next: a reason and the command.
struct NextStep {
    std::string why, command;
};

struct Verdict {
    std::string sentence;
    std::vector<NextStep> next;       ///< solve with the winner here, look at its core
    std::vector<Headline> numbers;    ///< iterations, area, how much slower or faster than the GPU
    std::string problem;              ///< the largest one that has rows
    std::vector<std::string> devices; ///< the winner's first, then the one with the most designs
};

/// The fastest design of all devices at the comparison's largest problem: beside double on the same device, double's
/// core of the same family, and the fastest GPU that reached the tolerance. Nothing where the document has no rows.
std::optional<Verdict> verdict_of(const comparison::ComparisonDocument& document);

} // namespace mantissa::findings
