// What the files that a problem names held when its result was stored: a result of another content is none of the
// problem's. Internal to host/.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::results {

class Database;

/// Column of `points` and `dense`: the hash of each file that the problem names, with spaces between; NULL where it
/// names none, and in rows of programs that kept no record.
constexpr const char* kContentColumn = "files";

/// Files by their content, each read once: what changes while a program runs is a change to the next one. Not for
/// several threads at a time.
class Contents {
public:
    /// As kContentColumn keeps it; empty where there is no file, nothing where one cannot be read.
    std::optional<std::string> of(const std::vector<std::string>& files);
    /// Does the row of `key` count, stored with this content, for what the files hold now? Where one of them cannot be
    /// read it does not: the solve says why.
    bool counts(const std::string& key, const std::vector<std::string>& files,
                const std::optional<std::string>& stored);
    /// A line for each file with rows that do not count, or that count without a record.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    struct Rows {
        std::set<std::string> changed, unrecorded; ///< by key
    };
    std::map<std::string, std::string> known_; ///< hash by path
    std::map<std::string, Rows> rows_;         ///< by path
};

/// What rows of each problem say of its files, each different text once; empty stands for no record.
using ContentsByProblem = std::map<std::string, std::set<std::string>>;
ContentsByProblem contents_by_problem(const Database& database, const std::string& table);
/// A line for each problem with rows of more than one content of its files.
std::vector<std::string> mixed_contents(const ContentsByProblem& contents);

} // namespace mantissa::results
