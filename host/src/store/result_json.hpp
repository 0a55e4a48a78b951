// Points and results as JSON. Internal to host/.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "mantissa/host/point.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::results {

using Json = nlohmann::ordered_json;

/// A number, or null where JSON has none for it.
Json number(double value);
/// The configuration, one key per option that the scheme uses.
Json to_json(const Point& point);
/// The result without u; the history only when there is one.
Json to_json(const SolveResult& result);
/// What fixed-point vectors add to a result: equation_scale, overflows and bits; empty where there is nothing to say.
Json words_to_json(const SolveResult& result);
/// Puts these back. Throws Json::exception for another text.
void words_from_json(std::string_view text, SolveResult& result);
Json history_to_json(const std::vector<HistoryPoint>& history);
std::vector<HistoryPoint> history_from_json(std::string_view text);
/// Throws InvalidInput for a text that to_string(Status) does not print.
Status parse_status(std::string_view text);
/// "s36e11,s23e8": the formats of a cascade's middle loops.
std::string middle_text(const SolveOptions& options);

} // namespace mantissa::results
