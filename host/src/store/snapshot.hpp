// A results file as it stands, in memory: for whoever only reads. Internal to host/src/store/.
#pragma once

#include <string>

#include "database.hpp"

namespace mantissa::results {

/// Reads the file and what a write-ahead log beside it has committed, and gives a database in memory, which has no way
/// back to the file. SQLite itself cannot read such a file without making files beside it (they would belong to the
/// reader, and lock the owner out), or where it may make none. Nothing is written, made or locked; while another
/// program writes, the copy is taken again until it is of one moment. The caller closes it. Throws InvalidInput, one
/// line.
sqlite3* open_snapshot(const std::string& path);

} // namespace mantissa::results
