// Results files that no command of ours would write.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

/// Runs SQL on the database in the file.
inline void execute(const std::string& path, const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    char* fault = nullptr;
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &fault), SQLITE_OK) << fault;
    sqlite3_close(db);
}
