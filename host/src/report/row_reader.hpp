// The rows of a table of a results file of the page's. Internal to host/src/report/.
#pragma once

#include <string>
#include <utility>

#include "rows.hpp"
#include "store/rows/row_reader.hpp"

namespace mantissa::report {

/// Rows that know where the page says they are from.
class RowReader : public results::RowReader {
public:
    /// `store`: the file's index among the page's.
    RowReader(const results::Database& db, std::size_t store, std::string table)
        : results::RowReader(db, std::move(table)), store_(store) {}
    [[nodiscard]] RowAddress address() const { return {store_, table(), row()}; }

private:
    std::size_t store_;
};

} // namespace mantissa::report
