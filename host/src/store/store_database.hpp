// What a Store keeps between calls. Internal to host/src/store/.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "contents.hpp"
#include "database.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/errors.hpp"
#include "rows/row_reader.hpp"

namespace mantissa {

struct Store::Database : results::Database {
    using results::Database::Database;
    std::mutex mutex;
    results::Contents contents;
    bool only_read = false;
    std::set<std::string> damaged; ///< keys of rows that cannot be read

    /// What `read` makes of the row with this key, of what the files hold now; nothing where there is none. One that
    /// cannot be read is as good as none: put() takes its place.
    template <class Read>
    auto find(const std::string& table, const std::string& key, const std::vector<std::string>& files, const Read& read)
        -> std::optional<decltype(read(std::declval<const results::RowReader&>()))> {
        contents.of(files); // before the solve reads them: of a change in between the row keeps the older hash
        results::RowReader row(*this, table, key);
        if (!row.next()) return std::nullopt;
        try {
            auto result = read(row);
            const std::string content = row.text(results::kContentColumn);
            if (!contents.counts(key, files, content.empty() ? std::nullopt : std::optional(content)))
                return std::nullopt;
            return result;
        } catch (const InvalidInput&) { // a value that no column of its kind has
        } catch (const nlohmann::json::exception&) {
        }
        damaged.insert(key);
        return std::nullopt;
    }
    /// On a signal what is in the file beside (-wal) comes into the store: who copies that has all of it.
    std::optional<base::EndingNote> ending;
};

} // namespace mantissa
