// The options of a solve as columns of the table `points`. Internal to host/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mantissa/errors.hpp"
#include "mantissa/host/options.hpp"
#include "rows/row_reader.hpp"

namespace mantissa::results {

/// Those that a row has after its figures (Column::later) or in front of them (Column::first).
std::vector<const options::Option*> column_options(options::Column which,
                                                   std::span<const options::Option> among = options::table());
/// "inner INTEGER".
std::string column_declaration(const options::Option& option);
/// The table of solves, made anew.
std::string points_schema(std::span<const options::Option> among = options::table());
/// Does a solve with these options use this one? Some that it does not stand in its key all the same, so that keys of
/// stored points stay as they are.
bool in_use(const options::Option& option, const SolveOptions& options);
/// What a column of this option keeps of `options`; nothing for NULL.
std::optional<options::Value> column_value(const options::Option& option, const SolveOptions& options);

/// The options of a row, all but its datapath, whose text alone is of use to readers. A column whose value is none of
/// its option's is the row's fault.
SolveOptions options_of_row(const RowReader& row);

} // namespace mantissa::results
