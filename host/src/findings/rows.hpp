// A comparison's document as sentences and verdicts read it: its rows, and fields that may be missing. Internal to
// findings/.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace mantissa::findings {

using Json = nlohmann::ordered_json;

/// Empty when it is no text.
std::string text(const Json& object, const char* name);
std::optional<double> number(const Json& object, const char* name);
/// 0 when it is none.
std::uint64_t whole(const Json& object, const char* name);
/// The objects of a list; empty when there is none.
std::vector<const Json*> items(const Json& object, const char* name);

/// A row of the document with what sentences ask of it.
struct Row {
    const Json* json = nullptr;
    std::string spec, multiplier;
    double seconds = 0, area_time = 0, area_share = 0;
    std::uint64_t cores = 0;
    std::uint64_t resident_lanes = 0; ///< of a core whose vectors stay on the chip; else 0
    int bits = 0;                     ///< of its vectors
    [[nodiscard]] bool same_design(const Row& other) const {
        return spec == other.spec && multiplier == other.multiplier;
    }
    [[nodiscard]] double by(bool area) const { return area ? area_time : seconds; }
};

std::vector<Row> rows_on(const Json& document, const std::string& problem, const std::string& device);

/// The least of `rows` by time, or by area times time; nullptr of none.
const Row* least(const std::vector<Row>& rows, bool area, const std::function<bool(const Row&)>& wanted = {});

std::size_t count_designs(const std::vector<Row>& rows);

/// The largest problem that has rows; empty where none has.
std::string problem_with_rows(const Json& document);

/// The ids of the devices that have rows for `problem`, in the document's order.
std::vector<std::pair<std::string, std::vector<Row>>> devices_with_rows(const Json& document,
                                                                        const std::string& problem);

} // namespace mantissa::findings
