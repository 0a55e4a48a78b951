// Campaigns of upsets as results files hold them. Internal to host/src/report/.
#pragma once

#include <string>

#include "rows.hpp"
#include "store/database.hpp"

namespace mantissa::report {

/// Adds the campaigns of a file, each counted by module; tables that are not there are empty. Throws InvalidInput for
/// values that no campaign stores.
void read_upsets(const results::Database& db, std::size_t store, Origins& origins, UpsetRows& upsets);

/// Of a campaign in several files the one with the most upsets stays.
void settle_upsets(UpsetRows& upsets);

} // namespace mantissa::report
