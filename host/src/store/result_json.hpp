// Points and results as JSON. Internal to host/.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "mantissa/host/dense.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::results {

using Json = nlohmann::ordered_json;

/// A number, or null where JSON has none for it.
Json number(double value);
/// The options that the scheme uses, a key for each.
Json options_to_json(const SolveOptions& given, std::span<const options::Option> among = options::table());
/// The configuration: problem, engine and options.
Json to_json(const Point& point);
/// The result without u; the history only when there is one.
Json to_json(const SolveResult& result);
/// What the store keeps of a result in one text: equation_scale, bit_operations and, with fixed-point vectors,
/// overflows and bits; empty where there is nothing to say.
Json words_to_json(const SolveResult& result);
/// Puts these back. Throws Json::exception for another text.
void words_from_json(std::string_view text, SolveResult& result);
Json history_to_json(const std::vector<HistoryPoint>& history);
std::vector<HistoryPoint> history_from_json(std::string_view text);
/// Throws InvalidInput for a text that to_string(Status) does not print.
Status parse_status(std::string_view text);

// Of dense solves, as above.
nlohmann::ordered_json dense_history_to_json(const std::vector<DenseStep>& history);
std::vector<DenseStep> dense_history_from_json(std::string_view text);
DenseStatus parse_dense_status(std::string_view text);
LuEnd parse_lu_end(std::string_view text);

} // namespace mantissa::results
