#include "named_files.hpp"

#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"

namespace mantissa::cli {

namespace {

/// The options of all commands that name a file to write. One of a new command belongs here.
std::vector<std::string> writing_options() {
    std::vector<std::string> all{"--csv", "--jsonl", "--output", "--picture", "--plot", "--trace"};
    for (const Common which : {Common::history, Common::solution, Common::json, Common::store})
        all.push_back(flag_of(which));
    return all;
}

/// Likewise those that name one to read, words without dashes among them.
std::vector<std::string> reading_options() {
    std::vector<std::string> all{"file", "results", "mesh", "--against", "--matrix", "--mesh", "--results", "--from"};
    for (const Common which : {Common::guess, Common::device}) all.push_back(flag_of(which));
    return all;
}

/// And those whose text is a problem's.
std::vector<std::string> problem_options() {
    return {flag_of(Common::problem), flag_of(Common::dense)};
}

/// What an option writes that is given `path`.
std::vector<std::string> written(const std::string& option, const std::string& path) {
    if (option == "--plot") return {path + "_logic.svg", path + "_mul18x18.svg"};
    const std::string saved = std::filesystem::path(path).replace_extension(".gtkw").string();
    if (option == "--trace" && saved != path) return {path, saved}; // (simulate says why a trace is no save file)
    return {path};
}

bool among(const std::vector<std::string>& names, const CLI::Option& option) {
    return std::ranges::find(names, option.get_name()) != names.end();
}

void collect(const CLI::App& app, std::vector<NamedFile>& outputs, std::vector<NamedFile>& inputs) {
    static const std::vector<std::string> kWriting = writing_options(), kReading = reading_options(),
                                          kProblems = problem_options();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_type_size() == 0) continue; // a flag
        const std::string name = option->get_name();
        std::vector<std::string> values = option->results();
        if (values.empty() && among(kWriting, *option)) values = {option->get_default_str()};
        for (const std::string& value : values) {
            if (among(kWriting, *option))
                for (std::string& path : written(name, value)) outputs.push_back({name, std::move(path)});
            if (among(kReading, *option)) inputs.push_back({name, value});
            if (among(kProblems, *option))
                for (NamedFile& file : files_of_problem(name, value)) inputs.push_back(std::move(file));
        }
    }
    for (const CLI::App* sub : app.get_subcommands()) collect(*sub, outputs, inputs);
}

} // namespace

void refuse_overwriting(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
    constexpr std::size_t kPathShown = 200;
    const auto refuse = [](const NamedFile& output, const std::string& why) {
        throw InvalidInput(
            fmt::format("{} {}: {}; give another name", output.by, base::quoted(output.path, kPathShown), why));
    };
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        for (const NamedFile& input : inputs)
            if (base::same_file(outputs[k].path, input.path))
                refuse(outputs[k], fmt::format("the command reads this file ({}), which would be lost", input.by));
        for (std::size_t before = 0; before < k; ++before)
            if (base::same_file(outputs[k].path, outputs[before].path))
                refuse(outputs[k], fmt::format("{} writes this file too", outputs[before].by));
    }
}

std::vector<NamedFile> files_of_problem(std::string_view by, std::string_view text) {
    // A path stands behind a colon or an equals sign and ends at a comma; it may hold all three.
    std::vector<NamedFile> files;
    for (std::size_t begin = 0; begin < text.size(); ++begin) {
        if (begin != 0 && text[begin - 1] != ':' && text[begin - 1] != '=') continue;
        for (std::size_t end = begin; end < text.size();) {
            end = std::min(text.find(',', end + 1), text.size());
            std::string path(text.substr(begin, end - begin));
            std::error_code error;
            if (std::filesystem::is_regular_file(path, error)) files.push_back({std::string(by), std::move(path)});
        }
    }
    return files;
}

void check_named_files(const CLI::App& app) {
    std::vector<NamedFile> outputs, inputs;
    collect(app, outputs, inputs);
    refuse_overwriting(outputs, inputs);
}

} // namespace mantissa::cli
