#include "counted.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mantissa::text {

std::string counted(std::uint64_t number, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", number, number == 1 ? one : many.empty() ? one + "s" : many);
}

std::string listed(const std::vector<std::string>& items, std::size_t most) {
    std::vector<std::string> parts(items.begin(),
                                   items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), most)));
    if (items.size() > most) parts.push_back(fmt::format("{} more", items.size() - most));
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

std::string percent(double share) {
    if (share == 0) return "0 %";
    if (std::abs(share) < 0.01) return "less than 1 %";
    return fmt::format("{:.0f} %", 100 * share);
}

} // namespace mantissa::text
