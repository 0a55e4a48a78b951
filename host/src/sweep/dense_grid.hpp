// The [[dense]] tables of a sweep file. Internal to host/.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "mantissa/host/dense_point.hpp"
#include "text/toml_text.hpp"

namespace mantissa::sweeps {

/// The points of all tables, each once. `defaults` may be null. Throws InvalidInput, `FILE:LINE: what; the mend`.
std::vector<DensePoint> read_dense_grids(const text::TomlText& file, const toml::array& grids,
                                         const toml::table* defaults, std::size_t max_points);

/// The keys that such a table takes.
std::vector<std::string_view> dense_keys();

} // namespace mantissa::sweeps
