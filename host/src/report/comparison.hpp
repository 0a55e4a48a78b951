// What the sections on a comparison share. Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "report/page/document.hpp"
#include "report/sections/sections.hpp"

namespace mantissa::report {

/// The gap where there is no comparison.
Gap no_comparison();
/// The device's name in the document's list; the id where it has none.
std::string device_name(const DocumentRow& document, const std::string& id);
/// A duration in seconds, shown in the unit that suits it.
Cell seconds_cell(const Node& row, const std::string& name);

/// Sparse cores with the times that stand beside them, a table for each problem, `first` before the others and open.
std::vector<Table> sparse_tables(const DocumentRow& document, const DocumentOrigins& origins, const std::string& first);
/// Cycle cores with a GPU's cycles beside them, a table for each problem.
std::vector<Table> cycle_tables(const DocumentRow& document, const DocumentOrigins& origins);

} // namespace mantissa::report
