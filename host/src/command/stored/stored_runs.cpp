#include "stored_runs.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "report/paper_tables.hpp"
#include "text/key_values.hpp"

namespace mantissa::cli::stored {

namespace {

std::vector<std::string> result_files(const Places& places) {
    if (!places.named.empty()) return places.named;
    std::vector<std::string> files;
    const auto experiments = std::filesystem::path(report::paper_folder(places.data)) / "..";
    for (const auto& folder : {experiments / ".." / "gpu" / "results", experiments / "results"}) {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(folder, error))
            if (entry.path().extension() == ".json") files.push_back(entry.path().lexically_normal().string());
    }
    std::ranges::sort(files);
    return files;
}

} // namespace

std::vector<Run> find_all(const Places& places, const std::function<bool(const Json&)>& wanted) {
    std::vector<Run> runs;
    for (const std::string& path : result_files(places)) {
        std::error_code error;
        std::ifstream file(path);
        if (!file || std::filesystem::is_directory(path, error))
            throw InvalidInput(fmt::format("--results {}: cannot be read; give a file of mantissa bench", path));
        Json json = Json::parse(file, nullptr, false);
        if (!json.is_object()) {
            if (!places.named.empty())
                throw InvalidInput(fmt::format("--results {}: not a file that mantissa bench wrote", path));
            continue;
        }
        if (wanted(json)) runs.push_back({path, std::move(json)});
    }
    std::ranges::stable_sort(runs, {}, [](const Run& r) { return r.json.value("date", ""); });
    return runs;
}

std::optional<Run> find_latest(const Places& places, const std::function<bool(const Json&)>& wanted) {
    std::vector<Run> runs = find_all(places, wanted);
    const auto latest = std::ranges::max_element(runs, {}, [](const Run& r) { return r.json.value("date", ""); });
    if (latest == runs.end()) return std::nullopt;
    return std::move(*latest);
}

Run latest(const Places& places, const std::function<bool(const Json&)>& wanted, int figure, const std::string& what,
           const std::string& mend) {
    std::optional<Run> best = find_latest(places, wanted);
    if (!best)
        throw InvalidInput(fmt::format("Figure {}: no stored run has {}; make one with {}, and name it by --results",
                                       figure, what, mend));
    return *std::move(best);
}

bool is_kind(const Json& json, std::string_view kind) {
    const auto it = json.find("kind");
    return it != json.end() && it->is_string() && *it == kind;
}

std::string origin(const Run& run) {
    return fmt::format("from {}: {}, {}, commit {}\n", run.path, run.json.value("device", "device not named"),
                       run.json.value("date", "no date"), run.json.value("commit", "not named"));
}

std::string ratio_line(const std::string& what, const std::string& ours, const std::string& paper) {
    return fmt::format("{:<42}{:>10}   paper: {}\n", what, ours, paper);
}

std::vector<PaperRatio> read_paper_ratios(const std::string& folder, const std::string& name) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::ifstream file(path);
    if (!file)
        throw InvalidInput(fmt::format("{}: cannot be read; --data names the folder of the paper's tables", path));
    std::vector<PaperRatio> ratios;
    std::string line;
    std::getline(file, line);
    for (int number = 2; std::getline(file, line); ++number) {
        std::istringstream fields(line);
        PaperRatio r;
        std::string value;
        if (!std::getline(fields, r.figure, ',') || !std::getline(fields, r.what, ',') ||
            !std::getline(fields, r.device, ',') || !std::getline(fields, value) || !text::read_number(value, r.value))
            throw InvalidInput(fmt::format("{}:{}: expected figure,what,device,value", path, number));
        ratios.push_back(std::move(r));
    }
    return ratios;
}

std::string paper_values(const std::vector<PaperRatio>& ratios, const std::string& what) {
    std::string out;
    for (const PaperRatio& r : ratios)
        if (r.what == what) out += fmt::format("{}{:g} ({})", out.empty() ? "" : ", ", r.value, r.device);
    return out.empty() ? "-" : out;
}

} // namespace mantissa::cli::stored
