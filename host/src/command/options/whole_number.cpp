#include <fmt/format.h>

#include "command/command.hpp"
#include "mantissa/base/quoted.hpp"
#include "text/whole_range.hpp"

namespace mantissa::cli {

std::function<std::string(const std::string&)> whole_number(std::uint64_t low, std::uint64_t high) {
    return [range = text::WholeRange{low, high}](const std::string& text) {
        return range.read(text) ? std::string()
                                : fmt::format("{} will not do; give {}", base::quoted(text), range.name());
    };
}

} // namespace mantissa::cli
