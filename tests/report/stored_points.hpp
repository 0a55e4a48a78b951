#pragma once
// Points, results and stores for the tests of the report's model.
#include <string>
#include <vector>

#include "mantissa/host/store.hpp"
#include "report/page/page.hpp"
#include "sqlite.hpp"

namespace mantissa::report::test {

inline const Provenance kProvenance{"1.2.3", "abcdef", "test bench", "2026-04-24T09:00:00Z", "mantissa sweep <x>.toml"};

inline Point point(const std::string& spec, int level = 6) {
    Point p;
    p.problem = "poisson2d:level=" + std::to_string(level);
    p.options.spec = parse_spec(spec);
    return p;
}

inline SolveResult result(std::uint64_t inner, bool history = false) {
    SolveResult r;
    r.status = Status::converged;
    r.inner_iterations = inner;
    r.outer_iterations = inner / 10;
    r.true_residual = 0.9e-10;
    r.seconds = 0.1;
    if (history) r.history = {{0, 0, 1}, {inner / 2, 1, 1e-5}, {inner, 2, 0.9e-10}};
    return r;
}

inline void add_document(const std::string& path, const std::string& table, const std::string& name,
                         const Json& document, const std::string& date = "2026-01-01") {
    execute(path, "CREATE TABLE IF NOT EXISTS " + table +
                      "(name TEXT PRIMARY KEY, document TEXT, version TEXT, commit_id TEXT, machine TEXT, date TEXT, "
                      "command TEXT)");
    std::string text = document.dump();
    for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\'');
    execute(path, "INSERT INTO " + table + " VALUES ('" + name + "','" + text + "','1','c','m','" + date + "','cmd')");
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::string page_of(const std::vector<std::string>& stores) {
    return make_report({stores, MANTISSA_PAPER, "T", {}}, kProvenance).html;
}
} // namespace mantissa::report::test
