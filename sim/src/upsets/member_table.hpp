// The members of a Verilated class, as source of the table that sim/model/upsets.hpp wants.
#pragma once

#include <string>

namespace mantissa::sim {

/// Another way to read a header is another name here: models are kept by it.
inline constexpr const char* kUpsetTable = "upsets, members 2";

/// `header`: Verilator's, of the class that holds the whole flattened design (Vmodel___024root.h). Left out: inputs,
/// and what is Verilator's own (temporaries, triggers, locals of blocks), none of which is state. Throws ToolFailure
/// where no member is found.
std::string upset_member_table(const std::string& header);

} // namespace mantissa::sim
