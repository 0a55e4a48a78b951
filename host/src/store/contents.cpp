#include "contents.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "database.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"

namespace mantissa::results {

namespace {

std::string solves(std::size_t count) {
    return fmt::format("{} solve{}", count, count == 1 ? "" : "s");
}

/// The `k`th word of a text.
std::string_view word_of(std::string_view text, std::size_t k) {
    for (; k > 0 && !text.empty(); --k) text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    return text.substr(0, text.find(' '));
}

} // namespace

std::optional<std::string> Contents::of(const std::vector<std::string>& files) {
    std::string all;
    for (const std::string& file : files) {
        auto known = known_.find(file);
        if (known == known_.end()) {
            std::error_code error; // (what can be read once is the solve's)
            if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
            try {
                known = known_.emplace(file, base::HashName().add(base::read_file(file).view()).text()).first;
            } catch (const InvalidInput&) {
                return std::nullopt;
            }
        }
        all += (all.empty() ? "" : " ") + known->second;
    }
    return all;
}

bool Contents::counts(const std::string& key, const std::vector<std::string>& files,
                      const std::optional<std::string>& stored) {
    if (files.empty()) return true;
    if (!stored) { // (nor was it asked then whether the files are still there)
        rows_[files.front()].unrecorded.insert(key);
        return true;
    }
    const std::optional<std::string> now = of(files);
    if (!now) return false;
    for (std::size_t k = 0; k < files.size(); ++k)
        if (word_of(*now, k) != word_of(*stored, k)) {
            rows_[files[k]].changed.insert(key);
            return false;
        }
    return true;
}

std::vector<std::string> Contents::notes() const {
    std::vector<std::string> lines;
    for (const auto& [file, rows] : rows_) {
        if (!rows.changed.empty())
            lines.push_back(fmt::format("{}: changed since {} with it {} stored; {} not count as stored",
                                        base::shortened(file), solves(rows.changed.size()),
                                        rows.changed.size() == 1 ? "was" : "were",
                                        rows.changed.size() == 1 ? "that does" : "those do"));
        if (!rows.unrecorded.empty())
            lines.push_back(
                fmt::format("{}: {} with it stored by an older version, without a record of its content, {} "
                            "as stored; give another store if the file has changed since",
                            base::shortened(file), solves(rows.unrecorded.size()),
                            rows.unrecorded.size() == 1 ? "counts" : "count"));
    }
    return lines;
}

ContentsByProblem contents_by_problem(const Database& database, const std::string& table) {
    ContentsByProblem contents;
    if (!database.has_table(table)) return contents;
    Statement row = database.prepare(fmt::format("SELECT DISTINCT problem, {} FROM {}", kContentColumn, table));
    while (row.step()) contents[std::string(row.text(0))].emplace(row.text(1));
    return contents;
}

std::vector<std::string> mixed_contents(const ContentsByProblem& contents) {
    std::vector<std::string> lines;
    for (const auto& [problem, texts] : contents)
        if (texts.size() > 1)
            lines.push_back(
                fmt::format("problem {}: its stored solves are of {} contents of its files{}; the column {} "
                            "of --csv tells them apart",
                            base::quoted(problem, 200), texts.size(),
                            texts.contains("") ? ", one of them not recorded" : "", kContentColumn));
    return lines;
}

} // namespace mantissa::results
