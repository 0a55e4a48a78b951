// Runs that `mantissa bench` wrote, and the numbers of papers' texts that stand beside them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace mantissa::cli::stored {

using Json = nlohmann::ordered_json;

struct Run {
    std::string path;
    Json json;
};

/// Where runs are looked for: the files named, or those that the source tree keeps, which is around the folder of the
/// paper's tables.
struct Places {
    std::vector<std::string> named;
    std::string data; ///< as --data gives it
};

/// Every run for which `wanted` holds, by date. Throws InvalidInput where a named file is none of mantissa bench.
std::vector<Run> find_all(const Places& places, const std::function<bool(const Json&)>& wanted);
/// The latest of them. Throws InvalidInput where a named file is none of mantissa bench.
std::optional<Run> find_latest(const Places& places, const std::function<bool(const Json&)>& wanted);
/// The same; throws InvalidInput where there is none: `what` and `mend` say what is missing.
Run latest(const Places& places, const std::function<bool(const Json&)>& wanted, int figure, const std::string& what,
           const std::string& mend);
bool is_kind(const Json& json, std::string_view kind);

/// "from FILE: device, date, commit".
std::string origin(const Run& run);
/// A line of "ours beside the paper's".
std::string ratio_line(const std::string& what, const std::string& ours, const std::string& paper);

/// A number of the paper's text about a figure.
struct PaperRatio {
    std::string figure, what, device;
    double value = 0;
};
/// The rows "figure,what,device,value" of a file of the paper's folder.
std::vector<PaperRatio> read_paper_ratios(const std::string& folder, const std::string& file);
/// The values for `what`, as "4.0 (NVIDIA), 3.1 (ATI)"; "-" where the paper has none.
std::string paper_values(const std::vector<PaperRatio>& ratios, const std::string& what);

} // namespace mantissa::cli::stored
