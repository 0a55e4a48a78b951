#include "point_columns.hpp"

#include <fmt/format.h>

#include "contents.hpp"

namespace mantissa::results {

using options::Column;
using options::Option;

std::vector<const Option*> column_options(Column which, std::span<const Option> among) {
    std::vector<const Option*> list;
    for (const Option& option : among)
        if (option.column == which) list.push_back(&option);
    return list;
}

std::string column_declaration(const Option& option) {
    const char* type = "TEXT";
    if (option.type == options::Type::number) type = "REAL";
    if (option.type == options::Type::truth || option.type == options::Type::whole ||
        option.type == options::Type::integer)
        type = "INTEGER";
    return fmt::format("{} {}", options::spelt(option), type);
}

std::string points_schema(std::span<const Option> among) {
    const auto columns = [&](Column which) {
        std::string text;
        for (const Option* option : column_options(which, among)) text += ",\n  " + column_declaration(*option);
        return text;
    };
    const auto common = [](options::Common which) { return column_declaration(options::common(which)); };
    return fmt::format(R"sql(CREATE TABLE points (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  {} NOT NULL,
  unknowns INTEGER NOT NULL,
  {} NOT NULL{},
  status TEXT NOT NULL,
  detail TEXT NOT NULL,
  inner_iterations INTEGER NOT NULL,
  outer_iterations INTEGER NOT NULL,
  true_residual REAL,
  error REAL,
  sigma_guards INTEGER NOT NULL,
  cycles INTEGER,
  seconds REAL NOT NULL,
  {} NOT NULL,
  history TEXT,
  words TEXT,
  version TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  machine TEXT NOT NULL,
  date TEXT NOT NULL,
  command TEXT NOT NULL,
  {} TEXT{}
);
)sql",
                       common(options::Common::problem), common(options::Common::engine), columns(Column::first),
                       common(options::Common::threads), kContentColumn, columns(Column::later));
}

bool in_use(const Option& option, const SolveOptions& options) {
    const bool by_cycles = options.preconditioner && refines(options.scheme); // which have words of their own
    if (by_cycles && (option.name == "spec" || option.name == "inner")) return false;
    return !(options.energy && option.name == "tolerance");
}

std::optional<options::Value> column_value(const Option& option, const SolveOptions& options) {
    if (!in_use(option, options)) return std::nullopt;
    if (option.stored != nullptr) return option.stored(options);
    return option.get != nullptr ? option.get(options) : std::nullopt;
}

SolveOptions options_of_row(const RowReader& row) {
    options::Request request;
    for (const Option& option : options::table()) {
        if (option.column == Column::none || option.type == options::Type::spec) continue;
        const std::string name = options::spelt(option);
        const std::optional<options::Value> value = row.maybe_value(name.c_str(), option.type);
        try {
            if (value) give(request, option, *value, option.name);
        } catch (const InvalidInput&) {
            row.fail(name.c_str(), "value of this option");
        }
    }
    try {
        return request.finish();
    } catch (const InvalidInput&) {
        row.fail("scheme", "value of this option"); // it has not the recurrence beside it
    }
}

} // namespace mantissa::results
