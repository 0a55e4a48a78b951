// What `mantissa solve` says of a solve: rows for a reader, and files.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "mantissa/host/error_bounds.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/provenance.hpp"

namespace mantissa::cli {

/// The engine that ran beside the solving one, and how often the two were compared.
struct Check {
    std::string engine;
    std::uint64_t passes = 0;
};

/// As the rows "energy error" and "error bound" have them.
std::string to_text(const EnergyEstimate& e);
std::string to_text(const ErrorBound& b);
/// As the row "then" has it.
std::string to_text(const ScheduleStage& stage);

/// What was asked for.
void print_request(std::FILE* to, const Point& point, const Problem& problem, const std::string& parts = {},
                   const std::string& exchanges = {});
void print_answer(std::FILE* to, const SolveOptions& o, const SolveResult& r, const std::optional<Check>& check);
/// Of several right-hand sides: a line each.
void print_answers(std::FILE* to, const std::vector<SolveResult>& results, const std::optional<Check>& check);
std::string history_csv(const SolveResult& result);
/// A MatrixMarket array that reads back as the same numbers (rhs=file:).
std::string solution_text(const Point& point, const Problem& problem, const std::vector<SolveResult>& results,
                          const Provenance& here);

} // namespace mantissa::cli
