// Results files as SQLite holds them: which file is one, and is it whole. Every reader and writer opens them here, so
// that all refuse the same files with the same words. Internal to host/.
#pragma once

#include <functional>
#include <memory>
#include <string>

struct sqlite3;

namespace mantissa::results {

struct CloseDatabase {
    void operator()(sqlite3* database) const;
};
using DatabaseHandle = std::unique_ptr<sqlite3, CloseDatabase>;

/// What a file is opened for.
enum class Access {
    read,  ///< one that is there: taken into memory as it stands; nothing is written beside it, or asked of its folder,
           ///< and the copy refuses to be written, except by update_copy()
    write, ///< one that is there
    create, ///< one that may have to be made
};

/// Opens the results file at `path`. An old one is checked first: that it is a results file of this program's schema
/// and has nothing else in it (tables of others, triggers, views, columns that are computed: they would run what their
/// maker wrote), and that nothing in it is damaged (SQLite's integrity_check, once for each file and process, or each
/// time with `look_again`). A new or empty one gets no tables here; see `is_new`. Throws InvalidInput, one line, for a
/// folder, a device, a file that is no database or another program's, one of another schema, and a damaged or
/// truncated one.
DatabaseHandle open_results(const std::string& path, Access access, bool look_again = false);

/// Makes the table of solves in a new file, once, whoever else may be opening it; in one of an older program the
/// columns that it lacks.
void settle_points(sqlite3* database, const std::string& path);

/// Has `settle` make what a file of an older program lacks, in a copy that was opened to read: so that readers of it
/// need not know its age. The file stays as it is.
void update_copy(sqlite3* copy, const std::string& path, const std::function<void()>& settle);

/// To write where that can be done, else to read.
Access access_to(const std::string& path);

/// Has the file no table at all? Then it is a results file that is still to be made.
bool is_new(sqlite3* database, const std::string& path);

/// Marks a file whose tables have just been made as a results file of this program's schema.
void mark_results(sqlite3* database, const std::string& path);

/// Is there a table of this name? Throws InvalidInput when the file cannot say.
bool has_table(sqlite3* database, const std::string& path, const char* name);

/// Throws InvalidInput, one line naming the file and SQLite's reason, unless `code` says that a call went well.
void check_database(sqlite3* database, int code, const std::string& path);

/// The path as an error names it: its beginning, where it is long.
std::string path_text(const std::string& path);

} // namespace mantissa::results
