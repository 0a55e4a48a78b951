// A GTKWave save file beside an FST, open on the signals that tell a pass's story.
#pragma once

#include <string>

#include "mantissa/spec.hpp"

namespace mantissa::sim {

/// Writes `path` with .gtkw in place of its extension; of several cores it shows the first.
void write_gtkwave_save(const std::string& fst_path, const DatapathSpec& spec, bool several);
/// The same of the sparse core.
void write_sparse_gtkwave_save(const std::string& fst_path, const DatapathSpec& spec);

} // namespace mantissa::sim
