// A GTKWave save file beside an FST, open on the signals that tell a pass's story.
#pragma once

#include <string>

namespace mantissa::sim {

/// Writes `path` with .gtkw in place of its extension.
/// `scalar_width`: bits of the scalar format.
void write_gtkwave_save(const std::string& fst_path, int scalar_width);

} // namespace mantissa::sim
