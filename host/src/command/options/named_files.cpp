#include "named_files.hpp"

#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/host/point.hpp"

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

/// The files that an option's text names where it is a problem's. (Of a text at fault the command says so.)
std::vector<std::string> files_of_problem(const std::string& option, const std::string& text) {
    try {
        if (option == flag_of(Common::problem)) return outline_problem(text).files;
        if (option == flag_of(Common::dense)) return dense_problem_files(text);
    } catch (const InvalidInput&) {
    }
    return {};
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
    static const std::vector<std::string> kWriting = writing_options(), kReading = reading_options();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_expected_max() == 0) continue; // a flag
        const std::string name = option->get_name();
        std::vector<std::string> values = option->results();
        if (values.empty() && among(kWriting, *option)) values = {option->get_default_str()};
        for (const std::string& value : values) {
            if (among(kWriting, *option))
                for (std::string& path : written(name, value)) outputs.push_back({name, std::move(path)});
            if (among(kReading, *option)) inputs.push_back({name, value});
            add_files(inputs, name, files_of_problem(name, value));
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

NamedFile store_of(const std::string& given, const std::string& file, const std::string& named) {
    if (!given.empty()) return {flag_of(Common::store), given};
    const std::filesystem::path path(file);
    return {"store of " + base::shortened(file, 200),
            (named.empty() ? std::filesystem::path(file).replace_extension(".sqlite") : path.parent_path() / named)
                .string()};
}

void add_files(std::vector<NamedFile>& to, const std::string& by, const std::vector<std::string>& files) {
    for (const std::string& file : files) to.push_back({by, file});
}

void check_named_files(const CLI::App& app) {
    std::vector<NamedFile> outputs, inputs;
    collect(app, outputs, inputs);
    refuse_overwriting(outputs, inputs);
}

} // namespace mantissa::cli
