// Whole files in memory. Internal to host/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mantissa::detail {

struct FileText {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    [[nodiscard]] std::string_view view() const { return {bytes.get(), size}; }
};

/// Throws InvalidInput naming the file and the system's reason.
FileText read_file(const std::string& path);

/// Writes `text` to a temporary file beside `path` and renames it into place, so that `path` is never half written.
/// Throws InvalidInput naming the file and the system's reason.
void write_file(const std::string& path, std::string_view text);

} // namespace mantissa::detail
