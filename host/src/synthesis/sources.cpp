#include "sources.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "mantissa/base/environment.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/errors.hpp"
#include "recipe.hpp"

namespace mantissa::synthesis {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRecipe = "experiments/synthesis";
constexpr const char* kFolders[] = {"rtl/operators",      "rtl/core",   "rtl/fixed",
                                    "rtl/fixed/resident", "rtl/sparse", "rtl/cycle"};

/// The words of a text but for its comments of one line: names of modules and headers among them.
std::set<std::string, std::less<>> words_of(std::string_view text) {
    const auto in_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    std::set<std::string, std::less<>> words;
    for (std::size_t at = 0; at < text.size();) {
        if (text.substr(at, 2) == "//") {
            at = std::min(text.find('\n', at), text.size());
        } else if (in_word(text[at])) {
            const std::size_t from = at;
            while (at < text.size() && in_word(text[at])) ++at;
            words.emplace(text.substr(from, at - from));
        } else {
            ++at;
        }
    }
    return words;
}

/// Does yosys obey this comment of one line, as "// synthesis translate_off"?
bool is_obeyed(std::string_view comment) {
    comment.remove_prefix(std::min(comment.find_first_not_of("/ \t"), comment.size()));
    return comment.starts_with("synopsys") || comment.starts_with("synthesis");
}

/// Where the comment of a line begins, or its end. Lines of yosys's scripts are comments as a whole (#).
std::size_t end_of_code(std::string_view line, bool script) {
    if (script) return line.find_first_not_of(" \t") == line.find('#') ? 0 : line.size();
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '"') quoted = !quoted;
        if (!quoted && line.substr(at, 2) == "//") return is_obeyed(line.substr(at)) ? line.size() : at;
    }
    return line.size();
}

/// `text` without its comments of one line and the blanks in front of them, line for line: names of cells have its
/// number.
std::string without_comments(std::string_view text, bool script) {
    std::string kept;
    kept.reserve(text.size());
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::string_view code = line.substr(0, end_of_code(line, script));
        kept.append(code.substr(0, code.find_last_not_of(" \t\r") + 1)).push_back('\n');
    }
    return kept;
}

/// All files of the RTL by the word that names them: modules without their ending.
std::map<std::string, std::string, std::less<>> files_by_word(const std::string& source) {
    std::map<std::string, std::string, std::less<>> files;
    for (const char* folder : kFolders) {
        const std::vector<fs::path> modules = base::files_in(fs::path(source) / folder, ".sv");
        if (modules.empty())
            throw InvalidInput(fmt::format("{}/{}: no .sv files there; synthesis reads the project's sources, so set "
                                           "MANTISSA_SOURCE to its folder",
                                           source, folder));
        for (const fs::path& file : modules)
            files[file.stem().string()] = fmt::format("{}/{}", folder, file.filename().string());
    }
    for (const char* folder : {"rtl", "rtl/sparse", "rtl/cycle"})
        for (const fs::path& file : base::files_in(fs::path(source) / folder, ".svh"))
            files[file.filename().string()] = fmt::format("{}/{}", folder, file.filename().string());
    return files;
}

} // namespace

std::string sources_folder() {
    return base::environment_or("MANTISSA_SOURCE", MANTISSA_SOURCE_FOLDER);
}

Sources sources_of(const std::string& source, const std::string& module) {
    const auto files = files_by_word(source);
    std::vector<std::string> todo;
    const std::string wrapper = fmt::format("{}/{}.sv", kRecipe, module); // (of an operator that is no module itself)
    if (const auto it = files.find(module); it != files.end()) todo.push_back(it->second);
    else if (fs::exists(fs::path(source) / wrapper)) todo.push_back(wrapper);
    else throw InvalidInput(fmt::format("{}: no file of module {} there", source, module));
    // All of an operator's folder: its netlist moves by a percent with what else yosys reads, and is held to peers'.
    if (!todo.front().starts_with("rtl/") || todo.front().starts_with("rtl/operators/"))
        for (const auto& [word, file] : files)
            if (file.starts_with("rtl/operators/") && file != todo.front()) todo.push_back(file);
    std::set<std::string> found(todo.begin(), todo.end());
    while (!todo.empty()) {
        const std::string text = base::read_text((fs::path(source) / todo.back()).string());
        todo.pop_back();
        for (const std::string& word : words_of(text))
            if (const auto it = files.find(word); it != files.end() && found.insert(it->second).second)
                todo.push_back(it->second);
    }
    Sources sources;
    for (const char* folder : kFolders)
        for (const std::string& file : found)
            if (file.ends_with(".sv") && file.substr(0, file.rfind('/')) == folder) sources.modules.push_back(file);
    if (found.contains(wrapper)) sources.modules.push_back(wrapper);
    std::copy_if(found.begin(), found.end(), std::back_inserter(sources.headers),
                 [](const std::string& file) { return file.ends_with(".svh"); });
    return sources;
}

std::string sources_hash(const std::string& source, const SynthesisRequest& request) {
    base::HashName hash;
    const auto add = [&](const fs::path& file) {
        hash.add(file.filename().string())
            .add(without_comments(base::read_text(file.string()), file.extension() == ".ys"));
    };
    const Sources sources = sources_of(source, top_of(request).module);
    for (const std::vector<std::string>* list : {&sources.modules, &sources.headers})
        for (const std::string& file : *list) add(fs::path(source) / file);
    for (const char* extension : {".sv", ".v", ".ys"})
        for (const fs::path& file : base::files_in(fs::path(source) / kRecipe, extension)) add(file);
    return hash.text();
}

} // namespace mantissa::synthesis
