// Numbers of things in sentences. Internal to host/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mantissa::text {

/// "1 solve", "3 solves"; `many` where an s does not do.
std::string counted(std::uint64_t number, const std::string& one, const std::string& many = {});

/// "a", "a and b", "a, b and c"; of more than `most` the first ones and "N more".
std::string listed(const std::vector<std::string>& items, std::size_t most = 3);

/// A small share of one as per cent, for sentences: "less than 1 %", "3 %", "0 %" for nothing at all.
std::string percent(double share);

} // namespace mantissa::text
