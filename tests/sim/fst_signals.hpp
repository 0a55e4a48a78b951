// What a waveform file holds.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace mantissa::sim::test {

/// The signals of an FST by their full names, as a GTKWave save file writes them: "model.top.q[3:0]".
std::set<std::string> fst_signals(const std::string& path);

} // namespace mantissa::sim::test
