// Campaigns of upsets for the tests of the report, written in the schema of `mantissa upset --store`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mantissa/host/store.hpp"
#include "sqlite.hpp"

namespace mantissa::report::test {

struct MadeCampaign {
    std::string key, core = "resident", scope = "regs";
    bool checks = false;
    int asked = 0;
    std::vector<std::pair<std::string, int>> upsets; ///< place and outcome, as the store numbers them
    std::string spec = "fx18.16";
};

/// Makes the tables, and the file where it is not there.
inline void make_upset_tables(const std::string& path) {
    { Store made(path); }
    execute(path, "CREATE TABLE IF NOT EXISTS upset (campaign TEXT, number INTEGER, place TEXT, word INTEGER, bit "
                  "INTEGER, clock INTEGER, outcome INTEGER, more_inner INTEGER, more_outer INTEGER, converged INTEGER, "
                  "true_residual REAL, PRIMARY KEY (campaign, number));"
                  "CREATE TABLE IF NOT EXISTS upset_campaign (campaign TEXT PRIMARY KEY, problem TEXT, spec TEXT, core "
                  "TEXT, scope TEXT, guarded INTEGER, seed INTEGER, flips INTEGER, register_bits INTEGER, memory_bits "
                  "INTEGER, version TEXT, commit_id TEXT, machine TEXT, date TEXT, command TEXT);"
                  "CREATE TABLE IF NOT EXISTS upset_place (campaign TEXT, place TEXT, memory INTEGER, bits INTEGER, "
                  "PRIMARY KEY (campaign, place))");
}

inline void add_campaign(const std::string& path, const MadeCampaign& c) {
    make_upset_tables(path);
    const std::string key = "'" + c.key + "'";
    std::string sql = "INSERT INTO upset_campaign VALUES (" + key + ",'poisson2d:level=3','" + c.spec + "','" + c.core +
                      "','" + c.scope + "'," + (c.checks ? "1" : "0") + ",1," + std::to_string(c.asked) +
                      ",4402,300,'1','c','m','2026-01-01','mantissa upset --flips " + std::to_string(c.asked) + "');";
    for (std::size_t k = 0; k < c.upsets.size(); ++k) {
        const auto& [place, outcome] = c.upsets[k];
        sql += "INSERT OR IGNORE INTO upset_place VALUES (" + key + ",'" + place + "'," +
               (place.ends_with(".mem") ? "1" : "0") + ",31);";
        const bool converged = outcome != 2; // not_converged
        sql += "INSERT INTO upset VALUES (" + key + "," + std::to_string(k) + ",'" + place + "',0,0,100," +
               std::to_string(outcome) + ",0," + (converged ? "2" : "-3") + "," + (converged ? "1" : "0") + ",1e-11);";
    }
    execute(path, sql);
}

} // namespace mantissa::report::test
